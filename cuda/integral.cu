// The integral operation on the device: which plane is summed, and into what. docs/operations.md, "Integral image".
#include "map/level_plane.cuh"
#include "scan/integral_kernel.cuh"

namespace gpuimg::cuda {
namespace {

/// A table to be written. In each row the entry of pixel 0 lies at a cache line's boundary, or in narrow tables, which
/// would become many times as large, at that of a 16-byte word: a padded row of w + 1 entries would start anywhere
/// otherwise, and stores would straddle.
SumTable new_table(const std::shared_ptr<Device>& device, int width, int height, Sample type, bool padded) {
  constexpr std::size_t kLineBytes = 128;
  constexpr std::size_t kWideRowBytes = 2048;
  const std::size_t entry = sample_bytes(type);
  const std::size_t entries = static_cast<std::size_t>(width) - (padded ? 1 : 0);  // but for the zero before them
  const std::size_t unit = entries * entry >= kWideRowBytes ? kLineBytes : kStoreBytes;
  const std::size_t before = padded ? unit : 0;
  const std::size_t pitch = before + (entries * entry + unit - 1) / unit * unit;
  DeviceMemory memory(device, pitch * static_cast<std::size_t>(height));
  return {width, height, {type, 1}, std::make_unique<CudaPixels>(std::move(memory), pitch, padded ? unit - entry : 0)};
}

}  // namespace

SumTable integral(Workspace& workspace, const Picture& picture, const IntegralOptions& options) {
  if (picture.format().channels != 1) {
    IntegralOptions of_plane = options;
    of_plane.channel = Channel::red;
    const LevelSource source = source_of(options.channel, options.luma, picture.format(), 0);
    return integral(workspace, level_plane(workspace, picture, source), of_plane);
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
