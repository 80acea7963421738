// What enters and leaves the windows with each row, as digits of a byte, and their product with the triangle.
// core/window/bands.hpp defines them.
#pragma once

#include <cstdint>

#include "window/bands.hpp"
#include "window/byte_products.cuh"
#include "window/row_sums.cuh"

namespace gpuimg::cuda {

/// Of four rows and one column.
struct Digits {
  std::uint32_t first;
  std::uint32_t second;
};

// Bytes of two words: of both the lower half, byte by byte; of both the upper half; the first two of each; the others.
inline constexpr std::uint32_t kLowerBytes = 0x5140;
inline constexpr std::uint32_t kUpperBytes = 0x7362;
inline constexpr std::uint32_t kFirstTwo = 0x5410;
inline constexpr std::uint32_t kLastTwo = 0x7632;

__device__ __forceinline__ void split_digits(Digits (&digits)[4], const RowPairs& pairs) {
  constexpr std::uint32_t kSevenBits = 0x7F7F7F7F;  // without the bits that stopped a borrow
#pragma unroll
  for (int pair = 0; pair < 2; ++pair) {
    const auto& rows = pairs[pair];
#pragma unroll
    for (int i = 0; i < 2; ++i) {
      const std::uint32_t halves = i == 0 ? kLowerBytes : kUpperBytes;
      const std::uint32_t above = __byte_perm(rows[0][0], rows[0][1], halves);
      const std::uint32_t below = __byte_perm(rows[1][0], rows[1][1], halves);
      const std::uint32_t first = __byte_perm(above, below, kFirstTwo) >> 1;
      digits[2 * pair + i].first = i == 0 ? first : first & kSevenBits;
      digits[2 * pair + i].second = __byte_perm(above, below, kLastTwo);
    }
  }
}

/// Rows and columns of the triangle as a thread holds them: ones for the first digits, kBandDigit for the second.
__device__ __forceinline__ void make_triangles(Quad& triangles, int lane) {
#pragma unroll
  for (int i = 0; i < 2; ++i) {
    triangles[i] = 0;
#pragma unroll
    for (int k = 0; k < 4; ++k) {
      triangles[i] |= row_of_entry(4 * (lane % 4) + k) <= lane / 4 + 8 * i ? 1U << (8 * k) : 0U;
    }
    triangles[i + 2] = kBandDigit * triangles[i];
  }
}

/// The sums of windows of 16 rows, from those of the row before.
__device__ __forceinline__ void add_up(Quad& sums, const Quad& triangles, const Digits& digits, const Quad& before) {
  multiply<true>(sums, triangles, digits.first, digits.second, before);
}

}  // namespace gpuimg::cuda
