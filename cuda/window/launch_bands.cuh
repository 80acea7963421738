// Sums of windows over 8-bit levels as products on tensor cores: time hardly depends on the window, and no table is
// written. Used by window.cu and threshold.cu for images of one channel.
#pragma once

#include <algorithm>
#include <cstdint>

#include "device/cuda_picture.hpp"
#include "device/launch.cuh"
#include "window/band_maps.cuh"
#include "window/band_sources.cuh"
#include "window/sum_bands.cuh"

namespace gpuimg::cuda {

template <int kSteps, class Operation>
bool try_bands(Workspace& workspace, BandJob job, const Operation& operation, const char* doing) {
  using Tile = BandTile<kSteps>;
  constexpr int kResidentBlocks = 2;
  constexpr int kMinRows = 2 * kBandStepRows;
  constexpr int kMaxGridRows = 65535;
  constexpr int kProductsVersion = 80;
  constexpr int kBoxesVersion = 90;  // which also overlaps the kernel before
  const auto kernel = sum_bands<kSteps, Operation>;
  const int version = code_version(kernel);
  if (job.strips > kMaxGridRows || version < kProductsVersion ||
      Tile::kBytes > workspace.device()->shared_bytes_per_block()) {
    return false;
  }
  allow_shared_bytes(workspace, kernel, Tile::kBytes);
  job.sum_base = operation.sum_base();
  job.has_whole = operation.has_whole();
  job.half_bytes = std::int64_t{kBandRows / 2} * job.width;
  const int resident = kResidentBlocks * workspace.device()->multiprocessors();
  const auto rows_of = [&](int blocks) {
    return std::max(((job.height - 1) / blocks + kBandStepRows) / kBandStepRows, kMinRows / kBandStepRows) *
           kBandStepRows;
  };
  const int blocks_per_strip = std::max(1, resident / job.strips);
  job.rows = rows_of(blocks_per_strip);
  if (job.border == Border::cut) {
    // Steps at a cut border take longer. Two blocks share those of a strip, where that leaves the others as they are.
    const int edge_strips = (job.layout.radius + kBandBlockColumns - 1) / kBandBlockColumns;
    if (2 * edge_strips < job.strips && resident / (job.strips + 2 * edge_strips) == blocks_per_strip) {
      job.edge_strips = edge_strips;
      job.edge_rows = rows_of(2 * blocks_per_strip);
    }
  }
  const int read = step_offset(job.layout, Tile::kHasMiddle ? 2 : 0) + Tile::kPartColumns - job.layout.margin;
  job.left_copies =
      job.width % 16 != 0 ? job.strips : std::min(job.strips, (job.layout.margin - 1) / kBandBlockColumns + 1);
  const int inside = job.width < read ? 0 : (job.width - read) / kBandBlockColumns + 1;
  job.first_right_copy = std::max(job.left_copies, std::min(job.strips, inside));
  if (job.border == Border::cut && job.width % 16 == 0) {
    job.left_copies = 0;  // a row's levels outside the image are zeros without copies
    job.first_right_copy = job.strips;
  }
  const auto copies = static_cast<unsigned>(job.copied_strips());
  const auto height = static_cast<std::size_t>(job.height);
  const unsigned row_blocks = static_cast<unsigned>((job.height - 1) / kBandWarps + 1);
  const DeviceMemory copy_memory(workspace.device(), copies * height * Tile::kColumns);
  job.copies = copies > 0 ? copy_memory.as<std::uint8_t>() : nullptr;
  BandMaps maps{};
  if (version >= kBoxesVersion) {
    const auto made = band_maps<kSteps>(job);
    if (!made) {
      return false;
    }
    maps = *made;
  }
  DeviceMemory prefix_memory;
  if (copies > 0) {
    copy_borders<kSteps><<<dim3(row_blocks, copies), kBandThreads, 0, workspace.stream()>>>(job);
    check_launch("copying the borders of an image");
  }
  if constexpr (Tile::kHasMiddle) {
    job.blocks = (job.width - 1) / kBandDepth + 3 + job.layout.middle_blocks;
    prefix_memory =
        DeviceMemory(workspace.device(), height * static_cast<std::size_t>(job.blocks + 1) * sizeof(std::uint32_t));
    job.prefixes = prefix_memory.as<std::uint32_t>();
    sum_blocks<<<row_blocks, kBandThreads, 0, workspace.stream()>>>(job);
    check_launch("summing blocks of rows");
  }
  const auto blocks = static_cast<unsigned>(job.all_blocks());
  const bool waits = copies > 0 || Tile::kHasMiddle;  // for one of the kernels above; see TileRows
  if (waits && version >= kBoxesVersion) {
    launch_overlapping(workspace, kernel, blocks, kBandThreads, Tile::kBytes, doing, job, maps, operation);
  } else {
    kernel<<<blocks, kBandThreads, Tile::kBytes, workspace.stream()>>>(job, maps, operation);
    check_launch(doing);
  }
  return true;
}

/// Makes `result` of the sums of `picture`'s windows, both of one channel of 8 bits:
/// make_operation.operator()<kSteps>() gives the operation. False, without having done anything, if windows or the
/// image are too wide, or the device lacks the products.
template <class MakeOperation>
bool try_bands(Workspace& workspace, const Picture& picture, const Picture& result, int radius, Border border,
               const MakeOperation& make_operation, const char* doing) {
  if (picture.format() != PixelFormat{Sample::u8, 1} || 2 * radius + 1 > kMaxBandWindow) {
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
  if (job.layout.size() <= kMaxFewStepWindow) {
    return try_bands<kFewBandSteps>(workspace, job, make_operation.template operator()<kFewBandSteps>(), doing);
  }
  return try_bands<kManyBandSteps>(workspace, job, make_operation.template operator()<kManyBandSteps>(), doing);
}

}  // namespace gpuimg::cuda
