// Loads and stores pixels of device memory, and computes the level of a pixel: the value that is counted, summed or
// mapped. Specified in docs/operations.md.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "ops/equalize.hpp"
#include "ops/hist.hpp"
#include "ops/hsl.hpp"
#include "ops/luma.hpp"

namespace gpuimg::cuda {

// --- Samples ---------------------------------------------------------------------------------------------------------

/// The float 2²³ and its bits. The low 8 bits of the bit pattern are free for a byte.
inline constexpr std::uint32_t kBiasBits = 0x4B000000U;
inline constexpr float kBias = 8388608.0F;

/// kCount samples of type T, packed into 32-bit words. Indices must be compile-time constants after unrolling,
/// otherwise the compiler moves the words to local memory.
template <class T, int kCount>
struct Samples {
  static constexpr int kBytes = kCount * static_cast<int>(sizeof(T));
  static constexpr int kWords = (kBytes + 3) / 4;
  static constexpr int kPerWord = sizeof(T) < 4 ? 4 / static_cast<int>(sizeof(T)) : 1;
  using Value = std::conditional_t<std::is_same_v<T, float>, float, std::uint32_t>;

  std::uint32_t words[kWords] = {};

  __device__ __forceinline__ Value get(int i) const {
    if constexpr (std::is_same_v<T, float>) {
      return __uint_as_float(words[i]);
    } else {
      const int k = i % kPerWord;
      const unsigned selector = sizeof(T) == 1 ? 0x4440U + k : k == 0 ? 0x4410U : 0x4432U;
      return __byte_perm(words[i / kPerWord], 0, selector);
    }
  }

  /// Returns an 8-bit sample v as the bits of the float 2²³ + v. Takes one fast instruction; a conversion would use a
  /// slow unit.
  __device__ __forceinline__ std::uint32_t get_biased(int i) const {
    static_assert(sizeof(T) == 1);
    return __byte_perm(words[i / 4], kBiasBits, 0x7440U + i % 4);
  }

  /// Stores the low byte of `word` as sample i, ignoring the other bytes. Call in ascending order of i.
  __device__ __forceinline__ void put_low_byte(int i, std::uint32_t word) {
    static_assert(sizeof(T) == 1);
    const int k = i % 4;
    words[i / 4] = k == 0 ? word : __byte_perm(words[i / 4], word, k == 1 ? 0x7640U : k == 2 ? 0x7410U : 0x4210U);
  }

  /// Stores the low half of `word` as 16-bit sample i, ignoring the other half. Call in ascending order of i.
  __device__ __forceinline__ void put_low_half(int i, std::uint32_t word) {
    static_assert(sizeof(T) == 2);
    words[i / 2] = i % 2 == 0 ? word : __byte_perm(words[i / 2], word, 0x5410U);
  }

  /// Stores sample i. Call at most once per sample, on samples that were zero.
  __device__ __forceinline__ void put(int i, Value value) {
    if constexpr (std::is_same_v<T, float>) {
      words[i] = __float_as_uint(value);
    } else {
      const int shift = (i % kPerWord) * 8 * static_cast<int>(sizeof(T));
      words[i / kPerWord] += value << shift;
    }
  }
};

/// Loads a word through the cache. For the last reader, hints that the word can be evicted first.
template <bool kLastRead, class Word>
__device__ __forceinline__ Word load_word(const Word* from) {
  return kLastRead ? __ldcs(from) : __ldg(from);
}

/// Loads samples. The address must be aligned to the largest power of two, at most 16, that divides their size.
template <bool kLastRead = false, class T, int kCount>
__device__ __forceinline__ void load(Samples<T, kCount>& samples, const std::byte* from) {
  constexpr int kBytes = Samples<T, kCount>::kBytes;
  if constexpr (kBytes % 16 == 0) {
#pragma unroll
    for (int i = 0; i < kBytes / 16; ++i) {
      const uint4 v = load_word<kLastRead>(reinterpret_cast<const uint4*>(from) + i);
      samples.words[4 * i] = v.x;
      samples.words[4 * i + 1] = v.y;
      samples.words[4 * i + 2] = v.z;
      samples.words[4 * i + 3] = v.w;
    }
  } else if constexpr (kBytes % 8 == 0) {
#pragma unroll
    for (int i = 0; i < kBytes / 8; ++i) {
      const uint2 v = load_word<kLastRead>(reinterpret_cast<const uint2*>(from) + i);
      samples.words[2 * i] = v.x;
      samples.words[2 * i + 1] = v.y;
    }
  } else if constexpr (kBytes % 4 == 0) {
#pragma unroll
    for (int i = 0; i < kBytes / 4; ++i) {
      samples.words[i] = load_word<kLastRead>(reinterpret_cast<const unsigned int*>(from) + i);
    }
  } else if constexpr (kBytes == 2) {
    samples.words[0] = load_word<kLastRead>(reinterpret_cast<const unsigned short*>(from));
  } else {
    static_assert(kBytes == 1);
    samples.words[0] = load_word<kLastRead>(reinterpret_cast<const unsigned char*>(from));
  }
}

/// Stores a word. In global memory, hints that it need not stay cached; shared memory has no such hint.
template <bool kToGlobal, class Word>
__device__ __forceinline__ void store_word(Word* to, Word word) {
  if constexpr (kToGlobal) {
    __stcs(to, word);
  } else {
    *to = word;
  }
}

/// Stores samples; alignment as for load(). The cache evicts samples stored to global memory before data that was read.
template <bool kToGlobal = true, class T, int kCount>
__device__ __forceinline__ void store(const Samples<T, kCount>& samples, std::byte* to) {
  constexpr int kBytes = Samples<T, kCount>::kBytes;
  if constexpr (kBytes % 16 == 0) {
#pragma unroll
    for (int i = 0; i < kBytes / 16; ++i) {
      store_word<kToGlobal>(reinterpret_cast<uint4*>(to) + i,
                            make_uint4(samples.words[4 * i], samples.words[4 * i + 1], samples.words[4 * i + 2],
                                       samples.words[4 * i + 3]));
    }
  } else if constexpr (kBytes % 8 == 0) {
#pragma unroll
    for (int i = 0; i < kBytes / 8; ++i) {
      store_word<kToGlobal>(reinterpret_cast<uint2*>(to) + i,
                            make_uint2(samples.words[2 * i], samples.words[2 * i + 1]));
    }
  } else if constexpr (kBytes % 4 == 0) {
#pragma unroll
    for (int i = 0; i < kBytes / 4; ++i) {
      store_word<kToGlobal>(reinterpret_cast<unsigned int*>(to) + i, samples.words[i]);
    }
  } else if constexpr (kBytes == 2) {
    *reinterpret_cast<unsigned short*>(to) = static_cast<unsigned short>(samples.words[0]);
  } else {
    static_assert(kBytes == 1);
    *reinterpret_cast<unsigned char*>(to) = static_cast<unsigned char>(samples.words[0]);
  }
}

/// Loads one pixel from an address aligned only to T.
template <class T, int kChannels>
__device__ __forceinline__ Samples<T, kChannels> load_pixel(const std::byte* from) {
  Samples<T, kChannels> pixel;
#pragma unroll
  for (int c = 0; c < kChannels; ++c) {
    pixel.put(c, __ldg(reinterpret_cast<const T*>(from) + c));
  }
  return pixel;
}

template <class T, int kChannels>
__device__ __forceinline__ void store_pixel(const Samples<T, kChannels>& pixel, std::byte* to) {
#pragma unroll
  for (int c = 0; c < kChannels; ++c) {
    reinterpret_cast<T*>(to)[c] = static_cast<T>(pixel.get(c));
  }
}

/// Color of pixel p of a group. A gray pixel yields r = g = b.
template <int kChannels, class T, int kCount>
__device__ __forceinline__ Rgb rgb_of(const Samples<T, kCount>& samples, int p) {
  if constexpr (kChannels >= 3) {
    return {samples.get(p * kChannels), samples.get(p * kChannels + 1), samples.get(p * kChannels + 2)};
  } else {
    const std::uint32_t gray = samples.get(p * kChannels);
    return {gray, gray, gray};
  }
}

template <int kChannels>
inline constexpr bool kHasAlpha = kChannels == 2 || kChannels == 4;

/// Calls body.template operator()<channels>() for the channels of a photographic picture.
template <class Body>
void with_channels(int channels, const Body& body) {
  switch (channels) {
    case 1: return body.template operator()<1>();
    case 2: return body.template operator()<2>();
    case 3: return body.template operator()<3>();
    default: return body.template operator()<4>();
  }
}

// --- Levels ----------------------------------------------------------------------------------------------------------

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

/// Loads up to 16 levels from any address. If `rest` is below 16, only the first `rest` levels are valid; the others
/// become zeros. Reads at most three bytes before and three bytes past the valid levels.
__device__ __forceinline__ uint4 load_unaligned(const std::uint8_t* from, int rest = 16) {
  const auto misplaced = static_cast<int>(reinterpret_cast<std::uintptr_t>(from) % 4);
  const auto* words = reinterpret_cast<const std::uint32_t*>(from - misplaced);
  std::uint32_t word[5];
#pragma unroll
  for (int i = 0; i < 5; ++i) {
    word[i] = 4 * i - misplaced < rest ? __ldg(words + i) : 0U;
  }
  std::uint32_t levels[4];
#pragma unroll
  for (int i = 0; i < 4; ++i) {
    const int inside = min(max(rest - 4 * i, 0), 4);
    const std::uint32_t mask = inside == 4 ? 0xFFFFFFFFU : (1U << (8 * inside)) - 1;
    levels[i] = __funnelshift_r(word[i], word[i + 1], 8 * misplaced) & mask;
  }
  return make_uint4(levels[0], levels[1], levels[2], levels[3]);
}

}  // namespace gpuimg::cuda
