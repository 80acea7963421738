// HSL conversion in both directions: exact fractions and encodings. Specified in docs/operations.md, "HSL".
#pragma once

#include <cmath>
#include <cstdint>
#include <type_traits>

#include "gpuimg/ops/hsl.hpp"
#include "host_device.hpp"

namespace gpuimg {

/// HSL of one pixel as exact fractions: H = hue_numerator/(6·chroma) of a turn, S = chroma/saturation_denominator, L =
/// sum/(2V). For gray, chroma = 0, and H and S are 0.
struct HslFractions {
  std::uint32_t hue_numerator = 0;  ///< in [0, 6·chroma)
  std::uint32_t chroma = 0;
  std::uint32_t saturation_denominator = 1;  ///< at least 1
  std::uint32_t sum = 0;
};

struct Hsl {
  float hue_degrees = 0.0F;
  float saturation = 0.0F;
  float lightness = 0.0F;
};

/// r, g and b are in 0 … V, where V is 255 or 65535. Branch-free; gray gives H = 0 without a special case.
GPUIMG_HD constexpr HslFractions hsl_fractions(std::uint32_t r, std::uint32_t g, std::uint32_t b, std::uint32_t v_max) {
  const std::uint32_t high = r > g ? (r > b ? r : b) : (g > b ? g : b);
  const std::uint32_t low = r < g ? (r < b ? r : b) : (g < b ? g : b);
  const std::uint32_t chroma = high - low;
  const std::uint32_t sum = high + low;
  const bool red_is_high = high == r;
  const bool green_is_high = high == g;
  const std::uint32_t sixths = red_is_high ? (g >= b ? 0U : 6U) : green_is_high ? 2U : 4U;
  const std::uint32_t plus = red_is_high ? g : green_is_high ? b : r;
  const std::uint32_t minus = red_is_high ? b : green_is_high ? r : g;
  HslFractions f;
  f.hue_numerator = sixths * chroma + plus - minus;
  f.chroma = chroma;
  f.saturation_denominator = chroma == 0 ? 1U : sum <= v_max ? sum : 2U * v_max - sum;
  f.sum = sum;
  return f;
}

/// The float32 nearest to a/b (ties to even); b > 0. If `small`, a and b are below 2²⁴, so a single float32 division is
/// correctly rounded. Otherwise a and b are below 2²⁶. A float64 quotient is then never so close to a tie that rounding
/// it again, to float32, gives a wrong result.
template <bool small>
GPUIMG_HD constexpr float nearest_ratio(std::uint32_t a, std::uint32_t b) {
  if constexpr (small) {
    return static_cast<float>(a) / static_cast<float>(b);
  } else {
    return static_cast<float>(static_cast<double>(a) / static_cast<double>(b));
  }
}

/// The divisions that the conversions below need, written like their definitions. T is the sample type of the
/// fractions: std::uint8_t or std::uint16_t. A backend may substitute another Divide if it returns the same results.
template <class T>
struct PlainDivide {
  static constexpr bool kSmall = sizeof(T) == 1;

  /// The float32 nearest to a/b.
  GPUIMG_HD static constexpr float ratio(std::uint32_t a, std::uint32_t b) { return nearest_ratio<kSmall>(a, b); }
  template <std::uint32_t b>
  GPUIMG_HD static constexpr float ratio_by(std::uint32_t a) {
    return nearest_ratio<kSmall>(a, b);
  }

  /// ⌊scale·a/b + ½⌋
  template <std::uint32_t scale>
  GPUIMG_HD static constexpr std::uint32_t scaled(std::uint32_t a, std::uint32_t b) {
    using Wide = std::conditional_t<kSmall, std::uint32_t, std::uint64_t>;
    return static_cast<std::uint32_t>((Wide{2} * scale * a + b) / (Wide{2} * b));
  }
};

/// T is the sample type of the fractions.
template <class T, class Divide = PlainDivide<T>>
GPUIMG_HD constexpr Hsl hsl_float(const HslFractions& f) {
  Hsl hsl;
  hsl.hue_degrees = Divide::ratio(60U * f.hue_numerator, f.chroma == 0 ? 1U : f.chroma);
  hsl.saturation = Divide::ratio(f.chroma, f.saturation_denominator);
  hsl.lightness = Divide::template ratio_by<2U * kMaxOf<T>>(f.sum);
  return hsl;
}

struct HslU16 {
  std::uint16_t hue = 0;
  std::uint16_t saturation = 0;
  std::uint16_t lightness = 0;
};

/// Encodes exact fractions: ⌊65536·H + ½⌋ mod 65536 with H in turns, and ⌊65535·x + ½⌋ for S and L.
template <class T, class Divide = PlainDivide<T>>
GPUIMG_HD constexpr HslU16 hsl_u16(const HslFractions& f) {
  using Wide = std::conditional_t<sizeof(T) == 1, std::uint32_t, std::uint64_t>;
  HslU16 out;
  const std::uint32_t turn = f.chroma == 0 ? 1U : 6U * f.chroma;
  out.hue = static_cast<std::uint16_t>(Divide::template scaled<65536>(f.hue_numerator, turn));
  out.saturation = static_cast<std::uint16_t>(Divide::template scaled<65535>(f.chroma, f.saturation_denominator));
  out.lightness = static_cast<std::uint16_t>((Wide{65535} * f.sum + kMaxOf<T>) / (2U * kMaxOf<T>));
  return out;
}

struct HlsU8 {
  std::uint8_t hue = 0;
  std::uint8_t lightness = 0;
  std::uint8_t saturation = 0;
};

/// Performs the same float32 operations as OpenCV 4.6, in the same order, including its fused multiply-add. Results are
/// equal for all 2²⁴ 8-bit colors. `hue_range` is 180 (opencv) or 256 (opencv_full, where 256 itself saturates to 255).
GPUIMG_HD inline HlsU8 hls_opencv(std::uint32_t r, std::uint32_t g, std::uint32_t b, std::uint32_t v_max,
                                  float hue_range) {
  const float unit = 1.0F / static_cast<float>(v_max);
  const float red = static_cast<float>(r) * unit;
  const float green = static_cast<float>(g) * unit;
  const float blue = static_cast<float>(b) * unit;
  const float high = red > green ? (red > blue ? red : blue) : (green > blue ? green : blue);
  const float low = red < green ? (red < blue ? red : blue) : (green < blue ? green : blue);
  const float diff = high - low;
  const float sum = high + low;
  const float lightness = sum * 0.5F;
  float hue = 0.0F;
  float saturation = 0.0F;
  if (diff > 1.1920929e-7F) {
    saturation = diff / (lightness < 0.5F ? sum : 2.0F - sum);
    const float degrees_per_unit = 60.0F / diff;
    if (high == red) {
      hue = fmaf(green - blue, degrees_per_unit, green < blue ? 360.0F : 0.0F);
    } else if (high == green) {
      hue = fmaf(blue - red, degrees_per_unit, 120.0F);
    } else {
      hue = fmaf(red - green, degrees_per_unit, 240.0F);
    }
  }
  const float level = rintf(hue * (hue_range / 360.0F));
  HlsU8 out;
  out.hue = static_cast<std::uint8_t>(level > 255.0F ? 255.0F : level);
  out.lightness = static_cast<std::uint8_t>(rintf(lightness * 255.0F));
  out.saturation = static_cast<std::uint8_t>(rintf(saturation * 255.0F));
  return out;
}

struct Rgb {
  std::uint32_t r = 0;
  std::uint32_t g = 0;
  std::uint32_t b = 0;
};

/// ⌊V·(x + m) + 0.5⌋ clamped to 0 … V, in float32.
GPUIMG_HD constexpr std::uint32_t channel_level(float x, float m, float v_max) {
  const float level = v_max * (x + m) + 0.5F;
  return level <= 0.0F           ? 0U
         : level >= v_max + 0.5F ? static_cast<std::uint32_t>(v_max)
                                 : static_cast<std::uint32_t>(level);
}

/// x clamped to [0,1]. NaN becomes 0.
GPUIMG_HD constexpr float unit_clamped(float x) { return x > 0.0F ? (x < 1.0F ? x : 1.0F) : 0.0F; }

/// H modulo 360, in [0,360). NaN and infinities become 0.
GPUIMG_HD inline float wrapped_degrees(float hue) {
  if (!(hue > -1.0e9F && hue < 1.0e9F)) {
    return 0.0F;
  }
  const float rest = fmodf(hue, 360.0F);
  const float positive = rest < 0.0F ? rest + 360.0F : rest;
  return positive >= 360.0F ? 0.0F : positive;
}

/// Converts an HSL color to RGB in 0 … V; H is in [0,360), S and L are in [0,1]. Computed in float32 in this order,
/// without contraction: c = (1 − |2L − 1|)·S, x = c·(1 − |(H/60 mod 2) − 1|), m = L − c/2.
GPUIMG_HD inline Rgb rgb_from_hsl(const Hsl& hsl, std::uint32_t v_max) {
  const float v = static_cast<float>(v_max);
  const float c = (1.0F - fabsf(2.0F * hsl.lightness - 1.0F)) * hsl.saturation;
  const float sector = hsl.hue_degrees / 60.0F;
  const float within_pair = sector - 2.0F * floorf(sector * 0.5F);
  const float x = c * (1.0F - fabsf(within_pair - 1.0F));
  const float m = hsl.lightness - c * 0.5F;
  const std::uint32_t full = channel_level(c, m, v);
  const std::uint32_t part = channel_level(x, m, v);
  const std::uint32_t none = channel_level(0.0F, m, v);
  switch (static_cast<int>(sector)) {
    case 0: return {full, part, none};
    case 1: return {part, full, none};
    case 2: return {none, full, part};
    case 3: return {none, part, full};
    case 4: return {part, none, full};
    default: return {full, none, part};
  }
}

/// The decode functions turn stored values into an Hsl that rgb_from_hsl accepts: hue is wrapped, S and L are clamped.
GPUIMG_HD inline Hsl decode_hsl_f32(float h, float s, float l) {
  return {wrapped_degrees(h), unit_clamped(s), unit_clamped(l)};
}
GPUIMG_HD constexpr Hsl decode_hsl_u16(std::uint32_t h, std::uint32_t s, std::uint32_t l) {
  return {static_cast<float>(h) * (360.0F / 65536.0F), static_cast<float>(s) / 65535.0F,
          static_cast<float>(l) / 65535.0F};
}
/// `hue_range` has the same meaning as for hls_opencv().
GPUIMG_HD inline Hsl decode_hls_opencv(std::uint32_t h, std::uint32_t l, std::uint32_t s, float hue_range) {
  return {wrapped_degrees(static_cast<float>(h) * (360.0F / hue_range)), static_cast<float>(s) / 255.0F,
          static_cast<float>(l) / 255.0F};
}

GPUIMG_HD inline Hsl adjusted(const Hsl& hsl, const HslAdjustment& by) {
  return {wrapped_degrees(hsl.hue_degrees + by.hue_degrees), unit_clamped(hsl.saturation * by.saturation),
          unit_clamped(hsl.lightness * by.lightness)};
}

/// Rescales alpha to another sample type, rounding to the nearest level.
GPUIMG_HD constexpr std::uint32_t scaled_level(std::uint32_t value, std::uint32_t from_max, std::uint32_t to_max) {
  return from_max == to_max ? value
                            : static_cast<std::uint32_t>((std::uint64_t{2} * value * to_max + from_max) /
                                                         (std::uint64_t{2} * from_max));
}

}  // namespace gpuimg
