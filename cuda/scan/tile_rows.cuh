// How the threads of a tile of the summed-area table load their pixels, and where they keep them until they write the
// table.
#pragma once

#include <cuda_pipeline_primitives.h>

#include "scan/integral_tiles.cuh"

namespace gpuimg::cuda {

/// Loads four adjacent pixels of a row; pixels beyond the row are 0. An unaligned address is read as the two aligned
/// words around it.
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
    const int bytes = present * static_cast<int>(sizeof(T)) - 4 * i;  // bytes of this word that belong to the row
    four.words[i] &= bytes >= 4 ? 0xFFFFFFFFU : bytes <= 0 ? 0U : (1U << (8 * bytes)) - 1U;
  }
  return four;
}

/// A thread's pixels of a tile while it waits for the neighbor tiles' sums: in registers, or in shared memory, where
/// each thread reads only what it wrote.
template <class Tile>
struct Rows {
  using Four = Samples<typename Tile::Pixel, kLanePixels>;
  static constexpr std::size_t kStagedBytes = Tile::kStaged ? sizeof(Four) * Tile::kWarpRows * Tile::kThreads : 0;

  Four kept[Tile::kStaged ? 1 : Tile::kWarpRows];
  Four* staged;  ///< rows are kThreads apart

  __device__ explicit Rows(std::byte* shared) : staged(reinterpret_cast<Four*>(shared) + threadIdx.x) {}

  [[nodiscard]] __device__ __forceinline__ Four at(int r) const {
    if constexpr (Tile::kStaged) {
      return staged[r * Tile::kThreads];
    } else {
      return kept[r];
    }
  }
  __device__ __forceinline__ void put(int r, const Four& four) {
    if constexpr (Tile::kStaged) {
      staged[r * Tile::kThreads] = four;
    } else {
      kept[r] = four;
    }
  }
  __device__ __forceinline__ void put_from(int r, const std::byte* aligned) {
    if constexpr (Tile::kStaged) {
      __pipeline_memcpy_async(staged + r * Tile::kThreads, aligned, sizeof(Four));
    } else if constexpr (sizeof(Four) == 8) {
      const uint2 words = __ldcs(reinterpret_cast<const uint2*>(aligned));
      kept[r].words[0] = words.x;
      kept[r].words[1] = words.y;
    } else {
      kept[r].words[0] = __ldcs(reinterpret_cast<const unsigned int*>(aligned));
    }
  }
};

/// Begins to load the thread's rows of a tile; wait_for_rows must follow. Aligned rows inside the image skip the bounds
/// checks.
template <class Tile, class Place>
__device__ __forceinline__ void load_rows(const TableJob& job, const Place& place, Rows<Tile>& rows) {
  using Pixel = typename Tile::Pixel;
  constexpr int kBytes = kLanePixels * static_cast<int>(sizeof(Pixel));
  const std::int64_t x = place.x();
  const std::int64_t y = place.y();
  const std::int64_t pitch = std::int64_t{job.width} * static_cast<std::int64_t>(sizeof(Pixel));
  const bool is_inside = x - place.lane * kLanePixels + kWarpColumns <= job.width && y + Tile::kWarpRows <= job.height;
  if (is_inside && (pitch | static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(job.pixels))) % kBytes == 0) {
    const std::byte* from = job.pixels + y * pitch + x * static_cast<std::int64_t>(sizeof(Pixel));
#pragma unroll
    for (int r = 0; r < Tile::kWarpRows; ++r) {
      rows.put_from(r, from);
      from += pitch;
    }
    return;
  }
#pragma unroll
  for (int r = 0; r < Tile::kWarpRows; ++r) {
    rows.put(r, load_four<Pixel>(job, x, y + r));
  }
}

/// The thread's rows are there; other threads' need not be.
template <class Tile>
__device__ __forceinline__ void wait_for_rows() {
  if constexpr (Tile::kStaged) {
    __pipeline_commit();
    __pipeline_wait_prior(0);
  }
}

/// For each of two rows, the sum of the pixels in the lanes to the left.
template <class Tile>
__device__ __forceinline__ void sums_before_lane(const Samples<typename Tile::Pixel, kLanePixels> (&rows)[2],
                                                 typename Tile::Sum (&before)[2]) {
  if constexpr (Tile::kPairsRows) {
    const std::uint32_t both =
        sum_before_lane(sum_of_bytes<4>(rows[0].words[0]) + (sum_of_bytes<4>(rows[1].words[0]) << 16));
    before[0] = both & 0xFFFFU;
    before[1] = both >> 16;
  } else {
#pragma unroll
    for (int k = 0; k < 2; ++k) {
      typename Tile::Sum sum = 0;
#pragma unroll
      for (int i = 0; i < kLanePixels; ++i) {
        sum += value_of<Tile>(rows[k], i);
      }
      before[k] = sum_before_lane(sum);
    }
  }
}

/// Adds a row to the entries above it. `left` is the sum of the pixels left of the lane's.
template <class Tile>
__device__ __forceinline__ void add_row(const Samples<typename Tile::Pixel, kLanePixels>& row, typename Tile::Sum left,
                                        typename Tile::Sum (&entries)[kLanePixels]) {
  if constexpr (Tile::kPairsRows) {
    entries[0] += left + sum_of_bytes<1>(row.words[0]);
    entries[1] += left + sum_of_bytes<2>(row.words[0]);
    entries[2] += left + sum_of_bytes<3>(row.words[0]);
    entries[3] += left + sum_of_bytes<4>(row.words[0]);
  } else {
#pragma unroll
    for (int i = 0; i < kLanePixels; ++i) {
      left += value_of<Tile>(row, i);
      entries[i] += left;
    }
  }
}

}  // namespace gpuimg::cuda
