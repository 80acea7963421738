// How a lane stores its entries of a row of the summed-area table.
#pragma once

#include "scan/integral_tiles.cuh"

namespace gpuimg::cuda {

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

/// The lane's entries of one row, of which the first `present` lie inside the table (none if that is negative).
template <class Entry>
__device__ __forceinline__ void store_entries(Entry* to, const Entry (&v)[kLanePixels], int present) {
  constexpr int kPerWord = static_cast<int>(kStoreBytes / sizeof(Entry));
  if (present == kLanePixels) {
#pragma unroll
    for (int i = 0; i < kLanePixels; i += kPerWord) {
      store_word(to + i, v + i);
    }
    return;
  }
#pragma unroll
  for (int i = 0; i < kLanePixels - 1; ++i) {
    if (i < present) {
      to[i] = v[i];
    }
  }
}

}  // namespace gpuimg::cuda
