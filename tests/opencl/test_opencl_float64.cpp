// The float64 operations of kernels/arithmetic.cl and window.cl give the same bits as the host's: with the device's
// float64, if it supports float64, and with integers.
#include <gtest/gtest.h>

#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "backends.hpp"
#include "device/device.hpp"
#include "ops/window.hpp"
#include "support/test_images.hpp"

namespace gpuimg::test {
namespace {

constexpr std::size_t kResults = 8;
constexpr const char* kKernel = R"CL(
__kernel void try_float64(__global const ulong* a, __global const ulong* b, __global ulong* results) {
  const ulong i = get_global_id(0);
  const Float64 x = float64_from_bits(a[i]);
  const Float64 y = float64_from_bits(b[i]);
  const Wide wide = {b[i], a[i]};
  __global ulong* to = results + 8 * i;
  to[0] = bits_of_float64(float64_sum(x, y));
  to[1] = bits_of_float64(float64_difference(x, y));
  to[2] = bits_of_float64(float64_product(x, y));
  to[3] = bits_of_float64(float64_quotient(x, y));
  to[4] = bits_of_float64(float64_root(float64_from_bits(a[i] & ~((ulong)1 << 63))));
  to[5] = float64_is_greater(x, y) ? 1 : 0;
  to[6] = bits_of_float64(float64_of_wide(wide));
  to[7] = as_uint(float32_of(float64_of_wide(wide)));
}
)CL";
constexpr std::array<const char*, kResults> kNames = {"sum",  "difference", "product",     "quotient",
                                                      "root", "is greater", "of 128 bits", "as float32"};

using Numbers = std::vector<std::uint64_t>;

/// The bits of x. All NaNs give the same number.
std::uint64_t bits_of(double x) { return std::isnan(x) ? ~std::uint64_t{0} : std::bit_cast<std::uint64_t>(x); }

std::array<std::uint64_t, kResults> expected_of(std::uint64_t a, std::uint64_t b) {
  const auto x = std::bit_cast<double>(a);
  const auto y = std::bit_cast<double>(b);
  const double wide = rounded_to_double(Uint128{a} << 64 | b);
  return {bits_of(x + y),
          bits_of(x - y),
          bits_of(x * y),
          bits_of(x / y),
          bits_of(std::sqrt(std::fabs(x))),
          x > y ? 1U : 0U,
          bits_of(wide),
          std::bit_cast<std::uint32_t>(static_cast<float>(wide))};
}

class OpenclFloat64 : public OpenclTest {
 protected:
  /// The kernel's results, `kResults` for each pair of numbers.
  static Numbers computed(const std::shared_ptr<opencl::Device>& device, bool has_float64, const Numbers& a,
                          const Numbers& b) {
    const opencl::Api& api = device->api();
    const std::string source = opencl::kernel_source("window") + kKernel;
    const std::string options =
        "-cl-std=CL1.2 -D GROUP_ITEMS=64 -D SAMPLE_BITS=8 -D CHANNELS=1 -D GROUP=4 "
        "-D IS_NARROW=0 -D FLOAT64=" +
        std::to_string(has_float64 ? 1 : 0);
    const char* text = source.c_str();
    const std::size_t length = source.size();
    const cl_device_id id = device->found().id;
    cl_int code = CL_SUCCESS;
    cl_program program = api.CreateProgramWithSource(device->context(), 1, &text, &length, &code);
    opencl::cl_check(code, "creating a program");
    opencl::cl_check(api.BuildProgram(program, 1, &id, options.c_str(), nullptr, nullptr), "compiling a program");
    cl_kernel kernel = api.CreateKernel(program, "try_float64", &code);
    opencl::cl_check(code, "creating a kernel");
    const std::size_t count = a.size();
    const opencl::Memory buffers[] = {{device, count * 8}, {device, count * 8}, {device, count * 8 * kResults}};
    device->upload(buffers[0], a.data(), count * 8);
    device->upload(buffers[1], b.data(), count * 8);
    for (cl_uint i = 0; i < 3; ++i) {
      const cl_mem buffer = buffers[i].buffer();
      opencl::cl_check(api.SetKernelArg(kernel, i, sizeof buffer, &buffer), "passing an argument");
    }
    opencl::cl_check(
        api.EnqueueNDRangeKernel(device->queue(), kernel, 1, nullptr, &count, nullptr, 0, nullptr, nullptr), "running");
    Numbers results(count * kResults);
    device->download(results.data(), buffers[2], count * 8 * kResults);
    (void)api.ReleaseKernel(kernel);
    (void)api.ReleaseProgram(program);
    return results;
  }
};

/// Zeros, subnormal numbers, ends of ranges, infinities and NaN.
constexpr std::array<std::uint64_t, 16> kEdges = {
    0,
    1,
    2,
    0x000FFFFFFFFFFFFF,
    0x0010000000000000,
    0x0010000000000001,
    0x3CA0000000000000,
    0x3CA0000000000001,
    0x3FE0000000000000,
    0x3FF0000000000000,
    0x3FF0000000000001,
    0x433FFFFFFFFFFFFF,
    0x7FEFFFFFFFFFFFFF,
    0x7FF0000000000000,
    0x7FF8000000000000,
    0x7FF0000000000001,
};

std::uint64_t random_bits(Random& random) {
  std::uint64_t bits = 0;
  for (int i = 0; i < 4; ++i) {
    bits = bits << 16 | random.below(1U << 16);
  }
  return bits;
}

/// A number whose exponent is near that of `bits`, and whose significand often has few bits, so that results are ties.
std::uint64_t near(Random& random, std::uint64_t bits) {
  const std::uint64_t exponent = (bits >> 52 & 0x7FF) + random.below(121) - 60;
  const std::uint64_t fraction = random_bits(random) >> 12;
  const std::uint64_t kept = random.below(2) == 0 ? fraction : fraction & ~std::uint64_t{0} << random.below(52);
  return std::uint64_t{random.below(2)} << 63 | (exponent & 0x7FF) << 52 | kept;
}

TEST_F(OpenclFloat64, MatchesTheHost) {
  Random random;
  SCOPED_TRACE(random.trace());
  Numbers a;
  Numbers b;
  for (const std::uint64_t x : kEdges) {
    for (const std::uint64_t y : kEdges) {
      for (const std::uint64_t signs : {0, 1, 2, 3}) {
        a.push_back(x | signs << 63);
        b.push_back(y | signs >> 1 << 63);
      }
    }
  }
  for (int i = 0; i < 200000; ++i) {
    a.push_back(near(random, random_bits(random)));
    b.push_back(random.below(4) == 0 ? random_bits(random) : near(random, a.back()));
    if (random.below(4) == 0) {
      a.back() >>= random.below(64);  // subnormal numbers, and sums of 64 to 128 bits
    }
  }
  const auto device = std::make_shared<opencl::Device>(tested_options(), opencl::TestOptions{});
  for (const bool has_float64 : {false, true}) {
    if (has_float64 && !device->found().has_float64) {
      continue;
    }
    const Numbers results = computed(device, has_float64, a, b);
    for (std::size_t i = 0; i < a.size(); ++i) {
      const auto expected = expected_of(a[i], b[i]);
      for (std::size_t r = 0; r < kResults; ++r) {
        const std::uint64_t found = results[i * kResults + r];
        const bool is_nan = r < 5 && expected[r] == ~std::uint64_t{0};
        ASSERT_EQ(is_nan ? bits_of(std::bit_cast<double>(found)) : found, expected[r])
            << kNames[r] << " of " << std::hex << a[i] << " and " << b[i] << (has_float64 ? "" : ", with integers");
      }
    }
  }
}

}  // namespace
}  // namespace gpuimg::test
