// Histogram equalization on the CPU: count, build the table, map row by row.
// The rule stands in docs/operations.md, "Equalization".
#include "gpuimg/ops/equalize.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "cpu_picture.hpp"
#include "level_counts.hpp"
#include "levels.hpp"
#include "operations.hpp"
#include "pixel_access.hpp"
#include "row_bands.hpp"

namespace gpuimg::cpu {
namespace {

/// Levels of the one-table colour modes: what the histogram counts and the table maps.
template <class T, int channels>
void read_table_levels(const T* row, std::size_t count, const EqualizeOptions& options, std::uint16_t* levels) {
  with_luma_kind(options.luma, [&]<Luma kind>() {
    for (std::size_t x = 0; x < count; ++x) {
      levels[x] = static_cast<std::uint16_t>(level_of<kind>(options.color, rgb_at<channels>(row, x)));
    }
  });
}

std::vector<std::uint16_t> table_of_channel(ConstView pixels, const CountedPixels& counted, Channel channel,
                                            const EqualizeOptions& options) {
  const Rect& region = counted.region();
  return level_map(options.formula, count_levels(counted, pixels.format.max_value() + std::size_t{1},
                                                 [&](int y, std::uint16_t* levels) {
                                                   read_levels(pixels, region.y + y, region.x, region.width, channel,
                                                               options.luma, 0, levels);
                                                 }));
}

std::vector<std::uint16_t> table_of_levels(ConstView pixels, const CountedPixels& counted,
                                           const EqualizeOptions& options) {
  const Rect& region = counted.region();
  return level_map(options.formula,
                   count_levels(counted, pixels.format.max_value() + std::size_t{1}, [&](int y, std::uint16_t* levels) {
                     with_format(pixels.format, [&]<class T, int channels>() {
                       const T* row = pixels.row<T>(region.y + y) + static_cast<std::size_t>(region.x) * channels;
                       read_table_levels<T, channels>(row, static_cast<std::size_t>(region.width), options, levels);
                     });
                   }));
}

LevelTables tables_of(ConstView pixels, const EqualizeOptions& options) {
  const CountedPixels counted(pixels, options.selection);
  LevelTables tables;
  if (pixels.format.color_channels() == 1) {
    tables.maps.push_back(table_of_channel(pixels, counted, Channel::luma, options));
  } else if (options.color == EqualizeColor::rgb) {
    for (const Channel channel : {Channel::red, Channel::green, Channel::blue}) {
      tables.maps.push_back(table_of_channel(pixels, counted, channel, options));
    }
  } else {
    tables.maps.push_back(table_of_levels(pixels, counted, options));
  }
  return tables;
}

/// Gray images and the modes rgb and joint: each channel through its own table or the shared one.
template <class T, int channels>
void map_channels(const T* in, T* out, std::size_t count, const LevelTables& tables) {
  constexpr int kColors = channels >= 3 ? 3 : 1;
  std::array<const std::uint16_t*, kColors> maps;
  for (std::size_t c = 0; c < kColors; ++c) {
    maps[c] = tables.maps[std::min(c, tables.maps.size() - 1)].data();
  }
  for (std::size_t x = 0; x < count; ++x) {
    for (std::size_t c = 0; c < kColors; ++c) {
      out[x * channels + c] = static_cast<T>(maps[c][in[x * channels + c]]);
    }
  }
}

template <class T>
Rgb with_level(EqualizeColor color, const Rgb& p, std::uint32_t level, std::uint32_t level_new) {
  switch (color) {
    case EqualizeColor::ycbcr: {
      YCrCb converted = ycrcb_from_rgb(p, kMaxOf<T>);
      converted.y = level_new;
      return rgb_from_ycrcb(converted, kMaxOf<T>);
    }
    case EqualizeColor::hsl: return with_hsl_level<T>(p, level_new);
    default: return with_luma<T>(p, level, level_new);
  }
}

/// The modes luma, ycbcr and hsl on RGB: one level a pixel decides all three channels.
template <class T, int channels>
void map_pixels(const T* in, T* out, std::size_t count, const std::uint16_t* map, const EqualizeOptions& options) {
  std::vector<std::uint16_t> levels(count);
  read_table_levels<T, channels>(in, count, options, levels.data());
  for (std::size_t x = 0; x < count; ++x) {
    const std::uint32_t level = levels[x];
    const Rgb p = with_level<T>(options.color, rgb_at<channels>(in, x), level, map[level]);
    out[x * channels] = static_cast<T>(p.r);
    out[x * channels + 1] = static_cast<T>(p.g);
    out[x * channels + 2] = static_cast<T>(p.b);
  }
}

template <class T, int channels>
void blend_row(const T* in, T* out, std::size_t count, double strength) {
  for (std::size_t x = 0; x < count; ++x) {
    for (std::size_t c = 0; c < (channels >= 3 ? 3 : 1); ++c) {
      const std::size_t i = x * channels + c;
      out[i] = static_cast<T>(blended(in[i], out[i], strength));
    }
  }
}

template <class T, int channels>
void restore_masked(const T* in, T* out, std::size_t count, const std::uint8_t* mask) {
  for (std::size_t x = 0; x < count; ++x) {
    if (mask[x] == 0) {
      std::copy_n(in + x * channels, channels, out + x * channels);
    }
  }
}

template <class T, int channels>
void map_row(const T* in, T* out, std::size_t count, const LevelTables& tables, const EqualizeOptions& options) {
  const bool by_channel =
      channels < 3 || options.color == EqualizeColor::rgb || options.color == EqualizeColor::joint;
  if (by_channel) {
    map_channels<T, channels>(in, out, count, tables);
  } else if constexpr (channels >= 3) {
    map_pixels<T, channels>(in, out, count, tables.maps.front().data(), options);
  }
  if constexpr (channels == 2 || channels == 4) {
    for (std::size_t x = 0; x < count; ++x) {
      out[x * channels + channels - 1] = in[x * channels + channels - 1];
    }
  }
}

Image mapped(ConstView pixels, const LevelTables& tables, const EqualizeOptions& options) {
  Image result(pixels.width, pixels.height, pixels.format);
  const View out = result.view();
  const auto count = static_cast<std::size_t>(pixels.width);
  for_row_bands(pixels.width, pixels.height, [&](int begin, int end) {
    with_format(pixels.format, [&]<class T, int channels>() {
      for (int y = begin; y < end; ++y) {
        const T* from = pixels.row<T>(y);
        T* to = out.row<T>(y);
        map_row<T, channels>(from, to, count, tables, options);
        if (options.strength < 1.0) {
          blend_row<T, channels>(from, to, count, options.strength);
        }
        if (options.selection.mask != nullptr) {
          restore_masked<T, channels>(from, to, count, pixels_of(*options.selection.mask).row<std::uint8_t>(y));
        }
      }
    });
  });
  return result;
}

}  // namespace

Image equalize(ConstView pixels, const EqualizeOptions& options, LevelTables* used) {
  LevelTables own;
  if (options.tables == nullptr) {
    own = tables_of(pixels, options);
  }
  const LevelTables& tables = options.tables != nullptr ? *options.tables : own;
  const bool unchanged = std::all_of(tables.maps.begin(), tables.maps.end(), is_identity);
  Image result = unchanged ? copy_of(pixels) : mapped(pixels, tables, options);
  if (used != nullptr) {
    *used = tables;
  }
  return result;
}

}  // namespace gpuimg::cpu
