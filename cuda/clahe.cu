// CLAHE on the device: counts the tiles, builds their tables, and maps the pixels between them.
// Specified in docs/operations.md, "CLAHE"; the arithmetic is that of core/ops/clahe.hpp.
#include <algorithm>

#include "count/tile_counts.hpp"
#include "device/cuda_check.hpp"
#include "device/cuda_picture.hpp"
#include "map/map_between_tiles.hpp"
#include "operations.hpp"
#include "ops/clahe.hpp"
#include "table/level_table.cuh"

namespace gpuimg::cuda {
namespace {

/// The prefix sum through each thread of a block of kSegment, and the sum of all. Barriers: the sum is written before
/// it is read, and read before the next call overwrites it.
struct ScannedSum {
  std::uint64_t through;
  std::uint64_t all;
};
__device__ ScannedSum scanned_sum(std::uint64_t value, SegmentScratch& scratch) {
  __shared__ std::uint64_t sum;
  const std::uint64_t through = segment_scan(value, scratch);
  if (threadIdx.x == kSegment - 1) {
    sum = through;
  }
  __syncthreads();
  const std::uint64_t all = sum;
  __syncthreads();
  return {through, all};
}

/// Builds the table of a tile as clahe_map does. Block → tile; thread → kRun adjacent levels at a time. Barriers: those
/// of the sums.
template <int kRun>
__global__ void __launch_bounds__(kSegment)
    build_tile_tables(const unsigned long long* counts, std::uint32_t levels, double clip, std::uint16_t* maps) {
  __shared__ SegmentScratch scratch;
  const unsigned long long* const own = counts + std::size_t{blockIdx.x} * levels;
  std::uint16_t* const map = maps + std::size_t{blockIdx.x} * levels;
  std::uint64_t mine = 0;
  for (std::uint32_t level = threadIdx.x; level < levels; level += kSegment) {
    mine += own[level];
  }
  const std::uint64_t counted = scanned_sum(mine, scratch).all;
  const std::uint64_t limit = counted == 0 ? 0 : clip_limit(clip, counted, levels);
  mine = 0;
  for (std::uint32_t level = threadIdx.x; level < levels; level += kSegment) {
    mine += own[level] > limit ? own[level] - limit : 0;
  }
  const ClipRule rule = clip_rule(limit, scanned_sum(mine, scratch).all, counted == 0 ? 1 : counted, levels);
  std::uint64_t below = 0;
  for (std::uint32_t first = threadIdx.x * kRun; first < levels; first += kSegment * kRun) {
    std::uint64_t clipped[kRun];
    std::uint64_t sum = 0;
#pragma unroll
    for (int i = 0; i < kRun; ++i) {
      clipped[i] = clipped_count(rule, first + i, own[first + i]);
      sum += clipped[i];
    }
    const ScannedSum scanned = scanned_sum(sum, scratch);
    std::uint64_t cumulative = below + scanned.through - sum;
    below += scanned.all;
#pragma unroll
    for (int i = 0; i < kRun; ++i) {
      cumulative += clipped[i];
      map[first + i] = static_cast<std::uint16_t>(counted == 0 ? first + i : clahe_level(rule, cumulative, levels - 1));
    }
  }
}

void build_tables(Workspace& workspace, const Picture& picture, const ClaheOptions& options, const TileGrid& grid,
                  std::uint16_t* maps) {
  constexpr Channel kColors[] = {Channel::red, Channel::green, Channel::blue};
  const PixelFormat format = picture.format();
  const CountedPixels counted = counted_pixels(picture, options.selection);
  const std::size_t planes = clahe_planes(format, options);
  const std::uint32_t levels = format.max_value() + 1U;
  constexpr std::size_t kMaxCountBytes = std::size_t{256} << 20;  // 64×64 tiles of 16 bits would take 2 GiB
  const std::size_t tile_bytes = levels * sizeof(unsigned long long);
  const std::size_t at_once = std::min(grid.tiles(), kMaxCountBytes / tile_bytes);
  const DeviceMemory counts(workspace.device(), at_once * tile_bytes);
  const auto build = levels == kSegment ? build_tile_tables<1> : build_tile_tables<8>;
  for (std::size_t p = 0; p < planes; ++p) {
    const LevelSource source = planes == 3                    ? source_of(kColors[p], options.luma, format, 0)
                               : format.color_channels() == 1 ? source_of(Channel::luma, options.luma, format, 0)
                                                              : source_of(options.color, options.luma, format);
    for (std::size_t begin = 0; begin < grid.tiles(); begin += at_once) {
      const std::size_t end = std::min(begin + at_once, grid.tiles());
      count_tiles(workspace, counted, source, grid, begin, end, counts);
      build<<<static_cast<unsigned>(end - begin), kSegment, 0, workspace.stream()>>>(
          counts.as<unsigned long long>(), levels, options.clip, maps + (p * grid.tiles() + begin) * levels);
      check_launch("building the tables of tiles");
    }
  }
}

}  // namespace

Picture apply(Workspace& workspace, const Picture& picture, const ClaheOptions& options) {
  TileMapRequest request;
  request.grid = options.tables != nullptr
                     ? options.tables->grid
                     : tile_grid(picture.width(), picture.height(), options.tiles_x, options.tiles_y);
  const std::size_t entries =
      clahe_planes(picture.format(), options) * request.grid.tiles() * (picture.format().max_value() + std::size_t{1});
  const DeviceMemory maps(workspace.device(), entries * sizeof(std::uint16_t));
  Picture result = new_picture(workspace.device(), picture.width(), picture.height(), picture.format());
  if (options.tables != nullptr) {
    cuda_check(cudaMemcpyAsync(maps.data(), options.tables->maps.data(), entries * sizeof(std::uint16_t),
                               cudaMemcpyHostToDevice, workspace.stream()),
               "uploading the tables of tiles");
    request.first_row = options.tables->first_row;
  } else {
    build_tables(workspace, picture, options, request.grid, maps.as<std::uint16_t>());
  }
  request.maps = maps.as<std::uint16_t>();
  request.color = options.color;
  request.luma = options.luma;
  request.strength = options.strength;
  if (options.selection.mask != nullptr) {
    request.mask = reinterpret_cast<const std::uint8_t*>(pixels_of(*options.selection.mask));
  }
  map_between_tiles(workspace, picture, result, request);
  return result;
}

}  // namespace gpuimg::cuda
