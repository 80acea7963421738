// The integral operation on the device: selects the plane to sum, and allocates the table.
// Specified in docs/operations.md, "Integral image".
#include <memory>
#include <utility>

#include "device/cuda_picture.hpp"
#include "map/level_plane.cuh"
#include "scan/integral_kernel.cuh"

namespace gpuimg::cuda {
namespace {

/// An uninitialized table. The entry of pixel 0 starts at a cache line in every row. In narrow tables, where that would
/// multiply the size, it starts at a multiple of 16 bytes instead. Otherwise the rows of a padded table, w + 1 entries
/// long, would start anywhere and stores would straddle words.
SumTable new_table(const std::shared_ptr<Device>& device, int width, int height, Sample type, bool padded) {
  constexpr std::size_t kLineBytes = 128;
  constexpr std::size_t kWideRowBytes = 2048;
  const std::size_t entry = sample_bytes(type);
  const std::size_t entries =
      static_cast<std::size_t>(width) - (padded ? 1 : 0);  // without the leading zero of a padded row
  const std::size_t unit = entries * entry >= kWideRowBytes ? kLineBytes : kStoreBytes;
  const std::size_t before = padded ? unit : 0;
  const std::size_t pitch = before + (entries * entry + unit - 1) / unit * unit;
  DeviceMemory memory(device, pitch * static_cast<std::size_t>(height));
  return {width, height, {type, 1}, std::make_unique<CudaPixels>(std::move(memory), pitch, padded ? unit - entry : 0)};
}

}  // namespace

Picture apply(Workspace& workspace, const Picture& picture, const IntegralOptions& options) {
  if (picture.format().channels != 1) {
    IntegralOptions of_plane = options;
    of_plane.channel = Channel::red;
    const LevelSource source = source_of(options.channel, options.luma, picture.format(), 0);
    return apply(workspace, level_plane(workspace, picture, source), of_plane);
  }
  const Sample type = table_sample(picture.width(), picture.height(), picture.format(), options);
  TableJob job;
  job.padded = options.layout == TableLayout::padded;
  SumTable table = new_table(workspace.device(), table_width(picture.width(), options.layout),
                             table_height(picture.height(), options.layout), type, job.padded);
  job.pixels = pixels_of(picture);
  job.table_pitch = static_cast<std::int64_t>(pitch_bytes(table) / sample_bytes(type));
  job.table = pixels_of(table) + (job.padded ? pitch_bytes(table) + sample_bytes(type) : 0);
  job.width = picture.width();
  job.height = picture.height();
  job.square = options.square;
  if (picture.format().sample == Sample::u8) {
    launch_integral<std::uint8_t>(workspace, job, type);
  } else {
    launch_integral<std::uint16_t>(workspace, job, type);
  }
  return table;
}

}  // namespace gpuimg::cuda
