// The level of a pixel: what is counted, summed or mapped. Specified in docs/operations.md.
#pragma once

#include "device/samples.cuh"
#include "ops/equalize.hpp"
#include "ops/hist.hpp"
#include "ops/hsl.hpp"
#include "ops/luma.hpp"

namespace gpuimg::cuda {

/// A level selected at run time. Fast kernels take it as a template argument instead.
enum class LevelKind : std::uint8_t { luma, ycrcb, hsl_level, sample, hue, saturation, lightness };

struct LevelSource {
  LevelKind kind = LevelKind::sample;
  Luma luma = kDefaultLuma;
  int sample = 0;            ///< for LevelKind::sample: index of the interleaved channel
  std::uint32_t bins = 256;  ///< levels are below this
};

inline LevelSource source_of(Channel channel, Luma luma, PixelFormat format, int hsl_bins) {
  LevelSource source;
  source.luma = luma;
  source.bins = is_hsl(channel) ? static_cast<std::uint32_t>(hsl_bins) : format.max_value() + 1U;
  switch (channel) {
    case Channel::luma: source.kind = format.channels >= 3 ? LevelKind::luma : LevelKind::sample; break;
    case Channel::red: break;
    case Channel::green: source.sample = format.channels >= 3 ? 1 : 0; break;
    case Channel::blue: source.sample = format.channels >= 3 ? 2 : 0; break;
    case Channel::alpha: source.sample = format.channels - 1; break;
    case Channel::hue: source.kind = LevelKind::hue; break;
    case Channel::saturation: source.kind = LevelKind::saturation; break;
    case Channel::lightness: source.kind = LevelKind::lightness; break;
  }
  return source;
}

/// The level that equalize counts and maps for a color image, in modes with one table.
inline LevelSource source_of(EqualizeColor color, Luma luma, PixelFormat format) {
  LevelSource source;
  source.luma = luma;
  source.bins = format.max_value() + 1U;
  source.kind = color == EqualizeColor::ycbcr ? LevelKind::ycrcb
                : color == EqualizeColor::hsl ? LevelKind::hsl_level
                                              : LevelKind::luma;
  return source;
}

template <class T, int kChannels>
__device__ __forceinline__ std::uint32_t level_of_pixel(const Samples<T, kChannels>& pixel, const LevelSource& source) {
  const Rgb p = rgb_of<kChannels>(pixel, 0);
  switch (source.kind) {
    case LevelKind::luma: return luma_of(source.luma, p.r, p.g, p.b);
    case LevelKind::ycrcb: return ycrcb_luma(p);
    case LevelKind::hsl_level: return hsl_level(p);
    case LevelKind::hue: return hue_bin(hsl_fractions(p.r, p.g, p.b, kMaxOf<T>), source.bins);
    case LevelKind::saturation: return saturation_bin(hsl_fractions(p.r, p.g, p.b, kMaxOf<T>), source.bins);
    case LevelKind::lightness: return lightness_bin(hsl_fractions(p.r, p.g, p.b, kMaxOf<T>), source.bins, kMaxOf<T>);
    case LevelKind::sample: break;
  }
  std::uint32_t level = pixel.get(0);
#pragma unroll
  for (int c = 1; c < kChannels; ++c) {
    level = source.sample == c ? pixel.get(c) : level;
  }
  return level;
}

}  // namespace gpuimg::cuda
