// How a warp stores a row of the summed-area table: whole sectors, wherever the row starts in memory.
#pragma once

#include "integral.cuh"

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

/// Stores four neighbouring entries a lane as 16-byte words, the first boundary being `shift` entries from `to`: lanes
/// pass the entries before it to the left. Lanes outside [first, last) store nothing.
template <unsigned shift, class Entry>
__device__ __forceinline__ void store_shifted(Entry* to, const Entry (&v)[kLanePixels], unsigned first, unsigned last) {
  constexpr unsigned kPerWord = 16 / sizeof(Entry);
  const unsigned lane = threadIdx.x % 32;
  Entry aligned[kLanePixels];
#pragma unroll
  for (unsigned i = 0; i < kLanePixels; ++i) {
    aligned[i] = i + shift < kLanePixels ? v[(i + shift) % kLanePixels]
                                         : __shfl_down_sync(0xFFFFFFFFU, v[(i + shift) % kLanePixels], 1);
  }
  if (lane >= first && lane < last) {
#pragma unroll
    for (unsigned i = 0; i < kLanePixels; i += kPerWord) {
      store_word(to + shift + i, aligned + i);
    }
  }
}

/// store_shifted for a warp's share of a row. A warp that shares no columns stores alone what is left over at its ends.
template <class Tile, unsigned shift>
__device__ __forceinline__ void store_share(typename Tile::Entry* to, const typename Tile::Entry (&v)[kLanePixels],
                                            unsigned skipped) {
  if constexpr (Tile::kShared > 0) {
    const unsigned first = skipped / kLanePixels;
    store_shifted<shift>(to, v, first, first + Tile::kWarpStride / kLanePixels);
  } else {
    [[maybe_unused]] const unsigned lane = threadIdx.x % 32;
    store_shifted<shift>(to, v, 0, shift == 0 ? 32 : 31);
    if constexpr (shift != 0) {
#pragma unroll
      for (unsigned i = 0; i < kLanePixels; ++i) {
        if (lane == (i < shift ? 0U : 31U)) {
          to[i] = v[i];
        }
      }
    }
  }
}

/// Stores the warp's share of a row that lies inside the table: kWarpStride entries from the first boundary of a sector
/// on, which is `skipped` entries from the warp's first, or all of them if warps share no columns.
template <class Tile>
__device__ __forceinline__ void store_row(typename Tile::Entry* to, const typename Tile::Entry (&v)[kLanePixels],
                                          unsigned skipped) {
  switch (skipped % kLanePixels) {  // the same in every lane
    case 0: store_share<Tile, 0>(to, v, skipped); break;
    case 1: store_share<Tile, 1>(to, v, skipped); break;
    case 2: store_share<Tile, 2>(to, v, skipped); break;
    default: store_share<Tile, 3>(to, v, skipped); break;
  }
}

/// Stores one by one what whole sectors leave out: the first `skipped` entries of a row, in its first warp, and the
/// share of a warp in which the table ends; `present` of the lane's entries are inside.
template <class Tile>
__device__ __forceinline__ void store_ends(typename Tile::Entry* to, const typename Tile::Entry (&v)[kLanePixels],
                                           int present, bool is_first_warp, bool is_full, int skipped) {
  const int column = static_cast<int>(threadIdx.x) % 32 * kLanePixels - skipped;
#pragma unroll
  for (int i = 0; i < kLanePixels; ++i) {
    const bool is_share = !is_full && column + i >= 0 && column + i < Tile::kWarpStride;
    if (i < present && (is_share || (is_first_warp && column + i < 0))) {
      to[i] = v[i];
    }
  }
}

}  // namespace gpuimg::cuda
