// HSL conversion in both directions, and adjustment: options and their limits. Specified in docs/operations.md, "HSL";
// the arithmetic is in core/ops/hsl.hpp.
#pragma once

#include <cstdint>

#include "gpuimg/ops/limits.hpp"
#include "gpuimg/picture.hpp"

namespace gpuimg {

enum class HslEncoding : std::uint8_t {
  f32,          ///< order H, S, L; f32 samples; H in degrees [0,360), S and L in [0,1]
  u16,          ///< order H, S, L; u16 samples; H in 1/65536 turn, S and L in 1/65535
  opencv,       ///< order H, L, S; u8 samples; H/2 (0 … 180), L·255, S·255, as in OpenCV's 8-bit HLS
  opencv_full,  ///< order H, L, S; u8 samples; H·256/360, L·255, S·255, as in OpenCV's HLS_FULL
};

constexpr Sample sample_of(HslEncoding encoding) {
  switch (encoding) {
    case HslEncoding::f32: return Sample::f32;
    case HslEncoding::u16: return Sample::u16;
    case HslEncoding::opencv:
    case HslEncoding::opencv_full: return Sample::u8;
  }
  return Sample::f32;
}

/// RGB to HSL. The result has three channels of type sample_of(encoding). If the input has alpha, it is rescaled to
/// that type and follows as a fourth channel.
struct ToHslOptions {
  HslEncoding encoding = HslEncoding::f32;
};

/// HSL, encoded as by ToHslOptions, to RGB or RGBA with samples of type `sample` (u8 or u16). Out-of-range hue wraps;
/// other out-of-range values are clamped.
struct FromHslOptions {
  HslEncoding encoding = HslEncoding::f32;
  Sample sample = Sample::u8;
};

/// Converts to HSL, adjusts it in float32, and converts back. The result has the input's size and format. Gray pixels
/// stay gray, because their saturation is 0: only `lightness` affects them. The defaults change nothing.
struct HslAdjustment {
  float hue_degrees = 0.0F;  ///< degrees added to H, which wraps; in (−360, 360)
  float saturation = 1.0F;   ///< factor for S, at least 0; the product is clamped to [0,1]
  float lightness = 1.0F;    ///< factor for L, at least 0; the product is clamped to [0,1]

  [[nodiscard]] constexpr bool is_identity() const {
    return hue_degrees == 0.0F && saturation == 1.0F && lightness == 1.0F;
  }
};

inline void check(const Picture& picture, const ToHslOptions& /*options*/) {
  detail::check_photographic(picture, "hsl");
}

/// Throws Error{usage} for options that are invalid for every image.
inline void validate(const FromHslOptions& options) {
  detail::reject_unless(options.sample == Sample::u8 || options.sample == Sample::u16,
                        "hsl: RGB has 8 or 16 bits per channel");
}

inline void check(const Picture& picture, const FromHslOptions& options) {
  const PixelFormat format = picture.format();
  if (format.sample != sample_of(options.encoding) || format.channels < 3) {
    throw Error(ErrorKind::unsupported, "hsl: the pixels do not have the sample type and channels of the encoding");
  }
  validate(options);
}

inline void check(const Picture& picture, const HslAdjustment& /*by*/) { detail::check_photographic(picture, "hsl"); }

constexpr PixelFormat result_format(PixelFormat input, const ToHslOptions& options) {
  return {sample_of(options.encoding), input.has_alpha() ? 4 : 3};
}
constexpr PixelFormat result_format(PixelFormat input, const FromHslOptions& options) {
  return {options.sample, input.channels};
}
constexpr PixelFormat result_format(PixelFormat input, const HslAdjustment& /*by*/) { return input; }

constexpr int halo_rows(const ToHslOptions& /*options*/) { return 0; }
constexpr int halo_rows(const FromHslOptions& /*options*/) { return 0; }
constexpr int halo_rows(const HslAdjustment& /*by*/) { return 0; }

}  // namespace gpuimg
