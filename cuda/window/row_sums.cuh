// The sums of rows that a warp of window/sum_bands.cuh keeps of small windows, until the rows leave the windows.
#pragma once

#include <cstdint>

#include "window/bands.hpp"
#include "window/byte_products.cuh"

namespace gpuimg::cuda {

/// By pair of tiles, half of the rows, and row of a thread: 16 bits each of its column in both tiles.
using RowPairs = std::uint32_t[2][2][2];

__device__ __forceinline__ void pack_rows(RowPairs& pairs, const AcrossRows& across) {
  constexpr std::uint32_t kLowHalves = 0x5410;
#pragma unroll
  for (int i = 0; i < 8; ++i) {
    const Quad& sums = across[i / 4][i / 2 % 2];
    pairs[i / 4][i / 2 % 2][i % 2] = __byte_perm(sums[i % 2], sums[i % 2 + 2], kLowHalves);
  }
}

/// A row has the 16 bits of 32 columns. Threads store and load 8 bytes of each of 4 rows.
class RowSums {
 public:
  /// Room for the first 16 rows a second time, after the last: so 16 rows in a row are adjacent wherever they start.
  static constexpr int kRows = (kMaxBandWindow / kBandRows + 2) * kBandRows;
  static constexpr int kPitch = 2 * kBandColumns + 16;  ///< so that the four rows of a quarter share no bank
  static constexpr int kBytes = (kRows + kBandRows) * kPitch;

  __device__ RowSums(std::uint32_t address, int lane) : address_(address + 2 * (lane % 4) * kPitch + lane / 4 * 8) {}

  /// Of the next 16 rows.
  __device__ __forceinline__ void keep(const RowPairs& pairs) const {
    store(first_, pairs);
    if (first_ == 0) {
      store(kRows, pairs);
    }
  }

  /// Takes from each row that was kept last the row `size` before it. The upper half of a pair is even, and may become
  /// one more: its lowest bit stops the borrow of the lower half.
  __device__ __forceinline__ void subtract_leaving(RowPairs& pairs, int size) const {
    constexpr std::uint32_t kStop = 0x10000;
    __syncwarp();
    const int from = first_ - size + (first_ < size ? kRows : 0);
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      std::uint32_t left[2];
      asm volatile("ld.shared.v2.b32 {%0, %1}, [%2];" : "=r"(left[0]), "=r"(left[1]) : "r"(place(from, i)));
      pairs[0][i / 2][i % 2] += kStop - left[0];
      pairs[1][i / 2][i % 2] += kStop - left[1];
    }
    __syncwarp();
  }

  __device__ __forceinline__ void advance() { first_ = first_ == kRows - kBandRows ? 0 : first_ + kBandRows; }

 private:
  [[nodiscard]] __device__ std::uint32_t place(int row, int i) const {
    return address_ + static_cast<std::uint32_t>((row + i / 2 * 8 + i % 2) * kPitch);
  }

  __device__ __forceinline__ void store(int row, const RowPairs& pairs) const {
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      asm volatile("st.shared.v2.b32 [%0], {%1, %2};" ::"r"(place(row, i)), "r"(pairs[0][i / 2][i % 2]),
                   "r"(pairs[1][i / 2][i % 2]));
    }
  }

  std::uint32_t address_;
  int first_ = 0;  ///< of the rows that are kept next
};

}  // namespace gpuimg::cuda
