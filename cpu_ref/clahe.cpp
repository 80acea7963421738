// CLAHE on the CPU: counts each tile and builds its table, then maps each cell (the pixels between four tile centers).
// Specified in docs/operations.md, "CLAHE".
#include "ops/clahe.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "levels.hpp"
#include "operations.hpp"
#include "parallel_loops.hpp"
#include "pixel_rows.hpp"

namespace gpuimg::cpu {
namespace {

/// The levels that one pass counts and maps: the level that the color mode defines, or one of three channels.
struct Plane {
  ConstView pixels;
  const ClaheOptions& options;
  std::optional<Channel> channel;  ///< nullopt: the level of a color image that the color mode defines

  /// The levels of `count` pixels of row y, from pixel `first` on. Fills `buffer` only if they do not exist in memory.
  template <class T, int channels>
  const T* levels(int y, int first, int count, T* buffer) const {
    if (channel) {
      return read_levels<T>(pixels, y, first, count, *channel, options.luma, buffer);
    }
    if constexpr (channels >= 3) {
      const T* row = pixels.row<T>(y) + static_cast<std::size_t>(first) * channels;
      read_table_levels<T, channels>(row, static_cast<std::size_t>(count), options.color, options.luma, buffer);
    }
    return buffer;
  }
};

/// Counts tiles one after another, on a single thread.
template <class T>
class TileCounter {
 public:
  explicit TileCounter(int width)
      : counters_(kLevels * kCounters),
        totals_(kLevels),
        levels_(static_cast<std::size_t>(width)),
        flags_(static_cast<std::size_t>(width)) {}

  /// Writes the table of a tile.
  template <int channels>
  void make_table(const Plane& plane, const TileGrid& grid, std::size_t tile, std::uint16_t* map) {
    const Rect whole{0, 0, grid.width, grid.height};
    const Rect region = plane.options.selection.region.value_or(whole);
    for (const Rect& source : sources_of_tile(grid, tile)) {
      if (const auto part = common_part(region, source)) {
        count_part<channels>(plane, *part);
      }
    }
    if constexpr (sizeof(T) == 2) {
      if (!is_flushed_ && plane.options.full_bins) {
        clahe_map_16(counters_.data(), plane.options.clip, map);
        unflushed_ = 0;
        return;
      }
    }
    flush();
    clahe_map(totals_.data(), static_cast<std::uint32_t>(kLevels), plane.options, map);
    std::fill(totals_.begin(), totals_.end(), 0U);
    is_flushed_ = false;
  }

 private:
  static constexpr std::size_t kLevels = kMaxOf<T> + std::size_t{1};
  static constexpr std::size_t kCounters = sizeof(T) == 1 ? kByteCounters : 1;  ///< adjacent counters per level
  static constexpr std::uint64_t kMaxUnflushed = (std::uint64_t{1} << 31) - 1;

  template <int channels>
  void count_part(const Plane& plane, const Rect& part) {
    Selection selection = plane.options.selection;
    selection.region = part;
    const CountedPixels counted(plane.pixels, selection);
    const auto width = static_cast<std::size_t>(part.width);
    for (int y = 0; y < part.height; ++y) {
      if (unflushed_ + width > kMaxUnflushed) {
        flush();
      }
      unflushed_ += width;
      const T* levels = plane.levels<T, channels>(part.y + y, part.x, part.width, levels_.data());
      if (!counted.all()) {
        counted.flags(y, flags_.data());
        for (std::size_t x = 0; x < width; ++x) {
          counters_[levels[x] * kCounters] += flags_[x];
        }
      } else if constexpr (sizeof(T) == 1) {
        count_bytes(levels, width, counters_.data());
      } else {
        for (std::size_t x = 0; x < width; ++x) {
          ++counters_[levels[x]];
        }
      }
    }
  }

  void flush() {
    for (std::size_t level = 0; level < kLevels; ++level) {
      for (std::size_t c = 0; c < kCounters; ++c) {
        totals_[level] += counters_[level * kCounters + c];
      }
    }
    std::fill(counters_.begin(), counters_.end(), 0U);
    unflushed_ = 0;
    is_flushed_ = true;
  }

  std::vector<std::uint32_t> counters_;
  std::vector<std::uint64_t> totals_;
  std::vector<T> levels_;
  std::vector<std::uint8_t> flags_;
  std::uint64_t unflushed_ = 0;
  bool is_flushed_ = false;  ///< the totals already contain counts
};

/// Writes tables of V + 1 entries for all tiles in the rows [begin, end) of tiles.
template <class T, int channels>
void make_tables(const Plane& plane, const TileGrid& grid, int begin, int end, std::uint16_t* maps) {
  constexpr std::size_t kLevels = kMaxOf<T> + std::size_t{1};
  const auto first = static_cast<std::size_t>(begin * grid.tiles_x);
  PerThread<TileCounter<T>> counters([&] { return TileCounter<T>(grid.width); });
  for_each_index(begin * grid.tiles_x, end * grid.tiles_x, [&](int i) {
    const auto tile = static_cast<std::size_t>(i);
    counters.local().template make_table<channels>(plane, grid, tile, maps + (tile - first) * kLevels);
  });
}

/// The tables of several consecutive rows of tiles.
struct TableRows {
  const TileGrid& grid;
  std::size_t levels = 0;
  int first_row = 0;  ///< first row of tiles
  const std::uint16_t* maps = nullptr;

  [[nodiscard]] const std::uint16_t* of(int i, int j) const {
    const auto tile =
        static_cast<std::size_t>(j - first_row) * static_cast<std::size_t>(grid.tiles_x) + static_cast<std::size_t>(i);
    return maps + tile * levels;
  }
};

/// Some rows of a cell. Row numbers count from the first row of the picture.
struct CellRows {
  int cell_x = 0;
  int cell_y = 0;
  int begin = 0;
  int end = 0;
};

/// How the columns and rows of a picture are divided into cells.
struct Cells {
  CellEdges across;
  CellEdges down;
  std::vector<float> right;  ///< per column: weight of the right tile
  float inverse_height = 1.0F;

  Cells(const TileGrid& grid, int first_row, int height)
      : across(cell_edges(0, grid.width, grid.tile_width, grid.tiles_x)),
        down(cell_edges(first_row, height, grid.tile_height, grid.tiles_y)),
        right(static_cast<std::size_t>(grid.width)),
        inverse_height(1.0F / static_cast<float>(grid.tile_height)) {
    const float inverse = 1.0F / static_cast<float>(grid.tile_width);
    for (int x = 0; x < grid.width; ++x) {
      right[static_cast<std::size_t>(x)] = tile_place(x, inverse, grid.tiles_x).weight;
    }
  }

  /// Splits rows [begin, end) of cells into parts, so that all threads have work.
  [[nodiscard]] std::vector<CellRows> parts(int begin, int end, std::uint64_t pixels_per_part) const {
    std::vector<CellRows> all;
    for (int j = begin; j < end; ++j) {
      for (int i = 0; i < across.cells; ++i) {
        const int width = across.begin[i + 1] - across.begin[i];
        const int rows = rows_per_block_of(width, 0, 1, pixels_per_part, pixels_per_part);
        for (int y = down.begin[j]; width > 0 && y < down.begin[j + 1]; y += std::min(rows, down.begin[j + 1] - y)) {
          all.push_back({i, j, y, y + std::min(rows, down.begin[j + 1] - y)});
        }
      }
    }
    return all;
  }
};

/// The four tables around a cell, in the form that maps its pixels fastest. Each thread has its own.
template <class T>
class CellTables {
 public:
  /// Prepares for mapping `pixels` pixels.
  void prepare(const TableRows& tables, const CellRows& cell, std::size_t pixels) {
    const int right = tile_after(cell.cell_x, tables.grid.tiles_x);
    const int below = tile_after(cell.cell_y, tables.grid.tiles_y);
    four_ = {tables.of(tile_before(cell.cell_x), tile_before(cell.cell_y)), tables.of(right, tile_before(cell.cell_y)),
             tables.of(tile_before(cell.cell_x), below), tables.of(right, below)};
    is_joined_ = sizeof(T) == 1 || pixels >= tables.levels;
    if (is_joined_) {
      words_.resize(tables.levels);
      join_tables(four_.data(), tables.levels, words_.data());
    }
  }

  void map(const T* levels, std::size_t count, const float* right, float below, T* out) const {
    if constexpr (sizeof(T) == 2) {
      if (!is_joined_) {
        interpolate_levels(levels, count, four_.data(), right, below, out);
        return;
      }
    }
    interpolate_levels(levels, count, words_.data(), right, below, out);
  }

 private:
  using Word = std::conditional_t<sizeof(T) == 1, std::uint32_t, std::uint64_t>;
  std::array<const std::uint16_t*, 4> four_{};
  std::vector<Word> words_;  ///< the four entries of each level, side by side
  bool is_joined_ = false;
};

/// Writes the mapped levels of a plane into the pixels of a row.
template <class T, int channels>
void write_plane(const Plane& plane, const T* in, const T* levels, const T* levels_new, std::size_t count, T* out) {
  if constexpr (channels >= 3) {
    if (!plane.channel) {
      set_table_levels<T, channels>(in, count, plane.options.color, levels, levels_new, out);
      return;
    }
  }
  const std::size_t at = plane.channel == Channel::green ? 1 : plane.channel == Channel::blue ? 2 : 0;
  for (std::size_t x = 0; x < count; ++x) {
    out[x * channels + at] = levels_new[x];
  }
}

/// Completes a row after all planes are written: alpha, strength and mask. `mask` begins at the row's first pixel.
template <class T, int channels>
void finish_row(const T* in, const ClaheOptions& options, const std::uint8_t* mask, std::size_t count, T* out) {
  copy_alpha<T, channels>(in, out, count);
  if (options.strength < 1.0) {
    blend_row<T, channels>(in, out, count, options.strength);
  }
  if (mask != nullptr) {
    restore_masked<T, channels>(in, out, count, mask);
  }
}

template <class T>
struct Scratch {
  CellTables<T> tables;
  std::vector<T> levels;
  std::vector<T> levels_new;
};

template <class T, int channels>
void map_part(const Plane& plane, const Cells& cells, const CellRows& part, Scratch<T>& scratch, View out,
              bool is_last) {
  const int first = cells.across.begin[part.cell_x];
  const int width = cells.across.begin[part.cell_x + 1] - first;
  const auto count = static_cast<std::size_t>(width);
  const auto at = static_cast<std::size_t>(first);
  const int first_row = plane.options.tables != nullptr ? plane.options.tables->first_row : 0;
  const Picture* const mask = plane.options.selection.mask;
  scratch.levels.resize(count);
  scratch.levels_new.resize(count);
  for (int y = part.begin; y < part.end; ++y) {
    const T* levels = plane.levels<T, channels>(y, first, width, scratch.levels.data());
    const T* in = plane.pixels.row<T>(y) + at * channels;
    T* row = out.row<T>(y) + at * channels;
    T* levels_new = channels == 1 ? row : scratch.levels_new.data();
    scratch.tables.map(levels, count, cells.right.data() + at,
                       weight_in_cell(first_row + y, cells.inverse_height, part.cell_y), levels_new);
    if constexpr (channels > 1) {
      write_plane<T, channels>(plane, in, levels, levels_new, count, row);
    }
    if (is_last) {
      finish_row<T, channels>(in, plane.options, mask != nullptr ? pixels_of(*mask).row<std::uint8_t>(y) + at : nullptr,
                              count, row);
    }
  }
}

/// Maps the rows [begin, end) of cells.
template <class T, int channels>
void map_cells(const Plane& plane, const Cells& cells, const TableRows& tables, int begin, int end, View out,
               bool is_last) {
  constexpr std::uint64_t kPixelsPerPart = sizeof(T) == 1 ? 1 << 16 : 1 << 18;  // joining 65536 entries takes long
  const std::vector<CellRows> parts = cells.parts(begin, end, kPixelsPerPart);
  PerThread<Scratch<T>> scratch([] { return Scratch<T>{}; });
  for_each_index(0, static_cast<int>(parts.size()), [&](int p) {
    const CellRows& part = parts[static_cast<std::size_t>(p)];
    const int width = cells.across.begin[part.cell_x + 1] - cells.across.begin[part.cell_x];
    Scratch<T>& own = scratch.local();
    own.tables.prepare(tables, part, static_cast<std::size_t>(width) * static_cast<std::size_t>(part.end - part.begin));
    map_part<T, channels>(plane, cells, part, own, out, is_last);
  });
}

/// Counts and maps a few rows of tiles at a time, because 64 × 64 tables of 16-bit levels would take 512 MiB.
template <class T, int channels>
void map_in_bands(const Plane& plane, const TileGrid& grid, const Cells& cells, View out, bool is_last) {
  constexpr std::size_t kMaxTableBytes = std::size_t{64} << 20;
  constexpr std::size_t kLevels = kMaxOf<T> + std::size_t{1};
  const std::size_t row_entries = static_cast<std::size_t>(grid.tiles_x) * kLevels;
  const auto rows = static_cast<int>(
      std::clamp<std::size_t>(kMaxTableBytes / (row_entries * sizeof(std::uint16_t)), 1, grid.tiles_y));
  const int kept = rows < grid.tiles_y ? 1 : 0;  // keep the row of tiles above a band
  std::vector<std::uint16_t> maps(static_cast<std::size_t>(rows + kept) * row_entries);
  for (int begin = 0; begin < grid.tiles_y; begin += rows) {
    const int end = std::min(begin + rows, grid.tiles_y);
    const int first = std::max(0, begin - 1);
    if (begin > 0) {
      const int first_before = std::max(0, begin - rows - 1);
      std::copy_n(maps.data() + static_cast<std::size_t>(begin - 1 - first_before) * row_entries, row_entries,
                  maps.data());
    }
    make_tables<T, channels>(plane, grid, begin, end,
                             maps.data() + static_cast<std::size_t>(begin - first) * row_entries);
    map_cells<T, channels>(plane, cells, TableRows{grid, kLevels, first, maps.data()}, begin,
                           end == grid.tiles_y ? cells.down.cells : end, out, is_last);
  }
}

std::vector<std::optional<Channel>> planes_of(PixelFormat format, const ClaheOptions& options) {
  if (clahe_planes(format, options) == 3) {
    return {Channel::red, Channel::green, Channel::blue};
  }
  return {format.color_channels() == 1 ? std::optional(Channel::luma) : std::nullopt};
}

}  // namespace

Image apply(ConstView pixels, const ClaheOptions& options, PixelPool& pool) {
  Image result = pool.image(pixels.width, pixels.height, pixels.format);
  const bool has_tables = options.tables != nullptr;
  const TileGrid grid =
      has_tables ? options.tables->grid : tile_grid(pixels.width, pixels.height, options.tiles_x, options.tiles_y);
  const Cells cells(grid, has_tables ? options.tables->first_row : 0, pixels.height);
  const auto planes = planes_of(pixels.format, options);
  with_format(pixels.format, [&]<class T, int channels>() {
    constexpr std::size_t kLevels = kMaxOf<T> + std::size_t{1};
    for (std::size_t p = 0; p < planes.size(); ++p) {
      const Plane plane{pixels, options, planes[p]};
      const bool is_last = p + 1 == planes.size();
      if (has_tables) {
        const std::uint16_t* maps = options.tables->maps.data() + p * grid.tiles() * kLevels;
        map_cells<T, channels>(plane, cells, TableRows{grid, kLevels, 0, maps}, 0, cells.down.cells, result.view(),
                               is_last);
      } else {
        map_in_bands<T, channels>(plane, grid, cells, result.view(), is_last);
      }
    }
  });
  return result;
}

}  // namespace gpuimg::cpu
