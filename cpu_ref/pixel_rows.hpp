// Rows of pixels: instantiates code for each sample type and channel count. Also reads and replaces the one level per
// pixel that equalization and CLAHE map. Specified in docs/operations.md, "Color".
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "gpuimg/image.hpp"
#include "ops/equalize.hpp"
#include "simd/simd_rows.hpp"

namespace gpuimg::cpu {

/// Pixel x of a row of interleaved samples. For gray, r = g = b.
template <int channels, class T>
constexpr Rgb rgb_at(const T* row, std::size_t x) {
  const T* pixel = row + x * channels;
  if constexpr (channels >= 3) {
    return {pixel[0], pixel[1], pixel[2]};
  } else {
    return {pixel[0], pixel[0], pixel[0]};
  }
}

/// Calls body.template operator()<T, channels>() for a photographic format.
template <class Body>
void with_format(PixelFormat format, const Body& body) {
  const auto with_channels = [&]<class T>() {
    switch (format.channels) {
      case 1: return body.template operator()<T, 1>();
      case 2: return body.template operator()<T, 2>();
      case 3: return body.template operator()<T, 3>();
      default: return body.template operator()<T, 4>();
    }
  };
  if (format.sample == Sample::u8) {
    with_channels.template operator()<std::uint8_t>();
  } else {
    with_channels.template operator()<std::uint16_t>();
  }
}

/// For RGB in a color mode with a single table: reads the levels that the histogram counts and the table maps.
template <class T, int channels>
void read_table_levels(const T* row, std::size_t count, EqualizeColor color, Luma luma, T* levels) {
  const bool by_luma = color == EqualizeColor::luma || color == EqualizeColor::joint;
  if constexpr (sizeof(T) == 1) {
    if (by_luma) {
      return luma_row(luma, row, channels, count, levels);
    }
    if (color == EqualizeColor::ycbcr) {
      return ycrcb_luma_row(row, channels, count, levels);
    }
  }
  const auto each = [&](const auto& level_of_pixel) {
    for (std::size_t x = 0; x < count; ++x) {
      levels[x] = static_cast<T>(level_of_pixel(rgb_at<channels>(row, x)));
    }
  };
  if (by_luma) {
    with_luma_kind(luma, [&]<Luma kind>() { each([](const Rgb& p) { return luma_of<kind>(p.r, p.g, p.b); }); });
  } else if (color == EqualizeColor::ycbcr) {
    each(ycrcb_luma);
  } else {
    each(hsl_level);
  }
}

/// For RGB in the modes luma, ycbcr and hsl: changes the level of pixel x from levels[x] to levels_new[x]. Alpha is
/// copied, or left alone when working in place.
template <class T, int channels>
void set_table_levels(const T* in, std::size_t count, EqualizeColor color, const T* levels, const T* levels_new,
                      T* out) {
  if constexpr (sizeof(T) == 1) {
    if (color == EqualizeColor::luma || color == EqualizeColor::ycbcr) {
      const auto remap = color == EqualizeColor::luma ? remap_luma_row : remap_ycrcb_row;
      return remap(in, channels, count, levels, levels_new, out);
    }
  }
  const auto each = [&](const auto& remap) {
    for (std::size_t x = 0; x < count; ++x) {
      const Rgb p = remap(rgb_at<channels>(in, x), std::uint32_t{levels[x]}, std::uint32_t{levels_new[x]});
      out[x * channels] = static_cast<T>(p.r);
      out[x * channels + 1] = static_cast<T>(p.g);
      out[x * channels + 2] = static_cast<T>(p.b);
    }
  };
  switch (color) {
    case EqualizeColor::ycbcr:
      each([](const Rgb& p, std::uint32_t, std::uint32_t level_new) {
        return with_ycrcb_luma(p, level_new, kMaxOf<T>);
      });
      break;
    case EqualizeColor::hsl:
      each([](const Rgb& p, std::uint32_t, std::uint32_t level_new) { return with_hsl_level<T>(p, level_new); });
      break;
    default:
      each(
          [](const Rgb& p, std::uint32_t level, std::uint32_t level_new) { return with_luma<T>(p, level, level_new); });
      break;
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
void copy_alpha(const T* in, T* out, std::size_t count) {
  if constexpr (channels == 2 || channels == 4) {
    for (std::size_t x = 0; x < count; ++x) {
      out[x * channels + channels - 1] = in[x * channels + channels - 1];
    }
  }
}

}  // namespace gpuimg::cpu
