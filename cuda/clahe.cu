// CLAHE on the device: counts the tiles, builds their tables, and maps the pixels between them (map_between_tiles.cu).
// Specified in docs/operations.md, "CLAHE"; core/ops/clahe.hpp defines the arithmetic. Design:
// docs/decisions/0019-local-operations.md.
#include <algorithm>
#include <vector>

#include "count/column_counters.cuh"
#include "count/packed_counters.cuh"
#include "device/cuda_check.hpp"
#include "device/cuda_picture.hpp"
#include "device/launch.cuh"
#include "map/pixel_map.cuh"
#include "operations.hpp"
#include "ops/clahe.hpp"
#include "table/level_table.cuh"

namespace gpuimg::cuda {
namespace {

// --- Counts the levels of every tile in one launch -------------------------------------------------------------------

/// A rectangle of the image whose pixels count in a tile.
struct TilePart {
  ColumnDeal columns;
  int first_row = 0;
  int end_row = 0;
  unsigned tile = 0;
};

constexpr int kTallyThreads = 1024;
static_assert(kTallyThreads == kColumnThreads && kTallyThreads == kPackedThreads);

/// For up to 256 levels: a column of counters for each lane in shared memory, as in histogram_256.cu.
struct ColumnTally {
  static constexpr std::size_t kBytes = kColumnBytes;
  static constexpr int kBlocksPerSm = 2;
  static constexpr int kPixelsBetweenBarriers = 1 << 30;
  /// Per block. With fewer pixels, clearing and adding the counters would take too large a part of the time.
  static constexpr std::uint64_t kMinPixels = 1 << 14;
  static constexpr std::uint64_t kMaxPixels = 1 << 20;
  const unsigned int* columns;
  std::uint32_t mine;
  unsigned long long* counts;

  __device__ ColumnTally(std::byte* shared, unsigned long long* own)
      : columns(reinterpret_cast<unsigned int*>(shared)), mine(column_address(columns)), counts(own) {
    for (unsigned i = threadIdx.x; i < kBytes / sizeof(uint4); i += kTallyThreads) {
      reinterpret_cast<uint4*>(shared)[i] = make_uint4(0, 0, 0, 0);
    }
  }
  __device__ __forceinline__ void add(std::uint32_t level) { count_in_column(mine, level); }

  /// Four threads per level. Each adds up eight columns, starting in its own bank.
  __device__ void finish() {
    __syncthreads();  // all pixels of the block are counted
    const unsigned level = threadIdx.x / 4;
    unsigned int sum = 0;
#pragma unroll
    for (unsigned c = 0; c < kColumns / 4; ++c) {
      sum += columns[level * kColumns + (threadIdx.x + 4 * c) % kColumns];
    }
    sum += __shfl_xor_sync(0xFFFFFFFFU, sum, 1);
    sum += __shfl_xor_sync(0xFFFFFFFFU, sum, 2);
    if (threadIdx.x % 4 == 0 && sum != 0) {
      atomicAdd(counts + level, static_cast<unsigned long long>(sum));
    }
  }
};

/// For 65536 levels: 16-bit counters in shared memory, as in histogram_65536.cu. Tiles must be below 2³² pixels.
struct PackedTally {
  static constexpr std::size_t kBytes = kPackedBytes;
  static constexpr int kBlocksPerSm = 1;
  static constexpr int kPixelsBetweenBarriers = PackedCounters::kPixelsBetweenBarriers;
  static constexpr std::uint64_t kMinPixels = 1 << 17;
  static constexpr std::uint64_t kMaxPixels = 1 << 23;
  PackedCounters counters;
  unsigned long long* counts;

  __device__ PackedTally(std::byte* shared, unsigned long long* own) : counters(shared, own), counts(own) {
    counters.clear();
  }
  __device__ __forceinline__ void add(std::uint32_t level) { counters.add(level); }
  __device__ void finish() { counters.add_to(counts); }
};

/// Counters in global memory, for any number of levels. Lanes that hold the same level do one addition together.
struct MemoryTally {
  static constexpr std::size_t kBytes = 0;
  static constexpr int kBlocksPerSm = 1;
  static constexpr int kPixelsBetweenBarriers = 1 << 30;
  static constexpr std::uint64_t kMinPixels = 1 << 13;
  static constexpr std::uint64_t kMaxPixels = 1 << 20;
  unsigned long long* counts;

  __device__ MemoryTally(std::byte* /*shared*/, unsigned long long* own) : counts(own) {}
  __device__ __forceinline__ void add(std::uint32_t level) {
    const unsigned same = __match_any_sync(__activemask(), level);
    if (threadIdx.x % 32 == static_cast<unsigned>(__ffs(static_cast<int>(same)) - 1)) {
      atomicAdd(counts + level, static_cast<unsigned long long>(__popc(same)));
    }
  }
  __device__ void finish() {}
};

/// Pixels that a thread loads at once: up to 16 bytes, or four pixels of three channels.
template <class T, int kChannels>
inline constexpr int kVectorPixels = kChannels == 3 ? 4 : std::min(8, 16 / (kChannels * static_cast<int>(sizeof(T))));

template <class T, int kChannels, int kPixels>
__device__ __forceinline__ Samples<T, kPixels * kChannels> load_group(const std::byte* from) {
  if constexpr (kPixels == 1) {
    return load_pixel<T, kChannels>(from);
  } else {
    Samples<T, kPixels * kChannels> group;
    load(group, from);
    return group;
  }
}

/// Counts pixel p of a group if it is selected. Only groups of one pixel can have a mask; its value is at `index`.
template <class T, int kChannels, int kPixels, class Tally>
__device__ __forceinline__ void count_pixel(Tally& tally, const Samples<T, kPixels * kChannels>& group, int p,
                                            std::size_t index, const CountedPixels& counted,
                                            const LevelSource& source) {
  if constexpr (kHasAlpha<kChannels>) {
    if (group.get(p * kChannels + kChannels - 1) < counted.min_alpha) {
      return;
    }
  }
  if constexpr (kPixels == 1) {
    if (counted.mask != nullptr && counted.mask[index] == 0) {
      return;
    }
  }
  if constexpr (kChannels < 3) {
    tally.add(group.get(p * kChannels));
  } else {
    Samples<T, kChannels> pixel;
#pragma unroll
    for (int c = 0; c < kChannels; ++c) {
      pixel.put(c, group.get(p * kChannels + c));
    }
    tally.add(level_of_pixel<T, kChannels>(pixel, source));
  }
}

/// Counts the pixels [first, last) of a group. In most groups that is every pixel, so no pixel needs a comparison of
/// its own.
template <class T, int kChannels, int kPixels, class Tally>
__device__ __forceinline__ void count_group(Tally& tally, const Samples<T, kPixels * kChannels>& group, int first,
                                            int last, std::size_t index, const CountedPixels& counted,
                                            const LevelSource& source) {
  if (kPixels == 1 || (first <= 0 && last >= kPixels)) {
#pragma unroll
    for (int p = 0; p < kPixels; ++p) {
      count_pixel<T, kChannels, kPixels>(tally, group, p, index, counted, source);
    }
  } else {
#pragma unroll
    for (int p = 0; p < kPixels; ++p) {
      if (p >= first && p < last) {
        count_pixel<T, kChannels, kPixels>(tally, group, p, index, counted, source);
      }
    }
  }
}

/// Block → rows of a part: blockIdx.y is the part, blockIdx.x its rows. Thread → groups as ColumnDeal assigns them; it
/// loads kAhead groups before it counts the first. Shared memory: the tally. Barriers: all counters are clear before
/// any thread adds; then a barrier after at most kPixelsBetweenBarriers pixels per thread; then the barriers of
/// finish(). All threads make the same number of iterations, so all threads reach every barrier.
template <class Tally, class T, int kChannels, int kPixels>
__global__ void __launch_bounds__(kTallyThreads, resident_blocks(kTallyThreads, Tally::kBlocksPerSm))
    count_parts(CountedPixels counted, LevelSource source, const TilePart* parts, int rows_per_block,
                unsigned long long* counts) {
  constexpr int kAhead = kPixels * kChannels * sizeof(T) <= 8 ? 4 : 2;  // limited by registers
  constexpr bool kHasBarriers = Tally::kPixelsBetweenBarriers < (1 << 30);
  static_assert(!kHasBarriers || kAhead * kPixels <= Tally::kPixelsBetweenBarriers);
  extern __shared__ uint4 shared[];
  const TilePart part = parts[blockIdx.y];
  const ColumnDeal& columns = part.columns;
  const int begin = part.first_row + static_cast<int>(blockIdx.x) * rows_per_block;
  const int end = min(part.end_row, begin + rows_per_block);
  if (begin >= end) {
    return;  // the whole block
  }
  Tally tally(reinterpret_cast<std::byte*>(shared), counts + std::size_t{part.tile} * source.bins);
  __syncthreads();
  const int my_row = static_cast<int>(threadIdx.x) / columns.at_once;
  const int my_group = static_cast<int>(threadIdx.x) % columns.at_once;
  const int my_end = my_row < columns.rows_at_once ? end : begin;
  const std::size_t step = static_cast<std::size_t>(columns.rows_at_once) * counted.width;
  for (int pass = 0; pass < columns.groups; pass += columns.at_once) {
    const int x = (columns.first_group + pass + my_group) * kPixels;
    const int last = pass + my_group < columns.groups ? my_end : begin;
    std::size_t index = static_cast<std::size_t>(begin + my_row) * counted.width + x;
    for (int first = begin; first < end; first += kAhead * columns.rows_at_once) {
      Samples<T, kPixels * kChannels> groups[kAhead];
#pragma unroll
      for (int k = 0; k < kAhead; ++k) {
        if (first + my_row + k * columns.rows_at_once < last) {
          groups[k] = load_group<T, kChannels, kPixels>(counted.pixels + (index + k * step) * (kChannels * sizeof(T)));
        }
      }
#pragma unroll
      for (int k = 0; k < kAhead; ++k) {
        if (first + my_row + k * columns.rows_at_once < last) {
          count_group<T, kChannels, kPixels>(tally, groups[k], columns.begin - x, columns.end - x, index + k * step,
                                             counted, source);
        }
      }
      index += kAhead * step;
      if constexpr (kHasBarriers) {
        __syncthreads();
      }
    }
  }
  tally.finish();
}

/// Which tiles to count, and where to store the counts.
struct TileCounts {
  const TileGrid& grid;
  std::size_t begin = 0;
  std::size_t end = 0;
  unsigned long long* counts = nullptr;  ///< starts with tile `begin`
};

/// The parts of the tiles inside the selected `region`: at most nine per tile, because a tile is never larger than
/// twice the image.
std::vector<TilePart> tile_parts(const TileCounts& tiles, const Rect& region, int pixels_per_group) {
  std::vector<TilePart> parts;
  for (std::size_t tile = tiles.begin; tile < tiles.end; ++tile) {
    for (const Rect& source : sources_of_tile(tiles.grid, tile)) {
      if (const auto part = common_part(region, source)) {
        parts.push_back({deal_columns(part->x, part->x + part->width, pixels_per_group, kTallyThreads), part->y,
                         part->y + part->height, static_cast<unsigned>(tile - tiles.begin)});
      }
    }
  }
  return parts;
}

template <class Tally, class T, int kChannels, int kPixels>
void launch(Workspace& workspace, const CountedPixels& counted, const LevelSource& source, const TileCounts& tiles) {
  const std::vector<TilePart> parts = tile_parts(tiles, counted.region, kPixels);
  if (parts.empty()) {
    return;
  }
  const DeviceMemory on_device(workspace.device(), parts.size() * sizeof(TilePart));
  cuda_check(cudaMemcpyAsync(on_device.data(), parts.data(), parts.size() * sizeof(TilePart), cudaMemcpyHostToDevice,
                             workspace.stream()),
             "uploading the tiles");
  constexpr int kWaves = 4;  // the last wave may not fill the device, so it should be short
  const auto wanted = static_cast<std::uint64_t>(workspace.device()->multiprocessors() * Tally::kBlocksPerSm * kWaves);
  const int rows_per_block =
      rows_per_block_of(tiles.grid.tile_width, counted.pixel_count(), wanted, Tally::kMinPixels, Tally::kMaxPixels);
  int most = 0;
  for (const TilePart& part : parts) {
    most = std::max(most, part.end_row - part.first_row);
  }
  const auto chunks = static_cast<unsigned>((most - 1) / rows_per_block + 1);
  allow_shared_bytes(workspace, count_parts<Tally, T, kChannels, kPixels>, Tally::kBytes);
  count_parts<Tally, T, kChannels, kPixels>
      <<<dim3(chunks, static_cast<unsigned>(parts.size())), kTallyThreads, Tally::kBytes, workspace.stream()>>>(
          counted, source, on_device.as<TilePart>(), rows_per_block, tiles.counts);
  check_launch("counting the levels of tiles");
}

template <class Tally, class T>
void launch(Workspace& workspace, const CountedPixels& counted, const LevelSource& source, const TileCounts& tiles) {
  with_channels(counted.format.channels, [&]<int kChannels>() {
    constexpr int kPixels = kVectorPixels<T, kChannels>;
    if (counted.mask == nullptr && counted.width % kPixels == 0) {
      launch<Tally, T, kChannels, kPixels>(workspace, counted, source, tiles);
    } else {
      launch<Tally, T, kChannels, 1>(workspace, counted, source, tiles);
    }
  });
}

/// Writes source.bins counts for each of the tiles [begin, end) to `counts` in device memory. Counts only the pixels
/// that `counted` selects.
void count_tiles(Workspace& workspace, const CountedPixels& counted, const LevelSource& source, const TileGrid& grid,
                 std::size_t begin, std::size_t end, const DeviceMemory& counts) {
  const TileCounts tiles{grid, begin, end, counts.as<unsigned long long>()};
  cuda_check(cudaMemsetAsync(counts.data(), 0, counts.size_bytes(), workspace.stream()), "clearing counts");
  const std::uint64_t tile_pixels =
      static_cast<std::uint64_t>(grid.tile_width) * static_cast<std::uint64_t>(grid.tile_height);
  if (counted.format.sample == Sample::u8) {
    launch<ColumnTally, std::uint8_t>(workspace, counted, source, tiles);
  } else if (kPackedBytes <= workspace.device()->shared_bytes_per_block() && tile_pixels >= PackedTally::kMinPixels &&
             tile_pixels < std::uint64_t{1} << 32) {
    launch<PackedTally, std::uint16_t>(workspace, counted, source, tiles);
  } else {
    launch<MemoryTally, std::uint16_t>(workspace, counted, source, tiles);
  }
}

// --- Tables and pixels -----------------------------------------------------------------------------------------------

/// Sums over a block of kSegment threads: up to and including the calling thread, and over all threads. Barriers: the
/// sum is written before it is read, and read before the next call overwrites it.
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

/// Builds the table of a tile as clahe_map does. Block → tile; thread → kRun adjacent levels at a time. Barriers: only
/// in scanned_sum.
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

/// Builds the table of a tile of 65536 counts as clahe_map_of_bins does. Block → tile; thread → one bin, then levels
/// kSegment apart. Shared memory: the entries of the bins. Barriers: those in scanned_sum; then the entries are
/// complete before they are read.
__global__ void __launch_bounds__(kSegment)
    build_binned_tables(const unsigned long long* counts, double clip, std::uint16_t* maps) {
  static_assert(kSegment == kClaheBins);
  constexpr std::uint32_t kLevels = kClaheBins * kLevelsOfBin;
  __shared__ SegmentScratch scratch;
  __shared__ std::uint32_t entries[kClaheBins];
  const unsigned long long* const own = counts + std::size_t{blockIdx.x} * kLevels;
  std::uint16_t* const map = maps + std::size_t{blockIdx.x} * kLevels;
  std::uint64_t mine = 0;
  for (std::uint32_t i = 0; i < kLevelsOfBin; ++i) {
    mine += own[threadIdx.x * kLevelsOfBin + i];
  }
  const std::uint64_t counted = scanned_sum(mine, scratch).all;
  const std::uint64_t limit = counted == 0 ? 0 : clip_limit(clip, counted, kClaheBins);
  const std::uint64_t clipped = scanned_sum(mine > limit ? mine - limit : 0, scratch).all;
  const ClipRule rule = clip_rule(limit, clipped, counted == 0 ? 1 : counted, kClaheBins, kLevels - 1);
  const std::uint64_t cumulative = scanned_sum(clipped_count(rule, threadIdx.x, mine), scratch).through;
  entries[threadIdx.x] = clahe_level(rule, cumulative, kLevels - 1);
  __syncthreads();
  for (std::uint32_t level = threadIdx.x; level < kLevels; level += kSegment) {
    map[level] = counted == 0 ? static_cast<std::uint16_t>(level) : entry_between_bins(entries, level);
  }
}

void build_tables(Workspace& workspace, const Picture& picture, const ClaheOptions& options, const TileGrid& grid,
                  std::uint16_t* maps) {
  constexpr Channel kColors[] = {Channel::red, Channel::green, Channel::blue};
  const PixelFormat format = picture.format();
  const CountedPixels counted = counted_pixels(picture, options.selection);
  const std::size_t planes = clahe_planes(format, options);
  const std::uint32_t levels = format.max_value() + 1U;
  constexpr std::size_t kMaxCountBytes = std::size_t{256} << 20;  // 64×64 tiles of 16-bit pixels would need 2 GiB
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
      std::uint16_t* const to = maps + (p * grid.tiles() + begin) * levels;
      if (levels > kClaheBins && !options.full_bins) {
        build_binned_tables<<<static_cast<unsigned>(end - begin), kSegment, 0, workspace.stream()>>>(
            counts.as<unsigned long long>(), options.clip, to);
      } else {
        build<<<static_cast<unsigned>(end - begin), kSegment, 0, workspace.stream()>>>(counts.as<unsigned long long>(),
                                                                                       levels, options.clip, to);
      }
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
