// The integral operation on the device: extracts the plane to sum, allocates the table, and sums tiles in one launch.
// scan/integral_tiles.cuh describes the data of the kernel and how tiles exchange sums.
// Specified in docs/operations.md, "Integral image".
#include <algorithm>
#include <memory>
#include <utility>

#include "device/cuda_picture.hpp"
#include "map/pixel_map.cuh"
#include "operations.hpp"
#include "scan/integral_tiles.cuh"
#include "window/table.hpp"

namespace gpuimg::cuda {
namespace {

// --- The kernel ------------------------------------------------------------------------------------------------------

__device__ __forceinline__ std::uint32_t bits_of(std::uint32_t entry) { return entry; }
__device__ __forceinline__ std::uint32_t bits_of(float entry) { return __float_as_uint(entry); }
__device__ __forceinline__ std::uint64_t bits_of(std::uint64_t entry) { return entry; }
__device__ __forceinline__ std::uint64_t bits_of(double entry) {
  return static_cast<std::uint64_t>(__double_as_longlong(entry));
}

/// Stores 16 bytes of entries at an aligned address. No kernel reads the table again, so it need not stay cached.
template <class Entry>
__device__ __forceinline__ void store_word(Entry* to, const Entry* from) {
  uint4 word;
  if constexpr (sizeof(Entry) == 4) {
    word = make_uint4(bits_of(from[0]), bits_of(from[1]), bits_of(from[2]), bits_of(from[3]));
  } else {
    const std::uint64_t a = bits_of(from[0]);
    const std::uint64_t b = bits_of(from[1]);
    word = make_uint4(static_cast<unsigned>(a), static_cast<unsigned>(a >> 32), static_cast<unsigned>(b),
                      static_cast<unsigned>(b >> 32));
  }
  __stcs(reinterpret_cast<uint4*>(to), word);
}

/// Stores the lane's entries of one row. Only the first `present` entries lie inside the table; if `present` is
/// negative, none do.
template <class Entry>
__device__ __forceinline__ void store_entries(Entry* to, const Entry (&v)[kLanePixels], int present) {
  constexpr int kPerWord = static_cast<int>(kStoreBytes / sizeof(Entry));
  if (present == kLanePixels) {
#pragma unroll
    for (int i = 0; i < kLanePixels; i += kPerWord) {
      store_word(to + i, v + i);
    }
    return;
  }
#pragma unroll
  for (int i = 0; i < kLanePixels - 1; ++i) {
    if (i < present) {
      to[i] = v[i];
    }
  }
}

/// Clears row 0 and column 0 of a padded table.
template <class Tile>
__device__ void clear_borders(const TableJob& job, const Place<Tile>& place) {
  auto* table = static_cast<typename Tile::Entry*>(job.table);
  if (place.tile_y == 0) {
    for (int c = static_cast<int>(threadIdx.x); c < Tile::kColumns; c += Tile::kThreads) {
      const std::int64_t x = std::int64_t{place.tile_x} * Tile::kColumns + c;
      if (x < job.width) {
        table[x - job.table_pitch] = 0;
      }
    }
    if (place.tile == 0 && threadIdx.x == 0) {
      table[-job.table_pitch - 1] = 0;
    }
  }
  if (place.tile_x == 0) {
    for (int r = static_cast<int>(threadIdx.x); r < Tile::kRows; r += Tile::kThreads) {
      const std::int64_t y = place.tile_y * Tile::kRows + r;
      if (y < job.height) {
        table[y * job.table_pitch - 1] = 0;
      }
    }
  }
}

/// Writes the warp's rows in order, some at a time. An entry is the entry above it plus the row's prefix sum, which
/// includes the sum left of the warp.
template <class Tile>
struct RowWriter {
  using Sum = typename Tile::Sum;
  using Entry = typename Tile::Entry;
  Sum entries[kLanePixels];

  /// Call once column_sums holds the entries above each warp.
  __device__ void start(const Place<Tile>& place, const TileShared<Tile>& shared) {
#pragma unroll
    for (int i = 0; i < kLanePixels; ++i) {
      entries[i] = shared.column_sums[place.warp_y][place.column() + i];
    }
  }

  template <int first, int last>
  __device__ __forceinline__ void write(const TableJob& job, const Place<Tile>& place, const TileShared<Tile>& shared,
                                        const Rows<Tile>& rows) {
    const std::int64_t x = place.x();
    const auto present = static_cast<int>(min(std::int64_t{kLanePixels}, job.width - x));
    const auto rows_left = static_cast<int>(min(std::int64_t{Tile::kWarpRows}, job.height - place.y()));
    auto* to = static_cast<Entry*>(job.table) + (place.y() + first) * job.table_pitch + x;
#pragma unroll
    for (int r = first; r < last; r += 2) {
      if (r >= rows_left) {
        break;
      }
      Sum before[2];
      const typename Rows<Tile>::Four pair[2] = {rows.at(r), rows.at(r + 1)};
      sums_before_lane<Tile>(pair, before);
#pragma unroll
      for (int k = 0; k < 2; ++k) {
        const Sum left = before[k] + shared.row_sums[place.warp_y * Tile::kWarpRows + r + k][place.warp_x];
        add_row<Tile>(pair[k], left, entries);
        Entry out[kLanePixels];
#pragma unroll
        for (int i = 0; i < kLanePixels; ++i) {
          out[i] = table_entry<Entry>(entries[i]);
        }
        if (r + k < rows_left) {
          store_entries(to, out, present);
        }
        to += job.table_pitch;
      }
    }
  }
};

/// Sums the warp's columns into `columns`, and its rows into shared.row_sums.
template <class Tile>
__device__ __forceinline__ void sum_rows_and_columns(const Place<Tile>& place, const Rows<Tile>& rows,
                                                     TileShared<Tile>& shared,
                                                     typename Tile::Sum (&columns)[kLanePixels]) {
  using Sum = typename Tile::Sum;
  auto* row_sums = shared.row_sums + place.warp_y * Tile::kWarpRows;
  if constexpr (Tile::kPairsRows) {
    std::uint32_t even = 0;  // two columns each: sums of 32 rows of 255 fit in 16 bits
    std::uint32_t odd = 0;
    std::uint32_t pair_total = 0;  // totals of rows 2 · lane and 2 · lane + 1
#pragma unroll
    for (int r = 0; r < Tile::kWarpRows; r += 2) {
      const std::uint32_t upper = rows.at(r).words[0];
      const std::uint32_t lower = rows.at(r + 1).words[0];
      even += (upper & 0x00FF00FFU) + (lower & 0x00FF00FFU);
      odd += (upper >> 8 & 0x00FF00FFU) + (lower >> 8 & 0x00FF00FFU);
      const std::uint32_t total = warp_total(sum_of_bytes<4>(upper) + (sum_of_bytes<4>(lower) << 16));
      pair_total = place.lane == r / 2 ? total : pair_total;
    }
    if (place.lane < Tile::kWarpRows / 2) {
      row_sums[2 * place.lane][place.warp_x] = pair_total & 0xFFFFU;
      row_sums[2 * place.lane + 1][place.warp_x] = pair_total >> 16;
    }
    columns[0] = even & 0xFFFFU;
    columns[1] = odd & 0xFFFFU;
    columns[2] = even >> 16;
    columns[3] = odd >> 16;
  } else {
    Sum row_total = 0;  // total of row `lane`
#pragma unroll
    for (int r = 0; r < Tile::kWarpRows; ++r) {
      const auto four = rows.at(r);
      Sum sum = 0;
#pragma unroll
      for (int i = 0; i < kLanePixels; ++i) {
        const Sum value = value_of<Tile>(four, i);
        columns[i] += value;
        sum += value;
      }
      const Sum total = warp_total(sum);
      row_total = place.lane == r ? total : row_total;
    }
    if (place.lane < Tile::kWarpRows) {
      row_sums[place.lane][place.warp_x] = row_total;
    }
  }
}

/// Extends each warp's column sums to whole rows: writes prefix sums over the columns, including the part of the rows
/// left of the tile, to shared.column_sums.
template <class Tile>
__device__ __forceinline__ void spread_columns(const Place<Tile>& place, TileShared<Tile>& shared,
                                               typename Tile::Sum (&columns)[kLanePixels]) {
  using Sum = typename Tile::Sum;
  const Sum left_of_row = place.lane < Tile::kWarpRows
                              ? shared.row_sums[place.warp_y * Tile::kWarpRows + place.lane][place.warp_x]
                              : Sum{0};
  const Sum left_of_rows = warp_total(left_of_row);
#pragma unroll
  for (int i = 1; i < kLanePixels; ++i) {
    columns[i] += columns[i - 1];
  }
  const Sum left = sum_before_lane(columns[kLanePixels - 1]) + left_of_rows;
#pragma unroll
  for (int i = 0; i < kLanePixels; ++i) {
    shared.column_sums[place.warp_y][place.column() + i] = left + columns[i];
  }
}

/// Block → one tile. The tile comes from the ticket counter, so the tiles to the left and above belong to blocks that
/// are already running. Warp → 128 columns and kWarpRows rows; lane → 4 columns, whose pixels stay in registers or in
/// shared memory. Shared memory: TileShared, followed by the staged pixels. Barriers: the ticket is written; the warps'
/// row sums are complete; the sums left of each warp are complete; the warps' column sums are complete; the entries
/// above each warp are complete.
template <class Tile>
__global__ void __launch_bounds__(Tile::kThreads, Tile::kBlocks) sum_tiles(TableJob job) {
  using Sum = typename Tile::Sum;
  __shared__ TileShared<Tile> shared;
  if (threadIdx.x == 0) {
    shared.ticket = atomicAdd(job.ticket, 1U);
    if (shared.ticket == job.tiles - 1) {
      *job.ticket = 0;  // this is the last tile: reset the counter for the next launch
    }
  }
  __syncthreads();
  const Place<Tile> place(job, shared.ticket);

  extern __shared__ uint4 staged[];
  Rows<Tile> rows(reinterpret_cast<std::byte*>(staged));
  load_rows<Tile>(job, place, rows);
  wait_for_rows<Tile>();
  Sum columns[kLanePixels] = {};
  sum_rows_and_columns<Tile>(place, rows, shared, columns);
  __syncthreads();
  publish_rows(job, place, shared);
  resolve_rows(job, place, shared);
  __syncthreads();
  spread_columns<Tile>(place, shared, columns);
  __syncthreads();
  Columns<Tile> own;
  own.publish(job, place, shared);
  own.resolve(job, place, shared);
  if (job.padded) {
    clear_borders(job, place);
  }
  __syncthreads();
  RowWriter<Tile> writer;
  writer.start(place, shared);
  writer.template write<0, Tile::kWarpRows>(job, place, shared, rows);
}

/// Like sum_tiles, for large images. The grid has only as many blocks as run at the same time, and each block works one
/// tile ahead: it publishes the row sums of the next tile before it writes the first half of the current tile, and the
/// column sums over whole rows before it writes the second half. So another block that looks back usually finds the
/// sums already published. Waiting cannot deadlock, because every block finishes its tiles in the order of their
/// tickets. Warp and lane as in sum_tiles, with the same barriers between the same steps. One more barrier comes before
/// the next ticket is taken: all threads have written the current tile, whose memory the new tile reuses. Shared
/// memory: two tiles, each with a TileShared and its staged pixels.
template <class Tile>
__global__ void __launch_bounds__(Tile::kThreads, Tile::kBlocks) sum_tiles_ahead(TableJob job) {
  using Sum = typename Tile::Sum;
  constexpr int kHalf = Tile::kWarpRows / 2;
  extern __shared__ uint4 staged[];
  __shared__ TileShared<Tile> tiles[2];
  const auto rows_of = [&](int b) {
    return Rows<Tile>(reinterpret_cast<std::byte*>(staged) + b * Rows<Tile>::kStagedBytes);
  };
  // Takes a ticket and begins to load its tile into half b, which no thread uses any more. Returns the ticket; if it is
  // not below job.tiles, no tile is left.
  const auto take_next = [&](int b) {
    TileShared<Tile>& tile = tiles[b];
    if (threadIdx.x == 0) {
      tile.ticket = atomicAdd(job.ticket, 1U);
      if (tile.ticket == job.tiles - 1 + gridDim.x) {
        *job.ticket = 0;  // every block has now found that no tile is left: reset the counter for the next launch
      }
    }
    __syncthreads();
    if (tile.ticket < job.tiles) {
      Rows<Tile> rows = rows_of(b);
      load_rows<Tile>(job, Place<Tile>(job, tile.ticket), rows);
    }
    return tile.ticket;
  };
  unsigned int next = take_next(0);
  unsigned int current = 0;
  bool has_current = false;
  for (int b = 0; has_current || next < job.tiles; b = 1 - b) {
    TileShared<Tile>& shared = tiles[b];  // of the next tile; the current tile uses tiles[1 - b]
    const bool has_next = next < job.tiles;
    const Place<Tile> place(job, has_next ? next : current);
    const Place<Tile> written(job, current);
    Sum sums[kLanePixels] = {};
    Columns<Tile> columns;
    RowWriter<Tile> writer;
    if (has_next) {
      wait_for_rows<Tile>();
      sum_rows_and_columns<Tile>(place, rows_of(b), shared, sums);
      __syncthreads();
      publish_rows(job, place, shared);
    }
    if (has_current) {
      writer.start(written, tiles[1 - b]);
      writer.template write<0, kHalf>(job, written, tiles[1 - b], rows_of(1 - b));
    }
    if (has_next) {
      resolve_rows(job, place, shared);
      __syncthreads();
      spread_columns<Tile>(place, shared, sums);
      __syncthreads();
      columns.publish(job, place, shared);
    }
    if (has_current) {
      writer.template write<kHalf, Tile::kWarpRows>(job, written, tiles[1 - b], rows_of(1 - b));
    }
    current = next;
    has_current = has_next;
    if (has_next) {
      __syncthreads();  // all threads have read the other half
      next = take_next(1 - b);
      columns.resolve(job, place, shared);
      if (job.padded) {
        clear_borders(job, place);
      }
      __syncthreads();
    }
  }
}

/// Sets the numbers of tiles, their states and the epoch; the caller must have set the job's other members.
template <class Tile>
void prepare_tiles(Workspace& workspace, TableJob& job) {
  using State = typename Tile::State;
  constexpr std::uint32_t kLastEpoch = 0x7FFFFFFFU;
  constexpr std::size_t kTicketBytes = 256;
  job.tiles_across = (job.width - 1) / Tile::kColumns + 1;
  job.tiles = std::int64_t{job.tiles_across} * ((job.height - 1) / Tile::kRows + 1);
  if (job.tiles > std::int64_t{0x7FFFFFFF}) {
    throw Error(ErrorKind::unsupported, "integral: the image is too large; split it into parts");
  }
  if (workspace.lookback_epoch >= kLastEpoch) {
    workspace.lookback_states.reset();
    workspace.lookback_epoch = 0;
  }
  const auto tiles = static_cast<std::size_t>(job.tiles);
  const std::size_t row_bytes = tiles * Tile::kRows * sizeof(State);
  const std::size_t column_bytes = tiles * Tile::kColumns * sizeof(State);
  std::byte* memory = workspace.zeroed(workspace.lookback_states, kTicketBytes + row_bytes + column_bytes).data();
  job.ticket = reinterpret_cast<unsigned int*>(memory);
  job.row_states = memory + kTicketBytes;
  job.column_states = memory + kTicketBytes + row_bytes;
  job.epoch = ++workspace.lookback_epoch;
}

/// Launches tiles of this kind. The job's pixels, table, size and flags must be set.
template <class Tile>
void launch_sum_tiles(Workspace& workspace, TableJob job) {
  prepare_tiles<Tile>(workspace, job);
  allow_shared_bytes(workspace, sum_tiles<Tile>, Rows<Tile>::kStagedBytes);
  sum_tiles<Tile>
      <<<static_cast<unsigned>(job.tiles), Tile::kThreads, Rows<Tile>::kStagedBytes, workspace.stream()>>>(job);
  check_launch("summing tiles");
}

/// Like launch_sum_tiles, but with sum_tiles_ahead, for images of many more tiles than run at the same time.
template <class Tile>
void launch_sum_tiles_ahead(Workspace& workspace, TableJob job) {
  constexpr std::size_t kBytes = 2 * Rows<Tile>::kStagedBytes;
  prepare_tiles<Tile>(workspace, job);
  const auto at_once = std::int64_t{workspace.device()->multiprocessors()} * Tile::kBlocks;
  const auto blocks = static_cast<unsigned>(std::min(job.tiles, at_once));
  allow_shared_bytes(workspace, sum_tiles_ahead<Tile>, kBytes);
  sum_tiles_ahead<Tile><<<blocks, Tile::kThreads, kBytes, workspace.stream()>>>(job);
  check_launch("summing tiles");
}

// --- The shapes of tiles ---------------------------------------------------------------------------------------------

// Tall tiles publish fewer sums. Narrow tiles give a small image enough blocks.
using ManyTiles = Shape<32, 2, 4, 3, 1, true>;
using LargeImages = Shape<32, 4, 4, 2, 1, true>;
using SmallImages = Shape<8, 1, 8, 2, 4, false>;
using WideSums = Shape<16, 4, 4, 2, 2, false>;

template <bool squares>
void launch_u8(Workspace& workspace, const TableJob& job, Sample type) {
  using Pixel = std::uint8_t;
  using Large = Tile<Pixel, std::uint32_t, State32, false, LargeImages>;
  using Ahead = Tile<Pixel, std::uint32_t, State32, false, ManyTiles>;
  constexpr std::int64_t kMinPixelsForTallTiles = std::int64_t{1} << 23;
  constexpr std::int64_t kMinPixelsForWorkAhead = std::int64_t{1} << 25;
  const std::int64_t pixels = std::int64_t{job.width} * job.height;
  switch (type) {
    case Sample::u32:
      if constexpr (squares) {
        launch_sum_tiles<Tile<Pixel, std::uint32_t, State32, squares, WideSums>>(workspace, job);
      } else if (pixels >= kMinPixelsForWorkAhead &&
                 fits_shared_memory(workspace, sum_tiles_ahead<Ahead>, 2 * Rows<Ahead>::kStagedBytes)) {
        launch_sum_tiles_ahead<Ahead>(workspace, job);
      } else if (pixels >= kMinPixelsForTallTiles &&
                 fits_shared_memory(workspace, sum_tiles<Large>, Rows<Large>::kStagedBytes)) {
        launch_sum_tiles<Large>(workspace, job);
      } else {
        launch_sum_tiles<Tile<Pixel, std::uint32_t, State32, squares, SmallImages>>(workspace, job);
      }
      break;
    case Sample::u64: launch_sum_tiles<Tile<Pixel, std::uint64_t, State64, squares, WideSums>>(workspace, job); break;
    case Sample::f32: launch_sum_tiles<Tile<Pixel, float, State64, squares, WideSums>>(workspace, job); break;
    default: launch_sum_tiles<Tile<Pixel, double, State64, squares, WideSums>>(workspace, job); break;
  }
}

using AnyImage = Shape<16, 4, 4, 2, 2, false>;

template <bool squares>
void launch_u16(Workspace& workspace, const TableJob& job, Sample type) {
  using Pixel = std::uint16_t;
  switch (type) {
    case Sample::u32: launch_sum_tiles<Tile<Pixel, std::uint32_t, State32, squares, AnyImage>>(workspace, job); break;
    case Sample::u64: launch_sum_tiles<Tile<Pixel, std::uint64_t, State64, squares, AnyImage>>(workspace, job); break;
    case Sample::f32: launch_sum_tiles<Tile<Pixel, float, State64, squares, AnyImage>>(workspace, job); break;
    default: launch_sum_tiles<Tile<Pixel, double, State64, squares, AnyImage>>(workspace, job); break;
  }
}

// --- The operation ---------------------------------------------------------------------------------------------------

/// An uninitialized table. In every row, the entry of pixel 0 starts at a cache line. In narrow tables, where that
/// would multiply the size, it starts at a multiple of 16 bytes instead. Without this alignment, the rows of a padded
/// table, w + 1 entries long, would start at any address, and stores would straddle words.
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

// --- The plane to sum ------------------------------------------------------------------------------------------------

template <class T, int kChannels>
struct ExtractLevel : PixelOperation<T, kChannels, T, 1, 256, 4> {
  LevelSource source;
  explicit ExtractLevel(const LevelSource& what) : source(what) {}

  template <int n, class In, class Out>
  __device__ __forceinline__ void map(const In& in, Out& out, std::uint64_t) const {
#pragma unroll
    for (int p = 0; p < n; ++p) {
      Samples<T, kChannels> pixel;
#pragma unroll
      for (int c = 0; c < kChannels; ++c) {
        pixel.put(c, in.get(p * kChannels + c));
      }
      out.put(p, level_of_pixel<T, kChannels>(pixel, source));
    }
  }
};

template <class T>
void launch_extract_level(Workspace& workspace, const Picture& from, const Picture& to, const LevelSource& source) {
  with_channels(from.format().channels, [&]<int kChannels>() {
    launch_map(workspace, pixels_of(from), pixels_of(to), from.pixel_count(), ExtractLevel<T, kChannels>(source),
               "extracting levels");
  });
}

}  // namespace

Picture level_plane(Workspace& workspace, const Picture& picture, const LevelSource& source) {
  Picture plane = new_picture(workspace.device(), picture.width(), picture.height(), {picture.format().sample, 1});
  if (picture.format().sample == Sample::u8) {
    launch_extract_level<std::uint8_t>(workspace, picture, plane, source);
  } else {
    launch_extract_level<std::uint16_t>(workspace, picture, plane, source);
  }
  clear_tail(plane, workspace.stream());
  return plane;
}

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
    job.square ? launch_u8<true>(workspace, job, type) : launch_u8<false>(workspace, job, type);
  } else {
    job.square ? launch_u16<true>(workspace, job, type) : launch_u16<false>(workspace, job, type);
  }
  return table;
}

}  // namespace gpuimg::cuda
