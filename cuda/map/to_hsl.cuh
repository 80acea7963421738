// RGB to HSL in every encoding. The rule stands in docs/operations.md, "HSL"; the design in docs/performance.md.
#pragma once

#include "device/exact_divide.cuh"
#include "map/fast_hsl8.cuh"
#include "map/pixel_map.cuh"

namespace gpuimg::cuda {

/// Encoders: three channels and alpha of one pixel, in the order in which they are stored.
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

extern template void launch_to_hsl<std::uint8_t>(Workspace&, const Picture&, HslEncoding, std::byte*);
extern template void launch_to_hsl<std::uint16_t>(Workspace&, const Picture&, HslEncoding, std::byte*);

}  // namespace gpuimg::cuda
