// HSL conversion in both directions, and adjustment, on the CPU. Specified in docs/operations.md, "HSL".
#include "ops/hsl.hpp"

#include <algorithm>

#include "operations.hpp"
#include "parallel_loops.hpp"
#include "pixel_rows.hpp"
#include "simd/simd_rows.hpp"

namespace gpuimg::cpu {
namespace {

constexpr float kHalfDegrees = 180.0F;
constexpr float kFullByte = 256.0F;

/// Encoders write the three channels of one pixel. If kHasVectors is set, vectors() converts the first pixels of a row
/// of 8-bit RGB or RGBA, and returns the number of converted pixels.
struct ToFloat {
  using Out = float;
  static constexpr bool kHasVectors = true;
  static std::size_t vectors(const std::uint8_t* pixels, int channels, std::size_t count, float* out) {
    return hsl_f32_vectors(pixels, channels, count, out);
  }
  template <class T>
  static void encode(const Rgb& p, float* out) {
    const Hsl hsl = hsl_float<T>(hsl_fractions(p.r, p.g, p.b, kMaxOf<T>));
    out[0] = hsl.hue_degrees;
    out[1] = hsl.saturation;
    out[2] = hsl.lightness;
  }
  template <class T>
  static float alpha(T value) {
    return nearest_ratio<true>(value, kMaxOf<T>);
  }
};

struct ToU16 {
  using Out = std::uint16_t;
  static constexpr bool kHasVectors = true;
  static std::size_t vectors(const std::uint8_t* pixels, int channels, std::size_t count, std::uint16_t* out) {
    return hsl_u16_vectors(pixels, channels, count, out);
  }
  template <class T>
  static void encode(const Rgb& p, std::uint16_t* out) {
    const HslU16 hsl = hsl_u16<T>(hsl_fractions(p.r, p.g, p.b, kMaxOf<T>));
    out[0] = hsl.hue;
    out[1] = hsl.saturation;
    out[2] = hsl.lightness;
  }
  template <class T>
  static std::uint16_t alpha(T value) {
    return static_cast<std::uint16_t>(scaled_level(value, kMaxOf<T>, 65535));
  }
};

struct ToOpencv {
  using Out = std::uint8_t;
  static constexpr bool kHasVectors = false;
  float hue_range;
  template <class T>
  void encode(const Rgb& p, std::uint8_t* out) const {
    const HlsU8 hls = hls_opencv(p.r, p.g, p.b, kMaxOf<T>, hue_range);
    out[0] = hls.hue;
    out[1] = hls.lightness;
    out[2] = hls.saturation;
  }
  template <class T>
  static std::uint8_t alpha(T value) {
    return static_cast<std::uint8_t>(scaled_level(value, kMaxOf<T>, 255));
  }
};

template <class T, int channels, class Encoder>
void encode_row(const T* from, std::size_t count, const Encoder& encoder, typename Encoder::Out* to) {
  constexpr bool kAlpha = channels == 2 || channels == 4;
  constexpr std::size_t kOutChannels = kAlpha ? 4 : 3;
  std::size_t x = 0;
  if constexpr (sizeof(T) == 1 && channels >= 3 && Encoder::kHasVectors) {
    x = Encoder::vectors(from, channels, count, to);
  }
  for (; x < count; ++x) {
    typename Encoder::Out* const out = to + x * kOutChannels;
    encoder.template encode<T>(rgb_at<channels>(from, x), out);
    if constexpr (kAlpha) {
      out[3] = encoder.template alpha<T>(from[x * channels + channels - 1]);
    }
  }
}

template <class Encoder>
Image encoded(ConstView pixels, HslEncoding encoding, const Encoder& encoder, PixelPool& pool) {
  const bool alpha = pixels.format.has_alpha();
  const int out_channels = alpha ? 4 : 3;
  Image result = pool.image(pixels.width, pixels.height, PixelFormat{sample_of(encoding), out_channels});
  const View out = result.view();
  for_row_bands(pixels.width, pixels.height, [&](int begin, int end) {
    with_format(pixels.format, [&]<class T, int channels>() {
      for (int y = begin; y < end; ++y) {
        encode_row<T, channels>(pixels.row<T>(y), static_cast<std::size_t>(pixels.width), encoder,
                                out.row<typename Encoder::Out>(y));
      }
    });
  });
  return result;
}

/// Decoders read the three channels of one pixel.
struct FromFloat {
  using In = float;
  [[nodiscard]] static Hsl decode(const float* in) { return decode_hsl_f32(in[0], in[1], in[2]); }
  [[nodiscard]] static std::uint32_t alpha(float value, std::uint32_t v_max) {
    return channel_level(unit_clamped(value), 0.0F, static_cast<float>(v_max));
  }
};

struct FromU16 {
  using In = std::uint16_t;
  [[nodiscard]] static Hsl decode(const std::uint16_t* in) { return decode_hsl_u16(in[0], in[1], in[2]); }
  [[nodiscard]] static std::uint32_t alpha(std::uint16_t value, std::uint32_t v_max) {
    return scaled_level(value, 65535, v_max);
  }
};

struct FromOpencv {
  using In = std::uint8_t;
  float hue_range;
  [[nodiscard]] Hsl decode(const std::uint8_t* in) const { return decode_hls_opencv(in[0], in[1], in[2], hue_range); }
  [[nodiscard]] static std::uint32_t alpha(std::uint8_t value, std::uint32_t v_max) {
    return scaled_level(value, 255, v_max);
  }
};

template <class T, class Decoder>
void decode_rows(ConstView pixels, View out, int begin, int end, const Decoder& decoder) {
  const int channels = pixels.format.channels;
  for (int y = begin; y < end; ++y) {
    const auto* from = pixels.row<typename Decoder::In>(y);
    T* to = out.row<T>(y);
    for (int x = 0; x < pixels.width; ++x, from += channels, to += channels) {
      const Rgb p = rgb_from_hsl(decoder.decode(from), kMaxOf<T>);
      to[0] = static_cast<T>(p.r);
      to[1] = static_cast<T>(p.g);
      to[2] = static_cast<T>(p.b);
      if (channels == 4) {
        to[3] = static_cast<T>(decoder.alpha(from[3], kMaxOf<T>));
      }
    }
  }
}

template <class Decoder>
Image decoded(ConstView pixels, Sample sample, const Decoder& decoder, PixelPool& pool) {
  Image result = pool.image(pixels.width, pixels.height, PixelFormat{sample, pixels.format.channels});
  const View out = result.view();
  for_row_bands(pixels.width, pixels.height, [&](int begin, int end) {
    if (sample == Sample::u8) {
      decode_rows<std::uint8_t>(pixels, out, begin, end, decoder);
    } else {
      decode_rows<std::uint16_t>(pixels, out, begin, end, decoder);
    }
  });
  return result;
}

}  // namespace

Image apply(ConstView pixels, const ToHslOptions& options, PixelPool& pool) {
  const HslEncoding encoding = options.encoding;
  switch (encoding) {
    case HslEncoding::f32: return encoded(pixels, encoding, ToFloat{}, pool);
    case HslEncoding::u16: return encoded(pixels, encoding, ToU16{}, pool);
    case HslEncoding::opencv: return encoded(pixels, encoding, ToOpencv{kHalfDegrees}, pool);
    default: return encoded(pixels, encoding, ToOpencv{kFullByte}, pool);
  }
}

Image apply(ConstView pixels, const FromHslOptions& options, PixelPool& pool) {
  const Sample sample = options.sample;
  switch (options.encoding) {
    case HslEncoding::f32: return decoded(pixels, sample, FromFloat{}, pool);
    case HslEncoding::u16: return decoded(pixels, sample, FromU16{}, pool);
    case HslEncoding::opencv: return decoded(pixels, sample, FromOpencv{kHalfDegrees}, pool);
    default: return decoded(pixels, sample, FromOpencv{kFullByte}, pool);
  }
}

Image apply(ConstView pixels, const HslAdjustment& by, PixelPool& pool) {
  if (by.is_identity()) {
    return pool.copy_of(pixels);
  }
  Image result = pool.image(pixels.width, pixels.height, pixels.format);
  const View out = result.view();
  for_row_bands(pixels.width, pixels.height, [&](int begin, int end) {
    with_format(pixels.format, [&]<class T, int channels>() {
      for (int y = begin; y < end; ++y) {
        const T* from = pixels.row<T>(y);
        T* to = out.row<T>(y);
        for (int x = 0; x < pixels.width; ++x, from += channels, to += channels) {
          const Rgb p = rgb_at<channels>(from, 0);
          const Rgb q = rgb_from_hsl(adjusted(hsl_float<T>(hsl_fractions(p.r, p.g, p.b, kMaxOf<T>)), by), kMaxOf<T>);
          to[0] = static_cast<T>(q.r);
          if constexpr (channels >= 3) {
            to[1] = static_cast<T>(q.g);
            to[2] = static_cast<T>(q.b);
          }
          if constexpr (channels == 2 || channels == 4) {
            to[channels - 1] = from[channels - 1];
          }
        }
      }
    });
  });
  return result;
}

}  // namespace gpuimg::cpu
