// Vectorized rows of non-local means. Specified in docs/operations.md, "Denoising".
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "simd/simd_denoise.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "simd/simd_rows.hpp"

HWY_BEFORE_NAMESPACE();
namespace gpuimg::cpu::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using Words = hn::ScalableTag<std::int32_t>;
using Word = hn::Vec<Words>;

/// Contribution of a pair of samples to a distance.
HWY_INLINE Word difference(Word a, Word b, std::uint8_t /*sample*/) {
  const Word d = hn::Sub(a, b);
  return hn::Mul(d, d);
}
HWY_INLINE Word difference(Word a, Word b, std::uint16_t /*sample*/) { return hn::Abs(hn::Sub(a, b)); }

HWY_INLINE std::int32_t difference(std::uint8_t a, std::uint8_t b) {
  const std::int32_t d = std::int32_t{a} - std::int32_t{b};
  return d * d;
}
HWY_INLINE std::int32_t difference(std::uint16_t a, std::uint16_t b) { return a < b ? b - a : a - b; }

template <int channels, class T>
void slide_differences_of(const ChannelRows<const T>& here, const ChannelRows<const T>& there, std::size_t count,
                          std::int32_t* HWY_RESTRICT row, std::int32_t* HWY_RESTRICT columns) {
  const Words d;
  const hn::Rebind<T, Words> samples;
  std::size_t x = 0;
  for (; x + hn::Lanes(d) <= count; x += hn::Lanes(d)) {
    Word sum = hn::Zero(d);
    for (std::size_t c = 0; c < channels; ++c) {
      sum = hn::Add(sum, difference(hn::PromoteTo(d, hn::LoadU(samples, here[c] + x)),
                                    hn::PromoteTo(d, hn::LoadU(samples, there[c] + x)), T{}));
    }
    const Word step = hn::Sub(sum, hn::LoadU(d, row + x));
    hn::StoreU(hn::Add(hn::LoadU(d, columns + x), step), d, columns + x);
    hn::StoreU(sum, d, row + x);
  }
  for (; x < count; ++x) {
    std::int32_t sum = 0;
    for (std::size_t c = 0; c < channels; ++c) {
      sum += difference(here[c][x], there[c][x]);
    }
    columns[x] += sum - row[x];
    row[x] = sum;
  }
}

void patch_weights(const std::int32_t* HWY_RESTRICT columns, const WeightTable& table, std::size_t count,
                   std::int32_t* HWY_RESTRICT weights) {
  const Words d;
  const Word last = hn::Set(d, table.last);
  const auto shift = static_cast<int>(table.shift);
  std::size_t x = 0;
  for (; x + hn::Lanes(d) <= count; x += hn::Lanes(d)) {
    Word distance = hn::LoadU(d, columns + x);
    for (std::size_t i = 1; i < table.patch; ++i) {
      distance = hn::Add(distance, hn::LoadU(d, columns + x + i));
    }
    const Word index = hn::Min(hn::ShiftRightSame(distance, shift), last);
    hn::StoreU(hn::GatherIndex(d, table.weights, index), d, weights + x);
  }
  for (; x < count; ++x) {
    std::int32_t distance = 0;
    for (std::size_t i = 0; i < table.patch; ++i) {
      distance += columns[x + i];
    }
    weights[x] = table.weights[HWY_MIN(distance >> shift, table.last)];
  }
}

/// For 8-bit samples, sums fit in 31 bits.
template <int channels>
std::size_t add_vectors(const std::int32_t* HWY_RESTRICT weights, const ChannelRows<const std::uint8_t>& samples,
                        std::size_t count, std::int32_t* HWY_RESTRICT weight_sums,
                        const ChannelRows<std::int32_t>& sums) {
  const Words d;
  const hn::Rebind<std::uint8_t, Words> bytes;
  std::size_t x = 0;
  for (; x + hn::Lanes(d) <= count; x += hn::Lanes(d)) {
    const Word weight = hn::LoadU(d, weights + x);
    hn::StoreU(hn::Add(hn::LoadU(d, weight_sums + x), weight), d, weight_sums + x);
    for (std::size_t c = 0; c < channels; ++c) {
      const Word weighted = hn::Mul(weight, hn::PromoteTo(d, hn::LoadU(bytes, samples[c] + x)));
      hn::StoreU(hn::Add(hn::LoadU(d, sums[c] + x), weighted), d, sums[c] + x);
    }
  }
  return x;
}

#if HWY_TARGET == HWY_SCALAR
/// Leaves all samples to the scalar loop, because a vector of one word has no halves.
template <int channels>
std::size_t add_vectors(const std::int32_t* /*weights*/, const ChannelRows<const std::uint16_t>& /*samples*/,
                        std::size_t /*count*/, std::uint64_t* /*weight_sums*/,
                        const ChannelRows<std::uint64_t>& /*sums*/) {
  return 0;
}
#else
/// For 16-bit samples, sums need 64 bits. Weights are not negative, so weights and samples can be multiplied as 32-bit
/// factors.
template <int channels>
std::size_t add_vectors(const std::int32_t* HWY_RESTRICT weights, const ChannelRows<const std::uint16_t>& samples,
                        std::size_t count, std::uint64_t* HWY_RESTRICT weight_sums,
                        const ChannelRows<std::uint64_t>& sums) {
  const hn::ScalableTag<std::uint64_t> d;
  const hn::Repartition<std::uint32_t, decltype(d)> factors;
  const hn::Rebind<std::uint32_t, decltype(d)> words;
  const hn::Rebind<std::uint16_t, decltype(d)> shorts;
  const auto* unsigned_weights = reinterpret_cast<const std::uint32_t*>(weights);
  std::size_t x = 0;
  for (; x + hn::Lanes(d) <= count; x += hn::Lanes(d)) {
    const auto weight = hn::PromoteTo(d, hn::LoadU(words, unsigned_weights + x));
    hn::StoreU(hn::Add(hn::LoadU(d, weight_sums + x), weight), d, weight_sums + x);
    for (std::size_t c = 0; c < channels; ++c) {
      const auto sample = hn::PromoteTo(d, hn::PromoteTo(words, hn::LoadU(shorts, samples[c] + x)));
      const auto weighted = hn::MulEven(hn::BitCast(factors, weight), hn::BitCast(factors, sample));
      hn::StoreU(hn::Add(hn::LoadU(d, sums[c] + x), weighted), d, sums[c] + x);
    }
  }
  return x;
}
#endif

template <int channels, class T, class Sum>
void add_weighted_of(const std::int32_t* weights, const ChannelRows<const T>& samples, std::size_t count,
                     Sum* weight_sums, const ChannelRows<Sum>& sums) {
  for (std::size_t x = add_vectors<channels>(weights, samples, count, weight_sums, sums); x < count; ++x) {
    const auto weight = static_cast<Sum>(weights[x]);
    weight_sums[x] += weight;
    for (std::size_t c = 0; c < channels; ++c) {
      sums[c][x] += weight * samples[c][x];
    }
  }
}

// Each function has its own name, because HWY_EXPORT does not support overloads.

void slide_bytes(const ChannelRows<const std::uint8_t>& here, const ChannelRows<const std::uint8_t>& there,
                 int channels, std::size_t count, std::int32_t* row, std::int32_t* columns) {
  channels == 1 ? slide_differences_of<1>(here, there, count, row, columns)
                : slide_differences_of<3>(here, there, count, row, columns);
}

void slide_shorts(const ChannelRows<const std::uint16_t>& here, const ChannelRows<const std::uint16_t>& there,
                  int channels, std::size_t count, std::int32_t* row, std::int32_t* columns) {
  channels == 1 ? slide_differences_of<1>(here, there, count, row, columns)
                : slide_differences_of<3>(here, there, count, row, columns);
}

void add_bytes(const std::int32_t* weights, const ChannelRows<const std::uint8_t>& samples, int channels,
               std::size_t count, std::int32_t* weight_sums, const ChannelRows<std::int32_t>& sums) {
  channels == 1 ? add_weighted_of<1>(weights, samples, count, weight_sums, sums)
                : add_weighted_of<3>(weights, samples, count, weight_sums, sums);
}

void add_shorts(const std::int32_t* weights, const ChannelRows<const std::uint16_t>& samples, int channels,
                std::size_t count, std::uint64_t* weight_sums, const ChannelRows<std::uint64_t>& sums) {
  channels == 1 ? add_weighted_of<1>(weights, samples, count, weight_sums, sums)
                : add_weighted_of<3>(weights, samples, count, weight_sums, sums);
}

}  // namespace gpuimg::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace gpuimg::cpu {

HWY_EXPORT(slide_bytes);
HWY_EXPORT(slide_shorts);
HWY_EXPORT(patch_weights);
HWY_EXPORT(add_bytes);
HWY_EXPORT(add_shorts);

void slide_differences(const ChannelRows<const std::uint8_t>& here, const ChannelRows<const std::uint8_t>& there,
                       int channels, std::size_t count, std::int32_t* row, std::int32_t* columns) {
  HWY_DYNAMIC_DISPATCH(slide_bytes)(here, there, channels, count, row, columns);
}

void slide_differences(const ChannelRows<const std::uint16_t>& here, const ChannelRows<const std::uint16_t>& there,
                       int channels, std::size_t count, std::int32_t* row, std::int32_t* columns) {
  HWY_DYNAMIC_DISPATCH(slide_shorts)(here, there, channels, count, row, columns);
}

void patch_weights(const std::int32_t* columns, const WeightTable& table, std::size_t count, std::int32_t* weights) {
  HWY_DYNAMIC_DISPATCH(patch_weights)(columns, table, count, weights);
}

void add_weighted(const std::int32_t* weights, const ChannelRows<const std::uint8_t>& samples, int channels,
                  std::size_t count, std::int32_t* weight_sums, const ChannelRows<std::int32_t>& sums) {
  HWY_DYNAMIC_DISPATCH(add_bytes)(weights, samples, channels, count, weight_sums, sums);
}

void add_weighted(const std::int32_t* weights, const ChannelRows<const std::uint16_t>& samples, int channels,
                  std::size_t count, std::uint64_t* weight_sums, const ChannelRows<std::uint64_t>& sums) {
  HWY_DYNAMIC_DISPATCH(add_shorts)(weights, samples, channels, count, weight_sums, sums);
}

}  // namespace gpuimg::cpu
#endif
