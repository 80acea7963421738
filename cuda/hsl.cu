// The HSL operations on the device: conversion (map/to_hsl.cuh), the inverse, and adjustment.
// Specified in docs/operations.md, "HSL".
#include "map/to_hsl.cuh"
#include "ops/hsl.hpp"

namespace gpuimg::cuda {
namespace {

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
