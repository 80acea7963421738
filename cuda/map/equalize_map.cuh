// Maps pixels through look-up tables. Specified in docs/operations.md, "Color"; design of the fast
// paths in docs/performance.md.
#pragma once

#include "device/levels.cuh"
#include "map/exact_divide.cuh"
#include "map/pixel_map.cuh"
#include "ops/equalize.hpp"

namespace gpuimg::cuda {

/// How to map the pixels. Pointers are to device memory.
struct MapRequest {
  EqualizeColor color = EqualizeColor::luma;
  Luma luma = kDefaultLuma;
  const std::uint16_t* maps = nullptr;     ///< V + 1 entries per table
  int tables = 1;                          ///< 1, or 3 for separate r, g and b tables
  const std::uint32_t* changes = nullptr;  ///< if not null and *changes is 0, pixels stay unchanged
  double strength = 1.0;
  const std::uint8_t* mask = nullptr;  ///< pixels with mask value 0 stay unchanged
};

/// For 8-bit gray images, and the modes rgb and joint at 8 bits. Shared memory: one word per level with the entries of
/// all tables, repeated in each bank, so look-ups never conflict.
template <int kChannels>
struct MapEach8 : PixelOperation<std::uint8_t, kChannels, std::uint8_t, kChannels, 512, kChannels == 3 ? 3 : 4> {
  static constexpr bool kFollowsCounting = true;
  static constexpr std::size_t kSharedBytes = 256 * 32 * sizeof(std::uint32_t);
  static constexpr int kAhead = kChannels == 3 ? 1 : 2;
  static constexpr int kTurns = kChannels == 3 ? 0 : 2;
  MapRequest request;
  const std::uint32_t* table = nullptr;
  explicit MapEach8(const MapRequest& how) : request(how) {}

  __device__ void prepare(std::byte* shared) {
    auto* words = reinterpret_cast<std::uint32_t*>(shared);
    for (unsigned i = threadIdx.x; i < 256 * 8; i += this->kThreads) {
      const unsigned level = i / 8;
      std::uint32_t word = request.maps[level];
      if (request.tables == 3) {
        word |= static_cast<std::uint32_t>(request.maps[256 + level]) << 8;
        word |= static_cast<std::uint32_t>(request.maps[512 + level]) << 16;
      } else {
        word *= 0x010101U;
      }
      reinterpret_cast<uint4*>(shared)[i] = make_uint4(word, word, word, word);
    }
    table = words + threadIdx.x % 32;
  }

  template <int n, class Group>
  __device__ __forceinline__ void map(const Group& in, Group& out, std::uint64_t) const {
#pragma unroll
    for (int p = 0; p < n; ++p) {
#pragma unroll
      for (int c = 0; c < kChannels; ++c) {
        const std::uint32_t value = in.get(p * kChannels + c);
        const bool is_alpha = kHasAlpha<kChannels> && c == kChannels - 1;
        out.put_low_byte(p * kChannels + c, is_alpha ? value : table[value * 32] >> (8 * c));
      }
    }
  }
};

/// For 16-bit gray images, and the mode joint at 16 bits. Shared memory: the table, 128 KiB. Only pays off for large
/// images, because every block has to fill it.
template <int kChannels>
struct MapEach16 : PixelOperation<std::uint16_t, kChannels, std::uint16_t, kChannels, 1024, 1> {
  static constexpr bool kFollowsCounting = true;
  static constexpr std::size_t kSharedBytes = 65536 * sizeof(std::uint16_t);
  static constexpr int kTurns = 0;
  const std::uint16_t* maps;
  const std::uint16_t* table = nullptr;
  explicit MapEach16(const MapRequest& how) : maps(how.maps) {}

  __device__ void prepare(std::byte* shared) {
    for (unsigned i = threadIdx.x; i < kSharedBytes / sizeof(uint4); i += this->kThreads) {
      reinterpret_cast<uint4*>(shared)[i] = __ldg(reinterpret_cast<const uint4*>(maps) + i);
    }
    table = reinterpret_cast<const std::uint16_t*>(shared);
  }

  template <int n, class Group>
  __device__ __forceinline__ void map(const Group& in, Group& out, std::uint64_t) const {
#pragma unroll
    for (int p = 0; p < n; ++p) {
#pragma unroll
      for (int c = 0; c < kChannels; ++c) {
        const std::uint32_t value = in.get(p * kChannels + c);
        const bool is_alpha = kHasAlpha<kChannels> && c == kChannels - 1;
        out.put(p * kChannels + c, is_alpha ? value : std::uint32_t{table[value]});
      }
    }
  }
};

/// Computes with_luma<std::uint8_t> with one multiply-add per channel. In and out of gamut, a channel c becomes (c −
/// o)·q + b, rounded half away from zero. In gamut: o = 0, q = y_new/y, b = 0. Outside: o = y, q = (255 − y_new)/(max −
/// y), b = y_new. q is multiplied by 1 + 2⁻²⁰. This factor moves ties away from zero, and is too small to move another
/// value to a tie (the nearest is 1/510 away).
struct FastLuma8 {
  static constexpr float kToInteger = 12582912.0F;  // 1.5·2²³: adding it leaves the rounded integer in the low bits
  static constexpr float kTieBreak = 1.0F + 1.0F / 1048576.0F;

  /// Table entry for one luma: (y_new/y, kToInteger + y_new).
  static __device__ __forceinline__ float2 entry(std::uint32_t y, std::uint32_t y_new) {
    const float ratio = y == 0 ? 0.0F : static_cast<float>(y_new) / static_cast<float>(y);
    return make_float2(ratio * kTieBreak, kToInteger + static_cast<float>(y_new));
  }

  /// r, g, b and y are the bits of kBias + value. The new channels are the low bytes of the results.
  static __device__ __forceinline__ uint3 mapped(std::uint32_t red, std::uint32_t green, std::uint32_t blue,
                                                 std::uint32_t luma, float2 entry) {
    constexpr float kGamutEnd = 255.0F + 1.0F / 512.0F;  // max·y_new/y is either at most 255 or at least 255 + 1/255
    const float r = __uint_as_float(red);
    const float g = __uint_as_float(green);
    const float b = __uint_as_float(blue);
    const float y = __uint_as_float(luma);
    const float high = fmaxf(r, fmaxf(g, b));
    const bool outside = (high - kBias) * entry.x > kGamutEnd;
    const float room = kToInteger + 255.0F - entry.y;
    const float mixing = room * (approximate_reciprocal(high - y) * kTieBreak);
    const float q = outside ? mixing : entry.x;
    const float origin = outside ? y : kBias;
    const float base = outside || luma == kBiasBits ? entry.y : kToInteger;
    return make_uint3(__float_as_uint(__fmaf_rn(r - origin, q, base)), __float_as_uint(__fmaf_rn(g - origin, q, base)),
                      __float_as_uint(__fmaf_rn(b - origin, q, base)));
  }
};

/// Luma of biased samples, biased. The integer weights sum to a power of two, which shifts the bias out of the 32 bits.
template <Luma kind>
__device__ __forceinline__ std::uint32_t biased_luma(std::uint32_t r, std::uint32_t g, std::uint32_t b) {
  if constexpr (kind == Luma::bt601_trunc) {
    return kBiasBits | luma_of<kind>(r & 0xFFU, g & 0xFFU, b & 0xFFU);
  } else {
    return kBiasBits | luma_of<kind>(r, g, b);
  }
}

/// For EqualizeColor::luma at 8 bits. Shared memory: 16 copies of FastLuma8's entries, so each lane of a half-warp has
/// its own pair of banks.
template <int kChannels, Luma kind>
struct MapLuma8 : PixelOperation<std::uint8_t, kChannels, std::uint8_t, kChannels, 512, 3> {
  static constexpr bool kFollowsCounting = true;
  static constexpr int kCopies = 16;
  static constexpr std::size_t kSharedBytes = 256 * kCopies * sizeof(float2);
  static constexpr int kTurns = 0;
  MapRequest request;
  const float2* table = nullptr;
  bool is_identity = false;
  explicit __host__ __device__ MapLuma8(const MapRequest& how) : request(how) {}

  __device__ void prepare(std::byte* shared) {
    auto* entries = reinterpret_cast<float2*>(shared);
    for (unsigned i = threadIdx.x; i < 256 * kCopies; i += this->kThreads) {
      entries[i] = FastLuma8::entry(i / kCopies, request.maps[i / kCopies]);
    }
    table = entries + threadIdx.x % kCopies;
    is_identity = *request.changes == 0;
  }

  template <int n, class Group>
  __device__ __forceinline__ void map(const Group& in, Group& out, std::uint64_t) const {
    if (is_identity) {
      out = in;
      return;
    }
#pragma unroll
    for (int p = 0; p < n; ++p) {
      const std::uint32_t r = in.get_biased(p * kChannels);
      const std::uint32_t g = in.get_biased(p * kChannels + 1);
      const std::uint32_t b = in.get_biased(p * kChannels + 2);
      const std::uint32_t y = biased_luma<kind>(r, g, b);
      const uint3 mapped = FastLuma8::mapped(r, g, b, y, table[(y - kBiasBits) * kCopies]);
      out.put_low_byte(p * kChannels, mapped.x);
      out.put_low_byte(p * kChannels + 1, mapped.y);
      out.put_low_byte(p * kChannels + 2, mapped.z);
      if constexpr (kChannels == 4) {
        out.put_low_byte(p * kChannels + 3, in.get(p * kChannels + 3));
      }
    }
  }
};

/// For all other cases: selects mode, sample type, strength and mask at run time. The tables stay in global memory.
template <class T, int kChannels>
struct MapAny : PixelOperation<T, kChannels, T, kChannels, 256, 4> {
  static constexpr bool kFollowsCounting = true;
  MapRequest request;
  bool is_identity = false;
  explicit MapAny(const MapRequest& how) : request(how) {}

  __device__ void prepare(std::byte*) { is_identity = request.changes != nullptr && *request.changes == 0; }

  __device__ __forceinline__ std::uint32_t looked_up(std::uint32_t level, int table) const {
    return __ldg(request.maps + (request.tables == 3 ? table : 0) * (kMaxOf<T> + 1) + level);
  }

  __device__ __forceinline__ Rgb mapped(const Rgb& p) const {
    switch (kChannels >= 3 ? request.color : EqualizeColor::joint) {
      case EqualizeColor::luma: {
        const std::uint32_t y = luma_of(request.luma, p.r, p.g, p.b);
        return with_luma<T>(p, y, looked_up(y, 0));
      }
      case EqualizeColor::ycbcr: {
        YCrCb converted = ycrcb_from_rgb(p, kMaxOf<T>);
        converted.y = looked_up(converted.y, 0);
        return rgb_from_ycrcb(converted, kMaxOf<T>);
      }
      case EqualizeColor::hsl: return with_hsl_level<T>(p, looked_up(hsl_level(p), 0));
      case EqualizeColor::rgb:
      case EqualizeColor::joint: break;
    }
    return {looked_up(p.r, 0), looked_up(p.g, 1), looked_up(p.b, 2)};
  }

  __device__ __forceinline__ std::uint32_t mixed(std::uint32_t in, std::uint32_t to) const {
    return request.strength < 1.0 ? blended(in, to, request.strength) : to;
  }

  template <int n, class Group>
  __device__ __forceinline__ void map(const Group& in, Group& out, std::uint64_t first) const {
#pragma unroll
    for (int p = 0; p < n; ++p) {
      const Rgb from = rgb_of<kChannels>(in, p);
      const bool stays = is_identity || (request.mask != nullptr && __ldg(request.mask + first + p) == 0);
      const Rgb to = stays ? from : mapped(from);
      out.put(p * kChannels, stays ? from.r : mixed(from.r, to.r));
      if constexpr (kChannels >= 3) {
        out.put(p * kChannels + 1, stays ? from.g : mixed(from.g, to.g));
        out.put(p * kChannels + 2, stays ? from.b : mixed(from.b, to.b));
      }
      if constexpr (kHasAlpha<kChannels>) {
        out.put(p * kChannels + kChannels - 1, in.get(p * kChannels + kChannels - 1));
      }
    }
  }
};

// The functions below are for images so small that several launches would take longer than the work. They are defined
// in fused_equalize.cu.

/// Counts all pixels of a gray image, writes the table to `map` (256 entries of device memory) and the mapped pixels to
/// `to`.
void fused_equalize_gray(Workspace& workspace, const Picture& from, const Picture& to, TableFormula formula,
                         std::uint16_t* map);

/// True if the device has enough shared memory for fused_equalize_color.
bool can_fuse_color(const Workspace& workspace);

/// Like fused_equalize_gray, for RGB and EqualizeColor::luma.
void fused_equalize_color(Workspace& workspace, const Picture& from, const Picture& to, TableFormula formula, Luma luma,
                          std::uint16_t* map);

}  // namespace gpuimg::cuda
