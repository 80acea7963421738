// Maps pixels by interpolating between the tables of four tiles. 8-bit levels of one plane use tables in shared memory;
// all other levels use tables in global memory. core/ops/clahe.hpp defines the arithmetic.
#include <algorithm>

#include "device/levels.cuh"
#include "map/pixel_map.cuh"
#include "ops/clahe.hpp"
#include "ops/equalize.hpp"

namespace gpuimg::cuda {
namespace {

/// The new color of a pixel; look_up(level, plane) maps its levels.
template <class T, int kChannels, class LookUp>
__device__ __forceinline__ Rgb mapped_color(const TileMapRequest& request, const Rgb& p, const LookUp& look_up) {
  if constexpr (kChannels < 3) {
    const std::uint32_t level = look_up(p.r, 0);
    return {level, level, level};
  }
  switch (request.color) {
    case EqualizeColor::rgb: return {look_up(p.r, 0), look_up(p.g, 1), look_up(p.b, 2)};
    case EqualizeColor::ycbcr: {
      YCrCb converted = ycrcb_from_rgb(p, kMaxOf<T>);
      converted.y = look_up(converted.y, 0);
      return rgb_from_ycrcb(converted, kMaxOf<T>);
    }
    case EqualizeColor::hsl: return with_hsl_level<T>(p, look_up(hsl_level(p), 0));
    default: break;
  }
  const std::uint32_t level = luma_of(request.luma, p.r, p.g, p.b);
  return with_luma<T>(p, level, look_up(level, 0));
}

/// Writes pixel p of a group: mapped, blended with the input, and with the input's alpha.
template <class T, int kChannels, class Group, class LookUp>
__device__ __forceinline__ void map_pixel(const TileMapRequest& request, const Group& in, Group& out, int p,
                                          std::uint64_t index, const LookUp& look_up) {
  const Rgb from = rgb_of<kChannels>(in, p);
  const bool stays = request.mask != nullptr && __ldg(request.mask + index) == 0;
  const Rgb to = stays ? from : mapped_color<T, kChannels>(request, from, look_up);
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
}

/// For any request. The tables stay in global memory; the caches hold the tables around the current pixels.
template <class T, int kChannels>
struct MapBetweenTiles : PixelOperation<T, kChannels, T, kChannels, 256, 4> {
  TileMapRequest request;
  float inverse_width;
  float inverse_height;
  explicit MapBetweenTiles(const TileMapRequest& how)
      : request(how),
        inverse_width(1.0F / static_cast<float>(how.grid.tile_width)),
        inverse_height(1.0F / static_cast<float>(how.grid.tile_height)) {}

  __device__ __forceinline__ std::uint32_t looked_up(std::uint32_t level, int plane, const TilePlace& x,
                                                     const TilePlace& y) const {
    constexpr std::size_t kLevels = kMaxOf<T> + std::size_t{1};
    const std::size_t tiles =
        static_cast<std::size_t>(request.grid.tiles_x) * static_cast<std::size_t>(request.grid.tiles_y);
    const std::uint16_t* maps = request.maps + plane * tiles * kLevels + level;
    const auto entry = [&](int i, int j) {
      const std::size_t tile = static_cast<std::size_t>(j) * request.grid.tiles_x + i;
      return static_cast<float>(__ldg(maps + tile * kLevels));
    };
    return interpolated(
        {entry(x.first, y.first), entry(x.second, y.first), entry(x.first, y.second), entry(x.second, y.second)},
        x.weight, y.weight);
  }

  template <int n, class Group>
  __device__ __forceinline__ void map(const Group& in, Group& out, std::uint64_t first) const {
    const auto width = static_cast<std::uint64_t>(request.grid.width);
    auto row = static_cast<int>(first / width);
    auto column = static_cast<int>(first - static_cast<std::uint64_t>(row) * width);
#pragma unroll
    for (int p = 0; p < n; ++p) {
      const TilePlace x = tile_place(column, inverse_width, request.grid.tiles_x);
      const TilePlace y = tile_place(request.first_row + row, inverse_height, request.grid.tiles_y);
      map_pixel<T, kChannels>(request, in, out, p, first + p,
                              [&](std::uint32_t level, int plane) { return looked_up(level, plane, x, y); });
      if (++column == request.grid.width) {
        column = 0;
        ++row;
      }
    }
  }
};

constexpr int kCellThreads = 256;
constexpr int kCellBlocksPerSm = 4;
constexpr int kCopies = 8;  ///< copies of the tables: eight lanes at a time read 16 bytes each, one lane per copy
constexpr std::uint32_t kLevelBytes = kCopies * sizeof(float4);
constexpr std::size_t kCellBytes = 256 * kLevelBytes;

/// A request to map 8-bit levels of one plane, cell by cell.
struct CellMapRequest {
  TileMapRequest how;
  float inverse_width = 1.0F;
  float inverse_height = 1.0F;
  int rows_per_block = 1;
  CellEdges rows;
  ColumnDeal columns[kMaxTiles + 1];  ///< per column of cells
};

/// Stores the four entries of each level as floats, which need no conversion later. Each lane starts with another copy,
/// so that lanes write to different banks.
__device__ __forceinline__ void fill_cell_tables(const CellMapRequest& request, int cell_x, int cell_y,
                                                 float4* entries) {
  const TileGrid& grid = request.how.grid;
  const auto table = [&](int i, int j) {
    return request.how.maps + (static_cast<std::size_t>(j) * grid.tiles_x + i) * 256 + threadIdx.x;
  };
  static_assert(kCellThreads == 256);  // one thread per level
  const int left = tile_before(cell_x);
  const int right = tile_after(cell_x, grid.tiles_x);
  const int above = tile_before(cell_y);
  const int below = tile_after(cell_y, grid.tiles_y);
  const float4 four = make_float4(__ldg(table(left, above)), __ldg(table(right, above)), __ldg(table(left, below)),
                                  __ldg(table(right, below)));
#pragma unroll
  for (unsigned c = 0; c < kCopies; ++c) {
    entries[threadIdx.x * kCopies + (threadIdx.x + c) % kCopies] = four;
  }
}

/// Pixels that a thread maps at once: at most 16 bytes.
template <int kChannels>
inline constexpr int kVectorPixels = kChannels >= 3 ? 4 : 8;

template <int kChannels, int kPixels>
using CellGroup = Samples<std::uint8_t, kPixels * kChannels>;

template <int kChannels, int kPixels>
__device__ __forceinline__ void map_cell_group(const CellMapRequest& request, const CellGroup<kChannels, kPixels>& in,
                                               CellGroup<kChannels, kPixels>& out, std::uint64_t index,
                                               const std::byte* entries, const TwoWeights* columns, TwoWeights row) {
#pragma unroll
  for (int p = 0; p < kPixels; ++p) {
    const auto looked_up = [&](std::uint32_t level) {
      const float4 four = *reinterpret_cast<const float4*>(entries + level * kLevelBytes);
      return rounded_bits(level_between({four.x, four.y, four.z, four.w}, columns[p], row));
    };
    if constexpr (kChannels == 1 && kPixels > 1) {
      out.put_low_byte(p, looked_up(in.get(p)));
    } else {
      map_pixel<std::uint8_t, kChannels>(request.how, in, out, p, index + p,
                                         [&](std::uint32_t level, int) { return looked_up(level) & 0xFFU; });
    }
  }
}

/// Stores the pixels [first, last) of a group.
template <int kChannels, int kPixels>
__device__ __forceinline__ void store_cell_group(const CellGroup<kChannels, kPixels>& group, std::byte* to, int first,
                                                 int last) {
  if constexpr (kPixels == 1) {
    store_pixel<std::uint8_t, kChannels>(group, to);
  } else if (first <= 0 && last >= kPixels) {
    store(group, to);
  } else {
#pragma unroll
    for (int i = 0; i < kPixels * kChannels; ++i) {
      if (i >= first * kChannels && i < last * kChannels) {
        to[i] = static_cast<std::byte>(group.get(i));
      }
    }
  }
}

/// Block → rows of a cell: blockIdx.y is the cell's column; blockIdx.z its row, from the last to the first, because the
/// pixels that a counting kernel read last are still cached; blockIdx.x the rows within the cell. Thread → groups of
/// kPixels pixels, as ColumnDeal assigns them; it keeps the weights of its columns, and loads kAhead rows before it
/// maps the first. kPixels = 1 supports any width, mask and strength. A larger kPixels must divide the width, and with
/// one channel it requires strength 1 and no mask. Shared memory: eight copies of the cell's tables. Barrier: the
/// copies are complete before any thread reads them.
template <int kChannels, int kPixels>
__global__ void __launch_bounds__(kCellThreads, resident_blocks(kCellThreads, kCellBlocksPerSm))
    map_cells(const std::byte* in, std::byte* out, const __grid_constant__ CellMapRequest request) {
  constexpr int kAhead = kPixels == 1 ? 8 : 4;
  using Group = CellGroup<kChannels, kPixels>;
  extern __shared__ float4 entries[];
  const auto cell_x = static_cast<int>(blockIdx.y);
  const auto cell_y = static_cast<int>(gridDim.z - 1 - blockIdx.z);
  const ColumnDeal& columns = request.columns[cell_x];
  const int begin = request.rows.begin[cell_y] + static_cast<int>(blockIdx.x) * request.rows_per_block;
  const int end = min(begin + request.rows_per_block, request.rows.begin[cell_y + 1]);
  if (begin >= end || columns.groups == 0) {
    return;  // the whole block
  }
  fill_cell_tables(request, cell_x, cell_y, entries);
  __syncthreads();
  const int rows_at_once = columns.rows_at_once;
  const int my_row = static_cast<int>(threadIdx.x) / columns.at_once;
  if (my_row >= rows_at_once) {
    return;
  }
  std::uint32_t copy = threadIdx.x % kCopies * sizeof(float4);
  asm("" : "+r"(copy));  // hides that no bits overlap, so that the compiler forms the address with one multiply-add
  const std::byte* const mine = reinterpret_cast<const std::byte*>(entries) + copy;
  for (int g = static_cast<int>(threadIdx.x) % columns.at_once; g < columns.groups; g += columns.at_once) {
    const int x = (columns.first_group + g) * kPixels;
    TwoWeights weights[kPixels];
#pragma unroll
    for (int p = 0; p < kPixels; ++p) {
      weights[p] = two_weights(weight_in_cell(x + p, request.inverse_width, cell_x));
    }
    for (int first = begin + my_row; first < end; first += kAhead * rows_at_once) {
      const auto index = static_cast<std::uint64_t>(first) * request.how.grid.width + x;
      const std::uint64_t step = static_cast<std::uint64_t>(rows_at_once) * request.how.grid.width;
      Group groups[kAhead];
#pragma unroll
      for (int k = 0; k < kAhead; ++k) {
        if (first + k * rows_at_once < end) {
          const std::byte* const from = in + (index + k * step) * kChannels;
          if constexpr (kPixels == 1) {
            groups[k] = load_pixel<std::uint8_t, kChannels>(from);
          } else {
            load<true>(groups[k], from);
          }
        }
      }
#pragma unroll
      for (int k = 0; k < kAhead; ++k) {
        const int y = first + k * rows_at_once;
        if (y < end) {
          const float below = weight_in_cell(request.how.first_row + y, request.inverse_height, cell_y);
          Group result;
          map_cell_group<kChannels, kPixels>(request, groups[k], result, index + k * step, mine, weights,
                                             two_weights(below));
          store_cell_group<kChannels, kPixels>(result, out + (index + k * step) * kChannels, columns.begin - x,
                                               columns.end - x);
        }
      }
    }
  }
}

template <int kChannels, int kPixels>
void launch_cells(Workspace& workspace, const Picture& from, const Picture& to, const TileMapRequest& how) {
  CellMapRequest request;
  request.how = how;
  request.inverse_width = 1.0F / static_cast<float>(how.grid.tile_width);
  request.inverse_height = 1.0F / static_cast<float>(how.grid.tile_height);
  request.rows = cell_edges(how.first_row, from.height(), how.grid.tile_height, how.grid.tiles_y);
  const CellEdges columns = cell_edges(0, from.width(), how.grid.tile_width, how.grid.tiles_x);
  for (int c = 0; c < columns.cells; ++c) {
    request.columns[c] = deal_columns(columns.begin[c], columns.begin[c + 1], kPixels, kCellThreads);
  }
  int tallest = 0;
  for (int c = 0; c < request.rows.cells; ++c) {
    tallest = std::max(tallest, request.rows.begin[c + 1] - request.rows.begin[c]);
  }
  constexpr std::uint64_t kMinPixels = 1 << 13;  // filling the tables costs as much as mapping about 1,000 pixels
  constexpr std::uint64_t kMaxPixels = 1 << 16;
  constexpr int kWaves = 4;  // the last wave may not fill the device, so it should be short
  const auto wanted = static_cast<std::uint64_t>(workspace.device()->multiprocessors() * kCellBlocksPerSm * kWaves);
  request.rows_per_block = rows_per_block_of(how.grid.tile_width, from.pixel_count(), wanted, kMinPixels, kMaxPixels);
  const auto chunks = static_cast<unsigned>((tallest - 1) / request.rows_per_block + 1);
  map_cells<kChannels, kPixels>
      <<<dim3(chunks, static_cast<unsigned>(columns.cells), static_cast<unsigned>(request.rows.cells)), kCellThreads,
         kCellBytes, workspace.stream()>>>(pixels_of(from), pixels_of(to), request);
  check_launch("mapping the cells between tiles");
}

}  // namespace

void map_between_tiles(Workspace& workspace, const Picture& from, const Picture& to, const TileMapRequest& request) {
  with_channels(from.format().channels, [&]<int kChannels>() {
    const bool is_plain = request.strength == 1.0 && request.mask == nullptr;
    const bool has_one_plane = kChannels < 3 || request.color != EqualizeColor::rgb;
    if (from.format().sample == Sample::u16) {
      launch_map(workspace, pixels_of(from), pixels_of(to), from.pixel_count(),
                 MapBetweenTiles<std::uint16_t, kChannels>(request), "mapping between tiles");
    } else if (!has_one_plane) {
      launch_map(workspace, pixels_of(from), pixels_of(to), from.pixel_count(),
                 MapBetweenTiles<std::uint8_t, kChannels>(request), "mapping between tiles");
    } else if (is_plain && from.width() % kVectorPixels<kChannels> == 0) {
      launch_cells<kChannels, kVectorPixels<kChannels>>(workspace, from, to, request);
    } else {
      launch_cells<kChannels, 1>(workspace, from, to, request);
    }
  });
}

}  // namespace gpuimg::cuda
