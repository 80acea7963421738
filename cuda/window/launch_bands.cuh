// Sums of small windows over 8-bit levels as products on tensor cores: no table is written. Used by window.cu and
// threshold.cu for images of one channel.
#pragma once

#include <algorithm>
#include <cstdint>

#include "device/cuda_picture.hpp"
#include "device/launch.cuh"
#include "window/band_maps.cuh"
#include "window/band_sources.cuh"
#include "window/sum_bands.cuh"

namespace gpuimg::cuda {

/// Makes `result` of the sums of `picture`'s windows, up to kMaxBandWindow, both of one channel of 8 bits. False,
/// without having done anything, for other images, if the image is too wide, or the device lacks the products.
template <class Operation>
bool try_bands(Workspace& workspace, const Picture& picture, const Picture& result, int radius, Border border,
               const Operation& operation, const char* doing) {
  constexpr int kResidentBlocks = 2;
  constexpr int kMinSteps = 2;  // of a block
  constexpr int kMaxGridRows = 65535;
  constexpr int kProductsVersion = 80;
  constexpr int kBoxesVersion = 90;
  if (picture.format() != PixelFormat{Sample::u8, 1}) {
    return false;
  }
  BandJob job;
  job.levels = reinterpret_cast<const std::uint8_t*>(pixels_of(picture));
  job.out = reinterpret_cast<std::uint8_t*>(pixels_of(result));
  job.width = picture.width();
  job.height = picture.height();
  job.border = border;
  job.layout = band_layout(radius);
  job.strips = (job.width - 1) / kBandBlockColumns + 1;
  const auto kernel = sum_bands<Operation>;
  const int version = code_version(kernel);
  if (job.strips > kMaxGridRows || version < kProductsVersion ||
      BandTile::kBytes > workspace.device()->shared_bytes_per_block()) {
    return false;
  }
  allow_shared_bytes(workspace, kernel, BandTile::kBytes);
  job.sum_base = operation.sum_base();
  job.has_whole = operation.has_whole();
  job.half_bytes = std::int64_t{kBandRows / 2} * job.width;
  const int resident = kResidentBlocks * workspace.device()->multiprocessors();
  const int all_steps = (job.height - 1) / kBandStepRows + 1;
  const auto steps_of = [&](int blocks) { return std::max((all_steps - 1) / blocks + 1, kMinSteps); };
  const int blocks_per_strip = std::max(1, resident / job.strips);
  job.rows = steps_of(blocks_per_strip) * kBandStepRows;
  if (border == Border::cut) {
    // Steps at a cut border take longer. Two blocks share those of a strip, where that leaves the others as they are.
    const int edge_strips = (radius + kBandBlockColumns - 1) / kBandBlockColumns;
    if (2 * edge_strips < job.strips && resident / (job.strips + 2 * edge_strips) == blocks_per_strip) {
      job.edge_strips = edge_strips;
      job.edge_rows = steps_of(2 * blocks_per_strip) * kBandStepRows;
    }
  }
  const int read = BandTile::kColumns - job.layout.margin;
  job.left_copies =
      job.width % 16 != 0 ? job.strips : std::min(job.strips, (job.layout.margin - 1) / kBandBlockColumns + 1);
  const int inside = job.width < read ? 0 : (job.width - read) / kBandBlockColumns + 1;
  job.first_right_copy = std::max(job.left_copies, std::min(job.strips, inside));
  if (job.border == Border::cut && job.width % 16 == 0) {
    job.left_copies = 0;  // a row's levels outside the image are zeros without copies
    job.first_right_copy = job.strips;
  }
  const int copies = job.copied_strips();
  const auto height = static_cast<std::size_t>(job.height);
  const DeviceMemory copy_memory(workspace.device(), static_cast<std::size_t>(copies) * height * BandTile::kColumns);
  job.copies = copies > 0 ? copy_memory.as<std::uint8_t>() : nullptr;
  BandMaps maps{};
  if (version >= kBoxesVersion) {
    const auto made = band_maps(job);
    if (!made) {
      return false;
    }
    maps = *made;
  }
  if (copies > 0) {
    const auto row_blocks = static_cast<unsigned>((job.height - 1) / kBandWarps + 1);
    copy_borders<<<dim3(row_blocks, static_cast<unsigned>(copies)), kBandThreads, 0, workspace.stream()>>>(job);
    check_launch("copying the borders of an image");
  }
  const auto blocks = static_cast<unsigned>(job.all_blocks());
  if (copies > 0) {  // waits for the copies; see TileRows
    launch_after(workspace, kernel, blocks, kBandThreads, BandTile::kBytes, doing, job, maps, operation);
  } else {
    kernel<<<blocks, kBandThreads, BandTile::kBytes, workspace.stream()>>>(job, maps, operation);
    check_launch(doing);
  }
  return true;
}

}  // namespace gpuimg::cuda
