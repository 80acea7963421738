// The kernels' fast exact arithmetic equals the plain definitions on its whole domain. Runs on the device.
#include <gtest/gtest.h>

#include "backends.hpp"
#include "device/cuda_check.hpp"
#include "map/equalize_map.cuh"
#include "map/exact_divide.cuh"
#include "ops/equalize.hpp"
#include "support/test_images.hpp"

namespace gpuimg::test {
namespace {

__device__ void report(bool equal, unsigned long long index, unsigned long long* wrong, unsigned long long* example) {
  if (!equal) {
    atomicAdd(wrong, 1ULL);
    *example = index;
  }
}

__device__ Rgb color_of(unsigned long long index) {
  return {static_cast<std::uint32_t>(index >> 16 & 255), static_cast<std::uint32_t>(index >> 8 & 255),
          static_cast<std::uint32_t>(index & 255)};
}

/// Each thread handles pairs of a 24-bit color and a new luma.
__global__ void compare_luma(unsigned long long* wrong, unsigned long long* example) {
  const unsigned long long stride = 1ULL * gridDim.x * blockDim.x;
  for (unsigned long long i = 1ULL * blockIdx.x * blockDim.x + threadIdx.x; i < 1ULL << 32; i += stride) {
    const Rgb p = color_of(i & 0xFFFFFF);
    const auto y_new = static_cast<std::uint32_t>(i >> 24);
    for (const Luma kind : {Luma::bt601, Luma::bt709}) {
      const std::uint32_t y = luma_of(kind, p.r, p.g, p.b);
      const Rgb expected = with_luma<std::uint8_t>(p, y, y_new);
      const uint3 actual = cuda::FastLuma8::mapped(cuda::kBiasBits | p.r, cuda::kBiasBits | p.g, cuda::kBiasBits | p.b,
                                                   cuda::kBiasBits | y, cuda::FastLuma8::entry(y, y_new));
      report((actual.x & 255) == expected.r && (actual.y & 255) == expected.g && (actual.z & 255) == expected.b, i,
             wrong, example);
    }
  }
}

__device__ bool equal_hsl(const Hsl& a, const Hsl& b) {
  return __float_as_uint(a.hue_degrees) == __float_as_uint(b.hue_degrees) &&
         __float_as_uint(a.saturation) == __float_as_uint(b.saturation) &&
         __float_as_uint(a.lightness) == __float_as_uint(b.lightness);
}

template <class T>
__device__ bool equal_conversions(const Rgb& p) {
  const HslFractions f = hsl_fractions(p.r, p.g, p.b, kMaxOf<T>);
  const HslU16 a = hsl_u16<T, cuda::CorrectedDivide>(f);
  const HslU16 b = hsl_u16<T>(f);
  return equal_hsl(hsl_float<T, cuda::CorrectedDivide>(f), hsl_float<T>(f)) && a.hue == b.hue &&
         a.saturation == b.saturation && a.lightness == b.lightness;
}

/// Each thread handles the 8-bit color with its index, or a 16-bit color derived from the index and `seed`.
template <class T>
__global__ void compare_hsl(unsigned long long count, unsigned long long seed, unsigned long long* wrong,
                            unsigned long long* example) {
  const unsigned long long stride = 1ULL * gridDim.x * blockDim.x;
  for (unsigned long long i = 1ULL * blockIdx.x * blockDim.x + threadIdx.x; i < count; i += stride) {
    Rgb p = color_of(i);
    if constexpr (sizeof(T) == 2) {
      unsigned long long z = i + seed;
      z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9ULL;
      z = (z ^ z >> 27) * 0x94D049BB133111EBULL;
      z ^= z >> 31;
      const int shift = static_cast<int>(z >> 60 & 7);  // gives small and large numbers
      p = {static_cast<std::uint32_t>(z & 0xFFFF) >> shift, static_cast<std::uint32_t>(z >> 16 & 0xFFFF) >> shift,
           static_cast<std::uint32_t>(z >> 32 & 0xFFFF) >> shift};
    }
    report(equal_conversions<T>(p), i, wrong, example);
  }
}

class CudaExact : public CudaTest {
 protected:
  template <class Launch>
  void expect_none_wrong(const Launch& launch) {
    const auto device = std::make_shared<cuda::Device>(0);
    const cuda::DeviceMemory numbers(device, 2 * sizeof(unsigned long long));
    cuda::cuda_check(cudaMemsetAsync(numbers.data(), 0, numbers.size_bytes(), device->stream()), "testing");
    launch(device->stream(), numbers.as<unsigned long long>(), numbers.as<unsigned long long>() + 1);
    cuda::check_launch("testing");
    unsigned long long result[2] = {1, 0};
    cuda::cuda_check(cudaMemcpyAsync(result, numbers.data(), sizeof(result), cudaMemcpyDeviceToHost, device->stream()),
                     "testing");
    device->wait();
    EXPECT_EQ(result[0], 0U) << "for example number " << result[1];
  }
};

TEST_F(CudaExact, LumaOfEveryColorAndEveryNewLuma) {
  expect_none_wrong([](cudaStream_t stream, unsigned long long* wrong, unsigned long long* example) {
    compare_luma<<<4096, 256, 0, stream>>>(wrong, example);
  });
}

TEST_F(CudaExact, HslOfEveryColor) {
  expect_none_wrong([](cudaStream_t stream, unsigned long long* wrong, unsigned long long* example) {
    compare_hsl<std::uint8_t><<<4096, 256, 0, stream>>>(1ULL << 24, 0, wrong, example);
  });
}

TEST_F(CudaExact, HslOfManyColorsOf16Bits) {
  Random random;
  SCOPED_TRACE(random.trace());
  expect_none_wrong([&](cudaStream_t stream, unsigned long long* wrong, unsigned long long* example) {
    compare_hsl<std::uint16_t><<<4096, 256, 0, stream>>>(1ULL << 33, random.bits(), wrong, example);
  });
}

}  // namespace
}  // namespace gpuimg::test
