// The summed-area table in one launch: tiles, taken in order from a counter, that hand on row and column sums.
// The rule stands in docs/operations.md, "Integral image"; the design and its measurements in docs/performance.md.
#pragma once

#include "cuda_check.hpp"
#include "gpuimg/ops/integral.hpp"
#include "launch.cuh"
#include "tile_states.cuh"

namespace gpuimg::cuda {

/// Columns: 4 a lane, 128 a warp, 8 warps side by side.
constexpr int kLanePixels = 4;
constexpr int kWarpColumns = 32 * kLanePixels;
constexpr int kWarpsAcross = 8;
constexpr int kTileColumns = kWarpsAcross * kWarpColumns;

/// One image and its table; `table` points at the entry of pixel (0, 0).
struct TableJob {
  const std::byte* pixels = nullptr;
  void* table = nullptr;
  std::int64_t table_pitch = 0;  ///< entries from one row of the table to the next
  int width = 0;
  int height = 0;
  bool padded = false;
  bool square = false;
  int tiles_across = 0;
  std::int64_t tiles = 0;
  unsigned int* ticket = nullptr;  ///< zero between launches
  void* row_states = nullptr;      ///< one a row and tile
  void* column_states = nullptr;   ///< one a column and tile
  std::uint32_t epoch = 0;
};

template <class T, class EntryType, class SumState, int rows_a_warp, int warps_down>
struct Tile {
  using Pixel = T;
  using Entry = EntryType;
  using State = SumState;
  using Sum = typename State::Sum;
  static constexpr int kWarpRows = rows_a_warp;
  static constexpr int kWarpsDown = warps_down;
  static constexpr int kRows = kWarpRows * kWarpsDown;
  static constexpr int kThreads = kWarpsAcross * kWarpsDown * 32;
  static constexpr int kWindow = 32 * kWarpsAcross / kWarpRows;  ///< tiles to the left that a warp looks at in one go
  static constexpr int kRowsPerWarp = 32 / kWindow;              ///< rows whose left neighbours one warp looks at
  static constexpr int kColumnsPerThread = kTileColumns / kThreads;
};

/// Four neighbouring pixels of a row. Pixels beyond the row are 0. Addresses that are no multiple of a word are read as
/// the two words around them.
template <class T>
__device__ __forceinline__ Samples<T, kLanePixels> load_four(const TableJob& job, std::int64_t x, std::int64_t y) {
  Samples<T, kLanePixels> four;
  if (x >= job.width || y >= job.height) {
    return four;
  }
  const int present = static_cast<int>(min(std::int64_t{kLanePixels}, job.width - x));
  const std::byte* from = job.pixels + (y * job.width + x) * static_cast<std::int64_t>(sizeof(T));
  const auto offset = static_cast<unsigned>(reinterpret_cast<std::uintptr_t>(from) % 4);
  const auto* words = reinterpret_cast<const std::uint32_t*>(from - offset);
  if (offset == 0) {
#pragma unroll
    for (int i = 0; i < four.kWords; ++i) {
      four.words[i] = __ldg(words + i);
    }
  } else {
    std::uint32_t low = __ldg(words);
#pragma unroll
    for (int i = 0; i < four.kWords; ++i) {
      const std::uint32_t high = __ldg(words + i + 1);
      four.words[i] = __funnelshift_r(low, high, offset * 8);
      low = high;
    }
  }
#pragma unroll
  for (int i = 0; i < four.kWords; ++i) {
    const int bytes = present * static_cast<int>(sizeof(T)) - 4 * i;  // of this word that belong to the row
    four.words[i] &= bytes >= 4 ? 0xFFFFFFFFU : bytes <= 0 ? 0U : (1U << (8 * bytes)) - 1U;
  }
  return four;
}

/// A pixel's value in a sum.
template <class Sum, class T>
__device__ __forceinline__ Sum value_of(const Samples<T, kLanePixels>& four, int i, bool square) {
  const Sum value = four.get(i);
  return square ? value * value : value;
}

/// Sum over the lanes, in every lane.
template <class Sum>
__device__ __forceinline__ Sum warp_total(Sum value) {
#pragma unroll
  for (int distance = 16; distance > 0; distance /= 2) {
    value += __shfl_xor_sync(0xFFFFFFFFU, value, distance);
  }
  return value;
}
#if __CUDA_ARCH__ >= 800
template <>
__device__ __forceinline__ std::uint32_t warp_total<std::uint32_t>(std::uint32_t value) {
  return __reduce_add_sync(0xFFFFFFFFU, value);
}
#endif

/// Sum over the lanes to the left.
template <class Sum>
__device__ __forceinline__ Sum sum_before_lane(Sum value) {
  const unsigned lane = threadIdx.x % 32;
  Sum through = value;
#pragma unroll
  for (unsigned distance = 1; distance < 32; distance *= 2) {
    const Sum left = __shfl_up_sync(0xFFFFFFFFU, through, distance);
    through += lane >= distance ? left : Sum{0};
  }
  return through - value;
}

__device__ __forceinline__ std::uint32_t bits_of(std::uint32_t entry) { return entry; }
__device__ __forceinline__ std::uint32_t bits_of(float entry) { return __float_as_uint(entry); }
__device__ __forceinline__ std::uint64_t bits_of(std::uint64_t entry) { return entry; }
__device__ __forceinline__ std::uint64_t bits_of(double entry) {
  return static_cast<std::uint64_t>(__double_as_longlong(entry));
}

/// 16 bytes of entries to a 16-byte boundary. The table is not read again here: it need not stay in the cache.
template <class Entry>
__device__ __forceinline__ void store_word(Entry* to, const Entry* from) {
  uint4 word;
  if constexpr (sizeof(Entry) == 4) {
    word = make_uint4(bits_of(from[0]), bits_of(from[1]), bits_of(from[2]), bits_of(from[3]));
  } else {
    const std::uint64_t a = bits_of(from[0]);
    const std::uint64_t b = bits_of(from[1]);
    word = make_uint4(static_cast<unsigned>(a), static_cast<unsigned>(a >> 32), static_cast<unsigned>(b),
                      static_cast<unsigned>(b >> 32));
  }
  __stcs(reinterpret_cast<uint4*>(to), word);
}

/// Stores four neighbouring entries a lane of one row as 16-byte words wherever the row starts: lanes pass the entries
/// before a 16-byte boundary to the left. All lanes have four entries inside the table.
template <class Entry>
__device__ __forceinline__ void store_full_row(Entry* to, const Entry (&v)[kLanePixels]) {
  constexpr unsigned kPerWord = 16 / sizeof(Entry);
  const unsigned lane = threadIdx.x % 32;
  const auto position = static_cast<unsigned>(reinterpret_cast<std::uintptr_t>(to) / sizeof(Entry)) % kPerWord;
  if (position == 0) {
#pragma unroll
    for (int i = 0; i < kLanePixels; i += kPerWord) {
      store_word(to + i, v + i);
    }
    return;
  }
  const unsigned shift = kPerWord - position;  // entries before the first boundary; the same in every lane
  Entry w[kLanePixels + kPerWord - 1];
#pragma unroll
  for (int i = 0; i < kLanePixels; ++i) {
    w[i] = v[i];
  }
#pragma unroll
  for (unsigned i = 0; i + 1 < kPerWord; ++i) {
    w[kLanePixels + i] = __shfl_down_sync(0xFFFFFFFFU, v[i], 1);
  }
  Entry aligned[kLanePixels];
#pragma unroll
  for (unsigned s = 1; s < kPerWord; ++s) {
    if (s == shift) {
#pragma unroll
      for (int i = 0; i < kLanePixels; ++i) {
        aligned[i] = w[i + s];
      }
    }
  }
  if (lane == 0) {
    for (unsigned i = 0; i < shift; ++i) {
      to[i] = i == 0 ? v[0] : i == 1 ? v[1] : v[2];
    }
  }
#pragma unroll
  for (int i = 0; i < kLanePixels; i += kPerWord) {
    if (lane < 31 || i + kPerWord + shift <= kLanePixels) {
      store_word(to + shift + i, aligned + i);
    } else {
#pragma unroll
      for (unsigned k = 0; k < kPerWord; ++k) {
        if (i + k + shift < kLanePixels) {
          to[shift + i + k] = aligned[i + k];
        }
      }
    }
  }
}

}  // namespace gpuimg::cuda
