// The HSL operations on the device: conversion in every encoding, the inverse, and adjustment.
// Specified in docs/operations.md, "HSL"; design in docs/performance.md.
#include "map/exact_divide.cuh"
#include "map/pixel_map.cuh"
#include "ops/hsl.hpp"

namespace gpuimg::cuda {
namespace {

// --- RGB to HSL ------------------------------------------------------------------------------------------------------

/// Computes hsl_u16<std::uint8_t> in float32. All numbers except the reciprocals are exact. A rounded quotient is an
/// estimate q (an integer, at most one off) plus its remainder times the reciprocal, rounded once. Remainders are
/// integers, so adding 1/8 to them rounds ties up and moves no other value to a tie.
struct FastHslU16 {
  static constexpr float kToInteger = 12582912.0F;  // 1.5·2²³: adding it leaves the rounded integer in the low 16 bits
  static constexpr float kTieBreak = 0.125F;
  static constexpr float kTieBreakRatio = 1.0F + 1.0F / 1048576.0F;

  /// kToInteger + ⌊a/b + ½⌋. `a` gives the estimate; the remainder is a multiple of `unit`.
  static __device__ __forceinline__ std::uint32_t rounded_ratio(float a, float b, float unit) {
    const float reciprocal = approximate_reciprocal(b);
    const float estimate = __fmaf_rn(a, reciprocal, kToInteger);
    const float remainder = __fmaf_rn(-(estimate - kToInteger), b, a);
    return __float_as_uint(__fmaf_rn(remainder + kTieBreak * unit, reciprocal, estimate));
  }

  /// r, g and b are the bits of kBias + value. Hue, saturation and lightness are the low 16 bits of the results.
  static __device__ __forceinline__ uint3 mapped(std::uint32_t red, std::uint32_t green, std::uint32_t blue) {
    constexpr float kHueUnit = 1.0F / 32768.0F;
    const float r = __uint_as_float(red);
    const float g = __uint_as_float(green);
    const float b = __uint_as_float(blue);
    const float high = fmaxf(r, fmaxf(g, b));
    const float low = fminf(r, fminf(g, b));
    const float chroma = high - low;
    const float sum = __fmaf_rn(2.0F, low - kBias, chroma);
    const float denominator = fmaxf(255.0F - fabsf(sum - 255.0F), 1.0F);
    // H = 65536·n/(6·chroma) = n/(3·chroma/32768). A negative n gives a negative hue; its low 16 bits are the wrapped
    // hue.
    const float if_red = g - b;
    const float if_green = __fmaf_rn(2.0F, chroma, b - r);
    const float if_blue = __fmaf_rn(4.0F, chroma, r - g);
    const float numerator = high == r ? if_red : high == g ? if_green : if_blue;
    const float turn = fmaxf(chroma * (3.0F * kHueUnit), 3.0F * kHueUnit);
    // L = 128.5·sum. Odd sums are ties.
    const float lightness = __fmaf_rn(sum, 128.5F * kTieBreakRatio, kToInteger);
    return make_uint3(rounded_ratio(numerator, turn, kHueUnit), rounded_ratio(chroma * 65535.0F, denominator, 1.0F),
                      __float_as_uint(lightness));
  }
};

/// Encoders convert one pixel to three channels and alpha, in storage order.
template <class T>
struct ToFloat {
  using Out = float;
  __device__ __forceinline__ void color(const Rgb& p, float (&out)[3]) const {
    const Hsl hsl = hsl_float<T, CorrectedDivide>(hsl_fractions(p.r, p.g, p.b, kMaxOf<T>));
    out[0] = hsl.hue_degrees;
    out[1] = hsl.saturation;
    out[2] = hsl.lightness;
  }
  __device__ __forceinline__ float alpha(std::uint32_t value) const {
    return CorrectedDivide::ratio_by<kMaxOf<T>>(value);
  }
};

template <class T>
struct ToU16 {
  using Out = std::uint16_t;
  __device__ __forceinline__ void color(const Rgb& p, std::uint32_t (&out)[3]) const {
    const HslU16 hsl = hsl_u16<T, CorrectedDivide>(hsl_fractions(p.r, p.g, p.b, kMaxOf<T>));
    out[0] = hsl.hue;
    out[1] = hsl.saturation;
    out[2] = hsl.lightness;
  }
  __device__ __forceinline__ std::uint32_t alpha(std::uint32_t value) const {
    return scaled_level(value, kMaxOf<T>, 65535);
  }
};

template <class T>
struct ToOpencv {
  using Out = std::uint8_t;
  float hue_range = 180.0F;
  __device__ __forceinline__ void color(const Rgb& p, std::uint32_t (&out)[3]) const {
    const HlsU8 hls = hls_opencv(p.r, p.g, p.b, kMaxOf<T>, hue_range);
    out[0] = hls.hue;
    out[1] = hls.lightness;
    out[2] = hls.saturation;
  }
  __device__ __forceinline__ std::uint32_t alpha(std::uint32_t value) const {
    return scaled_level(value, kMaxOf<T>, 255);
  }
};

template <class T, int kChannels, class Encoder>
struct ToHsl : PixelOperation<T, kChannels, typename Encoder::Out, kHasAlpha<kChannels> ? 4 : 3, 256, 6> {
  static constexpr bool kIsFast = std::is_same_v<Encoder, ToU16<std::uint8_t>>;
  Encoder encoder;
  explicit ToHsl(const Encoder& with) : encoder(with) {}

  template <int n, class In, class Out>
  __device__ __forceinline__ void map(const In& in, Out& out, std::uint64_t) const {
    constexpr int kOut = kHasAlpha<kChannels> ? 4 : 3;
#pragma unroll
    for (int p = 0; p < n; ++p) {
      if constexpr (kIsFast) {
        const int at = p * kChannels;
        const int step = kChannels >= 3 ? 1 : 0;
        const uint3 hsl = FastHslU16::mapped(in.get_biased(at), in.get_biased(at + step), in.get_biased(at + 2 * step));
        out.put_low_half(p * kOut, hsl.x);
        out.put_low_half(p * kOut + 1, hsl.y);
        out.put_low_half(p * kOut + 2, hsl.z);
      } else {
        typename Out::Value color[3];
        encoder.color(rgb_of<kChannels>(in, p), color);
#pragma unroll
        for (int c = 0; c < 3; ++c) {
          out.put(p * kOut + c, color[c]);
        }
      }
      if constexpr (kHasAlpha<kChannels>) {
        const auto alpha = encoder.alpha(in.get(p * kChannels + kChannels - 1));
        if constexpr (kIsFast) {
          out.put_low_half(p * kOut + 3, alpha);
        } else {
          out.put(p * kOut + 3, alpha);
        }
      }
    }
  }
};

/// T is the picture's sample type.
template <class T>
void launch_to_hsl(Workspace& workspace, const Picture& picture, HslEncoding encoding, std::byte* out) {
  const auto launch = [&]<class Encoder>(const Encoder& encoder) {
    with_channels(picture.format().channels, [&]<int kChannels>() {
      launch_map(workspace, pixels_of(picture), out, picture.pixel_count(), ToHsl<T, kChannels, Encoder>(encoder),
                 "converting to HSL");
    });
  };
  switch (encoding) {
    case HslEncoding::f32: return launch(ToFloat<T>{});
    case HslEncoding::u16: return launch(ToU16<T>{});
    case HslEncoding::opencv: return launch(ToOpencv<T>{180.0F});
    case HslEncoding::opencv_full: return launch(ToOpencv<T>{256.0F});
  }
}

// --- HSL to RGB, and adjustment --------------------------------------------------------------------------------------

/// Decoders convert three channels and alpha of one stored pixel.
struct FromFloat {
  using In = float;
  __device__ __forceinline__ Hsl color(float a, float b, float c) const { return decode_hsl_f32(a, b, c); }
  __device__ __forceinline__ std::uint32_t alpha(float value, std::uint32_t v_max) const {
    return channel_level(unit_clamped(value), 0.0F, static_cast<float>(v_max));
  }
};

struct FromU16 {
  using In = std::uint16_t;
  __device__ __forceinline__ Hsl color(std::uint32_t a, std::uint32_t b, std::uint32_t c) const {
    return decode_hsl_u16(a, b, c);
  }
  __device__ __forceinline__ std::uint32_t alpha(std::uint32_t value, std::uint32_t v_max) const {
    return scaled_level(value, 65535, v_max);
  }
};

struct FromOpencv {
  using In = std::uint8_t;
  float hue_range = 180.0F;
  __device__ __forceinline__ Hsl color(std::uint32_t a, std::uint32_t b, std::uint32_t c) const {
    return decode_hls_opencv(a, b, c, hue_range);
  }
  __device__ __forceinline__ std::uint32_t alpha(std::uint32_t value, std::uint32_t v_max) const {
    return scaled_level(value, 255, v_max);
  }
};

template <class Decoder, class T, int kChannels>
struct FromHsl : PixelOperation<typename Decoder::In, kChannels, T, kChannels, 256, 4> {
  Decoder decoder;
  explicit FromHsl(const Decoder& with) : decoder(with) {}

  template <int n, class In, class Out>
  __device__ __forceinline__ void map(const In& in, Out& out, std::uint64_t) const {
#pragma unroll
    for (int p = 0; p < n; ++p) {
      const int i = p * kChannels;
      const Rgb rgb = rgb_from_hsl(decoder.color(in.get(i), in.get(i + 1), in.get(i + 2)), kMaxOf<T>);
      out.put(i, rgb.r);
      out.put(i + 1, rgb.g);
      out.put(i + 2, rgb.b);
      if constexpr (kChannels == 4) {
        out.put(i + 3, decoder.alpha(in.get(i + 3), kMaxOf<T>));
      }
    }
  }
};

template <class T, int kChannels>
struct AdjustHsl : PixelOperation<T, kChannels, T, kChannels, 256, 4> {
  HslAdjustment by;
  explicit AdjustHsl(const HslAdjustment& adjustment) : by(adjustment) {}

  template <int n, class In, class Out>
  __device__ __forceinline__ void map(const In& in, Out& out, std::uint64_t) const {
#pragma unroll
    for (int p = 0; p < n; ++p) {
      const int i = p * kChannels;
      const Rgb from = rgb_of<kChannels>(in, p);
      const Hsl hsl = hsl_float<T, CorrectedDivide>(hsl_fractions(from.r, from.g, from.b, kMaxOf<T>));
      const Rgb rgb = rgb_from_hsl(adjusted(hsl, by), kMaxOf<T>);
      out.put(i, rgb.r);
      if constexpr (kChannels >= 3) {
        out.put(i + 1, rgb.g);
        out.put(i + 2, rgb.b);
      }
      if constexpr (kHasAlpha<kChannels>) {
        out.put(i + kChannels - 1, in.get(i + kChannels - 1));
      }
    }
  }
};

template <class Decoder>
void launch_from_hsl(Workspace& workspace, const Picture& from, const Picture& to, const Decoder& decoder) {
  const auto launch = [&]<class T, int kChannels>() {
    launch_map(workspace, pixels_of(from), pixels_of(to), from.pixel_count(), FromHsl<Decoder, T, kChannels>(decoder),
               "converting from HSL");
  };
  if (to.format().sample == Sample::u8) {
    to.format().channels == 3 ? launch.template operator()<std::uint8_t, 3>()
                              : launch.template operator()<std::uint8_t, 4>();
  } else {
    to.format().channels == 3 ? launch.template operator()<std::uint16_t, 3>()
                              : launch.template operator()<std::uint16_t, 4>();
  }
}

template <class T>
void launch_adjust(Workspace& workspace, const Picture& from, const Picture& to, const HslAdjustment& by) {
  with_channels(from.format().channels, [&]<int kChannels>() {
    launch_map(workspace, pixels_of(from), pixels_of(to), from.pixel_count(), AdjustHsl<T, kChannels>(by),
               "adjusting HSL");
  });
}

}  // namespace

Picture apply(Workspace& workspace, const Picture& picture, const ToHslOptions& options) {
  const HslEncoding encoding = options.encoding;
  Picture result =
      new_picture(workspace.device(), picture.width(), picture.height(), result_format(picture.format(), options));
  if (picture.format().sample == Sample::u8) {
    launch_to_hsl<std::uint8_t>(workspace, picture, encoding, pixels_of(result));
  } else {
    launch_to_hsl<std::uint16_t>(workspace, picture, encoding, pixels_of(result));
  }
  return result;
}

Picture apply(Workspace& workspace, const Picture& picture, const FromHslOptions& options) {
  Picture result =
      new_picture(workspace.device(), picture.width(), picture.height(), result_format(picture.format(), options));
  switch (options.encoding) {
    case HslEncoding::f32: launch_from_hsl(workspace, picture, result, FromFloat{}); break;
    case HslEncoding::u16: launch_from_hsl(workspace, picture, result, FromU16{}); break;
    case HslEncoding::opencv: launch_from_hsl(workspace, picture, result, FromOpencv{180.0F}); break;
    case HslEncoding::opencv_full: launch_from_hsl(workspace, picture, result, FromOpencv{256.0F}); break;
  }
  return result;
}

Picture apply(Workspace& workspace, const Picture& picture, const HslAdjustment& by) {
  Picture result = new_picture(workspace.device(), picture.width(), picture.height(), picture.format());
  if (by.is_identity()) {
    cuda_check(cudaMemcpyAsync(pixels_of(result), pixels_of(picture), size_bytes(picture), cudaMemcpyDeviceToDevice,
                               workspace.stream()),
               "copying pixels");
  } else if (picture.format().sample == Sample::u8) {
    launch_adjust<std::uint8_t>(workspace, picture, result, by);
  } else {
    launch_adjust<std::uint16_t>(workspace, picture, result, by);
  }
  return result;
}

}  // namespace gpuimg::cuda
