// Histogram equalization on the CPU: counts, builds the tables, and maps row by row. Specified in docs/operations.md,
// "Equalization".
#include "ops/equalize.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <utility>
#include <vector>

#include "levels.hpp"
#include "operations.hpp"
#include "parallel_loops.hpp"
#include "pixel_rows.hpp"
#include "simd/simd_rows.hpp"

namespace gpuimg::cpu {
namespace {

template <class T, int channels>
std::vector<std::uint64_t> count_table_levels(ConstView pixels, const CountedPixels& counted,
                                              const EqualizeOptions& options) {
  const Rect& region = counted.region();
  return count_levels<T>(counted, pixels.format.max_value() + std::size_t{1}, [&](int y, T* buffer) {
    const T* row = pixels.row<T>(region.y + y) + static_cast<std::size_t>(region.x) * channels;
    read_table_levels<T, channels>(row, static_cast<std::size_t>(region.width), options.color, options.luma, buffer);
    return buffer;
  });
}

/// The look-up tables in the form that the row functions need.
struct RowTables {
  const LevelTables& levels;
  std::vector<std::uint8_t> bytes;  ///< the first table as bytes, for 8-bit pixels

  explicit RowTables(const LevelTables& tables) : levels(tables) {
    const auto& first = tables.maps.front();
    if (first.size() == 256) {
      bytes.assign(first.begin(), first.end());
    }
  }
};

/// For gray images, and for the modes rgb and joint: maps each channel through its own table or through the shared one.
template <class T, int channels>
void map_channels(const T* in, T* out, std::size_t count, const RowTables& tables) {
  constexpr int kColors = channels >= 3 ? 3 : 1;
  const auto& maps = tables.levels.maps;
  if constexpr (sizeof(T) == 1 && kColors == channels) {
    if (maps.size() == 1) {
      mapped_bytes(in, count * channels, tables.bytes.data(), out);
      return;
    }
  }
  std::array<const std::uint16_t*, kColors> map;
  for (std::size_t c = 0; c < kColors; ++c) {
    map[c] = maps[std::min(c, maps.size() - 1)].data();
  }
  for (std::size_t x = 0; x < count; ++x) {
    for (std::size_t c = 0; c < kColors; ++c) {
      out[x * channels + c] = static_cast<T>(map[c][in[x * channels + c]]);
    }
  }
}

/// For RGB in the modes luma, ycbcr and hsl, where one level per pixel determines all three channels.
template <class T, int channels>
void map_pixels(const T* in, T* out, std::size_t count, const RowTables& tables, const EqualizeOptions& options) {
  std::vector<T> levels(count);
  std::vector<T> levels_new(count);
  read_table_levels<T, channels>(in, count, options.color, options.luma, levels.data());
  if constexpr (sizeof(T) == 1) {
    mapped_bytes(levels.data(), count, tables.bytes.data(), levels_new.data());
  } else {
    const std::uint16_t* map = tables.levels.maps.front().data();
    std::transform(levels.begin(), levels.end(), levels_new.begin(), [map](T level) { return map[level]; });
  }
  set_table_levels<T, channels>(in, count, options.color, levels.data(), levels_new.data(), out);
}

/// Maps a row. Alpha is copied, or left alone when working in place.
template <class T, int channels>
void map_row(const T* in, T* out, std::size_t count, const RowTables& tables, const EqualizeOptions& options) {
  const bool by_channel = channels < 3 || options.color == EqualizeColor::rgb || options.color == EqualizeColor::joint;
  if (by_channel) {
    map_channels<T, channels>(in, out, count, tables);
  } else if constexpr (channels >= 3) {
    map_pixels<T, channels>(in, out, count, tables, options);
  }
}

/// `out` may be the same memory as `pixels`, but must not partially overlap it.
void map_rows(ConstView pixels, View out, const LevelTables& levels, const EqualizeOptions& options) {
  const RowTables tables(levels);
  const auto count = static_cast<std::size_t>(pixels.width);
  const bool in_place = out.data == pixels.data;
  for_row_bands(pixels.width, pixels.height, [&](int begin, int end) {
    with_format(pixels.format, [&]<class T, int channels>() {
      std::vector<T> row_aside(in_place ? count * channels : 0);
      for (int y = begin; y < end; ++y) {
        const T* from = pixels.row<T>(y);
        T* to = out.row<T>(y);
        if (in_place) {
          std::copy_n(from, row_aside.size(), row_aside.data());
          from = row_aside.data();
        }
        map_row<T, channels>(from, to, count, tables, options);
        if (!in_place) {
          copy_alpha<T, channels>(from, to, count);
        }
        if (options.strength < 1.0) {
          blend_row<T, channels>(from, to, count, options.strength);
        }
        if (options.selection.mask != nullptr) {
          restore_masked<T, channels>(from, to, count, pixels_of(*options.selection.mask).row<std::uint8_t>(y));
        }
      }
    });
  });
}

/// Calls map(tables) unless every table is the identity. Returns true if it called map.
template <class Map>
bool equalized(ConstView pixels, const EqualizeOptions& options, LevelTables* used, const Map& map) {
  LevelTables own;
  if (options.tables == nullptr) {
    own = level_tables(options, table_counts(pixels, options));
  }
  const LevelTables& tables = options.tables != nullptr ? *options.tables : own;
  const bool changes = !std::all_of(tables.maps.begin(), tables.maps.end(), is_identity);
  if (changes) {
    map(tables);
  }
  if (used != nullptr) {
    *used = tables;
  }
  return changes;
}

}  // namespace

LevelCounts table_counts(ConstView pixels, const EqualizeOptions& options) {
  const CountedPixels counted(pixels, options.selection);
  if (pixels.format.color_channels() == 1) {
    return {count_channel(pixels, counted, Channel::luma, options.luma)};
  }
  LevelCounts counts;
  if (options.color == EqualizeColor::rgb) {
    for (const Channel channel : {Channel::red, Channel::green, Channel::blue}) {
      counts.push_back(count_channel(pixels, counted, channel, options.luma));
    }
    return counts;
  }
  with_format(pixels.format, [&]<class T, int channels>() {
    if constexpr (channels >= 3) {
      counts.push_back(count_table_levels<T, channels>(pixels, counted, options));
    }
  });
  return counts;
}

Image equalize(ConstView pixels, const EqualizeOptions& options, LevelTables* used, PixelPool& pool) {
  Image result;
  const bool changes = equalized(pixels, options, used, [&](const LevelTables& tables) {
    result = pool.image(pixels.width, pixels.height, pixels.format);
    map_rows(pixels, result.view(), tables, options);
  });
  return changes ? std::move(result) : pool.copy_of(pixels);
}

void equalize_in_place(View pixels, const EqualizeOptions& options, LevelTables* used) {
  equalized(pixels, options, used, [&](const LevelTables& tables) { map_rows(pixels, pixels, tables, options); });
}

}  // namespace gpuimg::cpu
