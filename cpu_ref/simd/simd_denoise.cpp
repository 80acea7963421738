// Vectorized rows of non-local means of 8-bit pixels. Specified in docs/operations.md, "Denoising".
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "simd/simd_denoise.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "simd/simd_rows.hpp"

HWY_BEFORE_NAMESPACE();
namespace gpuimg::cpu::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using Words = hn::ScalableTag<std::int32_t>;
using Bytes = hn::Rebind<std::uint8_t, Words>;
using Word = hn::Vec<Words>;

template <int channels>
void slide_squares_of(const ByteRows& here, const ByteRows& there, std::size_t count, std::int32_t* HWY_RESTRICT row,
                      std::int32_t* HWY_RESTRICT columns) {
  const Words d;
  std::size_t x = 0;
  for (; x + hn::Lanes(d) <= count; x += hn::Lanes(d)) {
    Word sum = hn::Zero(d);
    for (std::size_t c = 0; c < channels; ++c) {
      const Word difference = hn::Sub(hn::PromoteTo(d, hn::LoadU(Bytes(), here[c] + x)),
                                      hn::PromoteTo(d, hn::LoadU(Bytes(), there[c] + x)));
      sum = hn::Add(sum, hn::Mul(difference, difference));
    }
    const Word step = hn::Sub(sum, hn::LoadU(d, row + x));
    hn::StoreU(hn::Add(hn::LoadU(d, columns + x), step), d, columns + x);
    hn::StoreU(sum, d, row + x);
  }
  for (; x < count; ++x) {
    std::int32_t sum = 0;
    for (std::size_t c = 0; c < channels; ++c) {
      const std::int32_t difference = std::int32_t{here[c][x]} - std::int32_t{there[c][x]};
      sum += difference * difference;
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

template <int channels>
void add_weighted_of(const std::int32_t* HWY_RESTRICT weights, const ByteRows& samples, std::size_t count,
                     std::int32_t* HWY_RESTRICT weight_sums, const SumRows& sums) {
  const Words d;
  std::size_t x = 0;
  for (; x + hn::Lanes(d) <= count; x += hn::Lanes(d)) {
    const Word weight = hn::LoadU(d, weights + x);
    hn::StoreU(hn::Add(hn::LoadU(d, weight_sums + x), weight), d, weight_sums + x);
    for (std::size_t c = 0; c < channels; ++c) {
      const Word weighted = hn::Mul(weight, hn::PromoteTo(d, hn::LoadU(Bytes(), samples[c] + x)));
      hn::StoreU(hn::Add(hn::LoadU(d, sums[c] + x), weighted), d, sums[c] + x);
    }
  }
  for (; x < count; ++x) {
    weight_sums[x] += weights[x];
    for (std::size_t c = 0; c < channels; ++c) {
      sums[c][x] += weights[x] * samples[c][x];
    }
  }
}

void slide_squares(const ByteRows& here, const ByteRows& there, int channels, std::size_t count, std::int32_t* row,
                   std::int32_t* columns) {
  channels == 1 ? slide_squares_of<1>(here, there, count, row, columns)
                : slide_squares_of<3>(here, there, count, row, columns);
}

void add_weighted(const std::int32_t* weights, const ByteRows& samples, int channels, std::size_t count,
                  std::int32_t* weight_sums, const SumRows& sums) {
  channels == 1 ? add_weighted_of<1>(weights, samples, count, weight_sums, sums)
                : add_weighted_of<3>(weights, samples, count, weight_sums, sums);
}

}  // namespace gpuimg::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace gpuimg::cpu {

HWY_EXPORT(slide_squares);
HWY_EXPORT(patch_weights);
HWY_EXPORT(add_weighted);

void slide_squares(const ByteRows& here, const ByteRows& there, int channels, std::size_t count, std::int32_t* row,
                   std::int32_t* columns) {
  HWY_DYNAMIC_DISPATCH(slide_squares)(here, there, channels, count, row, columns);
}

void patch_weights(const std::int32_t* columns, const WeightTable& table, std::size_t count, std::int32_t* weights) {
  HWY_DYNAMIC_DISPATCH(patch_weights)(columns, table, count, weights);
}

void add_weighted(const std::int32_t* weights, const ByteRows& samples, int channels, std::size_t count,
                  std::int32_t* weight_sums, const SumRows& sums) {
  HWY_DYNAMIC_DISPATCH(add_weighted)(weights, samples, channels, count, weight_sums, sums);
}

}  // namespace gpuimg::cpu
#endif
