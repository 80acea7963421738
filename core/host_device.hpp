// GPUIMG_HD marks functions that both the CPU and the GPU compile. No other file tests __CUDACC__.
#pragma once

#include <bit>
#include <cstdint>

#ifdef __CUDACC__
#define GPUIMG_HD __host__ __device__
#else
#define GPUIMG_HD
#endif

namespace gpuimg {

// Device code cannot call the functions of <bit>.

/// std::bit_width.
GPUIMG_HD inline std::uint32_t bit_width(std::uint32_t x) {
#ifdef __CUDA_ARCH__
  return 32U - static_cast<std::uint32_t>(__clz(static_cast<int>(x)));
#else
  return static_cast<std::uint32_t>(std::bit_width(x));
#endif
}

GPUIMG_HD inline std::uint32_t bit_width(std::uint64_t x) {
#ifdef __CUDA_ARCH__
  return 64U - static_cast<std::uint32_t>(__clzll(static_cast<long long>(x)));
#else
  return static_cast<std::uint32_t>(std::bit_width(x));
#endif
}

/// std::countr_zero; x must not be 0.
GPUIMG_HD inline std::uint32_t lowest_bit(std::uint64_t x) {
#ifdef __CUDA_ARCH__
  return static_cast<std::uint32_t>(__ffsll(static_cast<long long>(x))) - 1U;
#else
  return static_cast<std::uint32_t>(std::countr_zero(x));
#endif
}

GPUIMG_HD inline std::uint32_t bit_count(std::uint32_t x) {
#ifdef __CUDA_ARCH__
  return static_cast<std::uint32_t>(__popc(x));
#else
  return static_cast<std::uint32_t>(std::popcount(x));
#endif
}

}  // namespace gpuimg
