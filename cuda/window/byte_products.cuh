// Products of small matrices of bytes on tensor cores, and the copies to shared memory and loads from it that feed
// them. Compute capability 8.0 and later; see "Warp-level matrix instructions" in NVIDIA's PTX manual for which thread
// holds what.
#pragma once

#include <cstdint>

namespace gpuimg::cuda {

using Quad = std::uint32_t[4];

/// Sums of rows: by pair of tiles of 8 columns, and half of 16 rows.
using AcrossRows = Quad[2][2];

/// d = c + a·b for 16 × 32 unsigned bytes `a`, and 32 × 8 bytes `b`.
template <bool kSigned>
__device__ __forceinline__ void multiply(Quad& d, const Quad& a, std::uint32_t b0, std::uint32_t b1, const Quad& c) {
#if __CUDA_ARCH__ >= 800
  if constexpr (kSigned) {
    asm("mma.sync.aligned.m16n8k32.row.col.s32.u8.s8.s32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
        "{%10, %11, %12, %13};"
        : "=r"(d[0]), "=r"(d[1]), "=r"(d[2]), "=r"(d[3])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1), "r"(c[0]), "r"(c[1]), "r"(c[2]), "r"(c[3]));
  } else {
    asm("mma.sync.aligned.m16n8k32.row.col.s32.u8.u8.s32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
        "{%10, %11, %12, %13};"
        : "=r"(d[0]), "=r"(d[1]), "=r"(d[2]), "=r"(d[3])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1), "r"(c[0]), "r"(c[1]), "r"(c[2]), "r"(c[3]));
  }
#else
  __trap();
#endif
}

/// The levels of 16 rows and 32 columns in shared memory, as both halves of two products take them.
__device__ __forceinline__ void load_levels(Quad& levels, std::uint32_t address) {
#if __CUDA_ARCH__ >= 800
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(levels[0]), "=r"(levels[1]), "=r"(levels[2]), "=r"(levels[3])
               : "r"(address));
#endif
}

/// Eight levels of a row in shared memory.
__device__ __forceinline__ uint2 load_eight_levels(std::uint32_t address) {
  uint2 levels{};
  asm volatile("ld.shared.v2.b32 {%0, %1}, [%2];" : "=r"(levels.x), "=r"(levels.y) : "r"(address));
  return levels;
}

/// Copies 16 bytes to shared memory, or writes zeros there if `bytes` is 0.
__device__ __forceinline__ void copy_ahead(std::uint32_t to, const std::uint8_t* from, int bytes) {
#if __CUDA_ARCH__ >= 800
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(to), "l"(from), "r"(bytes));
#endif
}

}  // namespace gpuimg::cuda
