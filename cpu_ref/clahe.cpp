// CLAHE on the CPU: counts each tile and builds its table, then maps the rows between the tables.
// Specified in docs/operations.md, "CLAHE".
#include "gpuimg/ops/clahe.hpp"

#include <tbb/enumerable_thread_specific.h>
#include <tbb/parallel_for.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "cpu_picture.hpp"
#include "levels.hpp"
#include "operations.hpp"
#include "row_bands.hpp"
#include "table_levels.hpp"

namespace gpuimg::cpu {
namespace {

/// What is counted and mapped in one pass: the level of the color mode, or one of three channels.
struct Plane {
  ConstView pixels;
  const ClaheOptions& options;
  std::optional<Channel> channel;  ///< nothing: the level of a color image that the mode maps

  /// The levels of `count` pixels of row y from pixel `first` on. Fills `buffer` if it has to.
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

/// Counts tiles one after the other, on one thread.
template <class T>
class TileCounter {
 public:
  explicit TileCounter(int width)
      : counters_(kLevels * kCounters),
        totals_(kLevels),
        levels_(static_cast<std::size_t>(width)),
        flags_(static_cast<std::size_t>(width)) {}

  /// The counts of a tile, valid until the next call.
  template <int channels>
  const std::uint64_t* count(const Plane& plane, const TileGrid& grid, std::size_t tile) {
    std::fill(totals_.begin(), totals_.end(), 0U);
    const Rect whole{0, 0, grid.width, grid.height};
    const Rect region = plane.options.selection.region.value_or(whole);
    for (const Rect& source : sources_of_tile(grid, tile)) {
      if (const auto part = common_part(region, source)) {
        count_part<channels>(plane, *part);
      }
    }
    flush();
    return totals_.data();
  }

 private:
  static constexpr std::size_t kLevels = kMaxOf<T> + std::size_t{1};
  static constexpr std::size_t kCounters = sizeof(T) == 1 ? kByteCounters : 1;  ///< of a level, adjacent
  static constexpr std::uint64_t kMaxUnflushed = std::uint64_t{1} << 31;

  template <int channels>
  void count_part(const Plane& plane, const Rect& part) {
    Selection selection = plane.options.selection;
    selection.region = part;
    const CountedPixels counted(plane.pixels, selection);
    const auto width = static_cast<std::size_t>(part.width);
    for (int y = 0; y < part.height; ++y) {
      unflushed_ += width;
      if (unflushed_ > kMaxUnflushed) {
        flush();
      }
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
  }

  std::vector<std::uint32_t> counters_;
  std::vector<std::uint64_t> totals_;
  std::vector<T> levels_;
  std::vector<std::uint8_t> flags_;
  std::uint64_t unflushed_ = 0;
};

/// Writes V + 1 entries for each tile, row by row.
template <class T, int channels>
void make_tables(const Plane& plane, const TileGrid& grid, std::vector<std::uint16_t>& maps) {
  constexpr std::size_t kLevels = kMaxOf<T> + std::size_t{1};
  maps.resize(grid.tiles() * kLevels);
  tbb::enumerable_thread_specific<TileCounter<T>> counters([&] { return TileCounter<T>(grid.width); });
  tbb::parallel_for(std::size_t{0}, grid.tiles(), [&](std::size_t tile) {
    const std::uint64_t* counts = counters.local().template count<channels>(plane, grid, tile);
    clahe_map(counts, static_cast<std::uint32_t>(kLevels), plane.options.clip, maps.data() + tile * kLevels);
  });
}

/// Where the columns of the image lie between the tiles.
struct Columns {
  struct Cell {
    int begin = 0;
    int end = 0;
    int left = 0;
    int right = 0;  ///< tile
  };
  std::vector<float> weights;  ///< of the right tile
  std::vector<Cell> cells;

  explicit Columns(const TileGrid& grid) : weights(static_cast<std::size_t>(grid.width)) {
    const float inverse = 1.0F / static_cast<float>(grid.tile_width);
    int last = -1;
    for (int x = 0; x < grid.width; ++x) {
      const TilePlace place = tile_place(x, inverse, grid.tiles_x);
      weights[static_cast<std::size_t>(x)] = place.weight;
      if (place.cell != last) {
        cells.push_back({x, x, place.first, place.second});
        last = place.cell;
      }
      cells.back().end = x + 1;
    }
  }
};

/// Maps the levels of rows. One for each thread and band: keeps what consecutive rows share.
template <class T>
class RowMapper {
 public:
  RowMapper(const TileGrid& grid, const Columns& columns, const std::uint16_t* maps)
      : grid_(grid), columns_(columns), maps_(maps), inverse_(1.0F / static_cast<float>(grid.tile_height)) {}

  /// `row` is of the whole image.
  void map(int row, const T* levels, T* out) {
    const TilePlace place = tile_place(row, inverse_, grid_.tiles_y);
    prepare(place);
    for (std::size_t c = 0; c < columns_.cells.size(); ++c) {
      const auto& cell = columns_.cells[c];
      const auto begin = static_cast<std::size_t>(cell.begin);
      const std::size_t count = static_cast<std::size_t>(cell.end) - begin;
      const float* weights = columns_.weights.data() + begin;
      if constexpr (sizeof(T) == 1) {
        interpolate_bytes(levels + begin, count, words_.data() + c * 256, weights, place.weight, out + begin);
      } else {
        interpolate_shorts(levels + begin, count, four_tables(cell, place).data(), weights, place.weight, out + begin);
      }
    }
  }

 private:
  std::array<const std::uint16_t*, 4> four_tables(const Columns::Cell& cell, const TilePlace& place) const {
    const auto table = [&](int i, int j) {
      const std::size_t tile =
          static_cast<std::size_t>(j) * static_cast<std::size_t>(grid_.tiles_x) + static_cast<std::size_t>(i);
      return maps_ + tile * (kMaxOf<T> + std::size_t{1});
    };
    return {table(cell.left, place.first), table(cell.right, place.first), table(cell.left, place.second),
            table(cell.right, place.second)};
  }

  /// 8 bits: joins the tables of each cell into words, which one look-up reads.
  void prepare(const TilePlace& place) {
    if (sizeof(T) != 1 || place.cell == prepared_) {
      return;
    }
    prepared_ = place.cell;
    words_.resize(columns_.cells.size() * 256);
    for (std::size_t c = 0; c < columns_.cells.size(); ++c) {
      const auto tables = four_tables(columns_.cells[c], place);
      for (std::size_t level = 0; level < 256; ++level) {
        words_[c * 256 + level] =
            static_cast<std::uint32_t>(tables[0][level]) | static_cast<std::uint32_t>(tables[1][level]) << 8 |
            static_cast<std::uint32_t>(tables[2][level]) << 16 | static_cast<std::uint32_t>(tables[3][level]) << 24;
      }
    }
  }

  const TileGrid& grid_;
  const Columns& columns_;
  const std::uint16_t* maps_;
  float inverse_;
  int prepared_ = -1;  ///< the cell that words_ is for
  std::vector<std::uint32_t> words_;
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

/// What follows once all planes are written.
template <class T, int channels>
void finish_row(const T* in, const ClaheOptions& options, int y, std::size_t count, T* out) {
  copy_alpha<T, channels>(in, out, count);
  if (options.strength < 1.0) {
    blend_row<T, channels>(in, out, count, options.strength);
  }
  if (options.selection.mask != nullptr) {
    restore_masked<T, channels>(in, out, count, pixels_of(*options.selection.mask).row<std::uint8_t>(y));
  }
}

template <class T, int channels>
void map_plane(const Plane& plane, const TileGrid& grid, const std::uint16_t* maps, View out, bool is_last) {
  const Columns columns(grid);
  const ConstView pixels = plane.pixels;
  const auto count = static_cast<std::size_t>(pixels.width);
  const int first_row = plane.options.tables != nullptr ? plane.options.tables->first_row : 0;
  for_row_bands(pixels.width, pixels.height, [&](int begin, int end) {
    RowMapper<T> mapper(grid, columns, maps);
    std::vector<T> buffer(count);
    std::vector<T> levels_new(count);
    for (int y = begin; y < end; ++y) {
      const T* levels = plane.levels<T, channels>(y, 0, pixels.width, buffer.data());
      if constexpr (channels == 1) {
        mapper.map(first_row + y, levels, out.row<T>(y));
      } else {
        mapper.map(first_row + y, levels, levels_new.data());
        write_plane<T, channels>(plane, pixels.row<T>(y), levels, levels_new.data(), count, out.row<T>(y));
      }
      if (is_last) {
        finish_row<T, channels>(pixels.row<T>(y), plane.options, y, count, out.row<T>(y));
      }
    }
  });
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
  const TileGrid grid = options.tables != nullptr
                            ? options.tables->grid
                            : tile_grid(pixels.width, pixels.height, options.tiles_x, options.tiles_y);
  const auto planes = planes_of(pixels.format, options);
  with_format(pixels.format, [&]<class T, int channels>() {
    std::vector<std::uint16_t> own;  // of one plane at a time: 16-bit tables take up to 512 MiB
    for (std::size_t p = 0; p < planes.size(); ++p) {
      const Plane plane{pixels, options, planes[p]};
      if (options.tables == nullptr) {
        make_tables<T, channels>(plane, grid, own);
      }
      const std::uint16_t* maps = options.tables == nullptr
                                      ? own.data()
                                      : options.tables->maps.data() + p * grid.tiles() * (kMaxOf<T> + std::size_t{1});
      map_plane<T, channels>(plane, grid, maps, result.view(), p + 1 == planes.size());
    }
  });
  return result;
}

}  // namespace gpuimg::cpu
