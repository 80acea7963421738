// CLAHE on the device: counts the tiles, builds their tables, and maps the pixels between them.
// Specified in docs/operations.md, "CLAHE"; the arithmetic is that of gpuimg/ops/clahe.hpp.
#include <algorithm>
#include <vector>

#include "count/column_counters.cuh"
#include "count/selected_level.cuh"
#include "device/cuda_check.hpp"
#include "device/cuda_picture.hpp"
#include "device/launch.cuh"
#include "map/pixel_map.cuh"
#include "operations.hpp"

namespace gpuimg::cuda {
namespace {

/// A part of the image that counts in a tile.
struct TilePart {
  Rect region;
  unsigned tile = 0;
};

/// Counts the levels of each part. Blocks in y → parts; thread → pixels of the part, a stride of all blocks in x apart.
/// Up to 256 levels: shared memory as ColumnCounters. Barriers: the columns are clear before any thread adds; all
/// pixels are counted before the columns are summed. More levels: in global memory, equal levels of a warp at once.
template <class T, int kChannels>
__global__ void __launch_bounds__(kColumnThreads, resident_blocks(kColumnThreads, 2))
    count_tiles(CountedPixels counted, LevelSource source, const TilePart* parts, unsigned long long* counts) {
  constexpr bool kIsShared = sizeof(T) == 1;
  extern __shared__ unsigned int columns[];
  const TilePart part = parts[blockIdx.y];
  counted.region = part.region;
  unsigned long long* const own = counts + std::size_t{part.tile} * source.bins;
  if constexpr (kIsShared) {
    for (unsigned i = threadIdx.x; i < kColumnBins * kColumns; i += kColumnThreads) {
      columns[i] = 0;
    }
    __syncthreads();
  }
  const std::uint32_t column = column_address(columns);
  const std::uint64_t pixel_count = counted.pixel_count();
  const std::uint64_t stride = std::uint64_t{gridDim.x} * kColumnThreads;
  for (std::uint64_t i = std::uint64_t{blockIdx.x} * kColumnThreads + threadIdx.x; i < pixel_count; i += stride) {
    std::uint32_t level = 0;
    if (selected_level<T, kChannels>(counted, source, i, level)) {
      if constexpr (kIsShared) {
        count_in_column(column, level);
      } else {
        const unsigned same = __match_any_sync(__activemask(), level);
        if (threadIdx.x % 32 == static_cast<unsigned>(__ffs(static_cast<int>(same)) - 1)) {
          atomicAdd(own + level, static_cast<unsigned long long>(__popc(same)));
        }
      }
    }
  }
  if constexpr (kIsShared) {
    __syncthreads();
    if (threadIdx.x < kColumnBins) {
      unsigned long long sum = 0;
      for (unsigned c = 0; c < kColumns; ++c) {
        sum += columns[threadIdx.x * kColumns + (threadIdx.x + c) % kColumns];  // each lane in its own bank
      }
      if (sum != 0) {
        atomicAdd(own + threadIdx.x, sum);
      }
    }
  }
}

/// The sum over a block of kSegment threads. Barriers: the sum is written before it is read, and read before the next
/// call overwrites it.
__device__ std::uint64_t block_sum(std::uint64_t value, SegmentScratch& scratch) {
  __shared__ std::uint64_t sum;
  const std::uint64_t through = segment_scan(value, scratch);
  if (threadIdx.x == kSegment - 1) {
    sum = through;
  }
  __syncthreads();
  const std::uint64_t all = sum;
  __syncthreads();
  return all;
}

/// Builds the table of a tile as clahe_map does. Block → tile; thread → every 256th level. Barriers: those of the sums.
__global__ void __launch_bounds__(kSegment)
    build_tile_tables(const unsigned long long* counts, std::uint32_t levels, double clip, std::uint16_t* maps) {
  __shared__ SegmentScratch scratch;
  const unsigned long long* const own = counts + std::size_t{blockIdx.x} * levels;
  std::uint16_t* const map = maps + std::size_t{blockIdx.x} * levels;
  std::uint64_t mine = 0;
  for (std::uint32_t level = threadIdx.x; level < levels; level += kSegment) {
    mine += own[level];
  }
  const std::uint64_t counted = block_sum(mine, scratch);
  const std::uint64_t limit = counted == 0 ? 0 : clip_limit(clip, counted, levels);
  mine = 0;
  for (std::uint32_t level = threadIdx.x; level < levels; level += kSegment) {
    mine += own[level] > limit ? own[level] - limit : 0;
  }
  const ClipRule rule = clip_rule(limit, block_sum(mine, scratch), counted == 0 ? 1 : counted, levels);
  std::uint64_t below = 0;
  for (std::uint32_t level = threadIdx.x; level < levels; level += kSegment) {
    const std::uint64_t count = clipped_count(rule, level, own[level]);
    const std::uint64_t cumulative = below + segment_scan(count, scratch);
    below += block_sum(count, scratch);
    map[level] = static_cast<std::uint16_t>(counted == 0 ? level : clahe_level(rule, cumulative, levels - 1));
  }
}

/// How to map the pixels. Pointers are to device memory.
struct TileMapRequest {
  TileGrid grid;
  int first_row = 0;
  float inverse_width = 1.0F;
  float inverse_height = 1.0F;
  const std::uint16_t* maps = nullptr;  ///< as ClaheTables::maps
  EqualizeColor color = EqualizeColor::luma;
  Luma luma = kDefaultLuma;
  double strength = 1.0;
  const std::uint8_t* mask = nullptr;  ///< pixels with mask value 0 stay unchanged
};

/// The tables stay in global memory: those around a place stay in the caches.
template <class T, int kChannels>
struct MapBetweenTiles : PixelOperation<T, kChannels, T, kChannels, 256, 4> {
  TileMapRequest request;
  explicit MapBetweenTiles(const TileMapRequest& how) : request(how) {}

  __device__ __forceinline__ std::uint32_t looked_up(std::uint32_t level, int plane, const TilePlace& x,
                                                     const TilePlace& y) const {
    constexpr std::size_t kLevels = kMaxOf<T> + std::size_t{1};
    const std::uint16_t* maps = request.maps + plane * request.grid.tiles() * kLevels + level;
    const auto entry = [&](int i, int j) {
      const std::size_t tile = static_cast<std::size_t>(j) * request.grid.tiles_x + i;
      return static_cast<float>(__ldg(maps + tile * kLevels));
    };
    return interpolated(
        {entry(x.first, y.first), entry(x.second, y.first), entry(x.first, y.second), entry(x.second, y.second)},
        x.weight, y.weight, kMaxOf<T>);
  }

  __device__ __forceinline__ Rgb mapped(const Rgb& p, const TilePlace& x, const TilePlace& y) const {
    if constexpr (kChannels < 3) {
      const std::uint32_t level = looked_up(p.r, 0, x, y);
      return {level, level, level};
    }
    switch (request.color) {
      case EqualizeColor::rgb: return {looked_up(p.r, 0, x, y), looked_up(p.g, 1, x, y), looked_up(p.b, 2, x, y)};
      case EqualizeColor::ycbcr: {
        YCrCb converted = ycrcb_from_rgb(p, kMaxOf<T>);
        converted.y = looked_up(converted.y, 0, x, y);
        return rgb_from_ycrcb(converted, kMaxOf<T>);
      }
      case EqualizeColor::hsl: return with_hsl_level<T>(p, looked_up(hsl_level(p), 0, x, y));
      default: break;
    }
    const std::uint32_t level = luma_of(request.luma, p.r, p.g, p.b);
    return with_luma<T>(p, level, looked_up(level, 0, x, y));
  }

  template <int n, class Group>
  __device__ __forceinline__ void map(const Group& in, Group& out, std::uint64_t first) const {
    const auto width = static_cast<std::uint64_t>(request.grid.width);
    auto row = static_cast<int>(first / width);
    auto column = static_cast<int>(first - static_cast<std::uint64_t>(row) * width);
#pragma unroll
    for (int p = 0; p < n; ++p) {
      const Rgb from = rgb_of<kChannels>(in, p);
      const bool stays = request.mask != nullptr && __ldg(request.mask + first + p) == 0;
      Rgb to = from;
      if (!stays) {
        to = mapped(from, tile_place(column, request.inverse_width, request.grid.tiles_x),
                    tile_place(request.first_row + row, request.inverse_height, request.grid.tiles_y));
      }
      const auto mixed = [&](std::uint32_t before, std::uint32_t after) {
        return !stays && request.strength < 1.0 ? blended(before, after, request.strength) : after;
      };
      out.put(p * kChannels, mixed(from.r, to.r));
      if constexpr (kChannels >= 3) {
        out.put(p * kChannels + 1, mixed(from.g, to.g));
        out.put(p * kChannels + 2, mixed(from.b, to.b));
      }
      if constexpr (kHasAlpha<kChannels>) {
        out.put(p * kChannels + kChannels - 1, in.get(p * kChannels + kChannels - 1));
      }
      if (++column == request.grid.width) {
        column = 0;
        ++row;
      }
    }
  }
};

template <class T>
void launch_count_tiles(Workspace& workspace, const CountedPixels& counted, const LevelSource& source,
                        const std::vector<TilePart>& parts, const DeviceMemory& counts) {
  constexpr std::uint64_t kPixelsPerBlock = std::uint64_t{kColumnThreads} * 32;
  const DeviceMemory on_device(workspace.device(), parts.size() * sizeof(TilePart));
  cuda_check(cudaMemcpyAsync(on_device.data(), parts.data(), parts.size() * sizeof(TilePart), cudaMemcpyHostToDevice,
                             workspace.stream()),
             "uploading the tiles");
  std::uint64_t most = 0;
  for (const TilePart& part : parts) {
    most =
        std::max(most, static_cast<std::uint64_t>(part.region.width) * static_cast<std::uint64_t>(part.region.height));
  }
  const auto chunks = static_cast<unsigned>(std::clamp<std::uint64_t>(most / kPixelsPerBlock, 1, 4096));
  with_channels(counted.format.channels, [&]<int kChannels>() {
    count_tiles<T, kChannels>
        <<<dim3(chunks, static_cast<unsigned>(parts.size())), kColumnThreads, sizeof(T) == 1 ? kColumnBytes : 0,
           workspace.stream()>>>(counted, source, on_device.as<TilePart>(), counts.as<unsigned long long>());
  });
  check_launch("counting the levels of tiles");
}

/// The selected parts of all tiles.
std::vector<TilePart> tile_parts(const TileGrid& grid, const Rect& region) {
  std::vector<TilePart> parts;
  for (std::size_t tile = 0; tile < grid.tiles(); ++tile) {
    for (const Rect& source : sources_of_tile(grid, tile)) {
      if (const auto part = common_part(region, source)) {
        parts.push_back({*part, static_cast<unsigned>(tile)});
      }
    }
  }
  return parts;
}

void build_tables(Workspace& workspace, const Picture& picture, const ClaheOptions& options, const TileGrid& grid,
                  std::uint16_t* maps) {
  constexpr Channel kColors[] = {Channel::red, Channel::green, Channel::blue};
  const PixelFormat format = picture.format();
  const CountedPixels counted = counted_pixels(picture, options.selection);
  const std::vector<TilePart> parts = tile_parts(grid, counted.region);
  const std::size_t planes = clahe_planes(format, options);
  const std::uint32_t levels = format.max_value() + 1U;
  const DeviceMemory counts(workspace.device(), grid.tiles() * levels * sizeof(unsigned long long));
  for (std::size_t p = 0; p < planes; ++p) {
    const LevelSource source = planes == 3                    ? source_of(kColors[p], options.luma, format, 0)
                               : format.color_channels() == 1 ? source_of(Channel::luma, options.luma, format, 0)
                                                              : source_of(options.color, options.luma, format);
    cuda_check(cudaMemsetAsync(counts.data(), 0, counts.size_bytes(), workspace.stream()), "clearing counts");
    if (format.sample == Sample::u8) {
      launch_count_tiles<std::uint8_t>(workspace, counted, source, parts, counts);
    } else {
      launch_count_tiles<std::uint16_t>(workspace, counted, source, parts, counts);
    }
    build_tile_tables<<<static_cast<unsigned>(grid.tiles()), kSegment, 0, workspace.stream()>>>(
        counts.as<unsigned long long>(), levels, options.clip, maps + p * grid.tiles() * levels);
    check_launch("building the tables of tiles");
  }
}

template <class T>
void launch_map_between(Workspace& workspace, const Picture& from, const Picture& to, const TileMapRequest& request) {
  with_channels(from.format().channels, [&]<int kChannels>() {
    launch_map(workspace, pixels_of(from), pixels_of(to), from.pixel_count(), MapBetweenTiles<T, kChannels>(request),
               "mapping between tiles");
  });
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
  request.inverse_width = 1.0F / static_cast<float>(request.grid.tile_width);
  request.inverse_height = 1.0F / static_cast<float>(request.grid.tile_height);
  request.maps = maps.as<std::uint16_t>();
  request.color = options.color;
  request.luma = options.luma;
  request.strength = options.strength;
  if (options.selection.mask != nullptr) {
    request.mask = reinterpret_cast<const std::uint8_t*>(pixels_of(*options.selection.mask));
  }
  if (picture.format().sample == Sample::u8) {
    launch_map_between<std::uint8_t>(workspace, picture, result, request);
  } else {
    launch_map_between<std::uint16_t>(workspace, picture, result, request);
  }
  return result;
}

}  // namespace gpuimg::cuda
