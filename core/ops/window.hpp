// Statistics of the window around each pixel: borders and exact arithmetic. Specified in docs/operations.md, "Windows".
#pragma once

#include <cmath>
#include <cstdint>

#include "gpuimg/ops/window.hpp"
#include "host_device.hpp"

namespace gpuimg {

/// The position inside 0 … size − 1 that stands for `at`; −1 for none.
GPUIMG_HD constexpr int source_position(int at, int size, Border border) {
  if (at >= 0 && at < size) {
    return at;
  }
  if (border == Border::cut) {
    return -1;
  }
  if (border == Border::replicate) {
    return at < 0 ? 0 : size - 1;
  }
  if (size == 1) {
    return 0;
  }
  const std::int64_t period = 2 * (std::int64_t{size} - 1);
  const std::int64_t in_period = (at < 0 ? -at : at) % period;
  return static_cast<int>(in_period < size ? in_period : period - in_period);
}

/// Number of positions of a window around `at` that count, along one axis.
GPUIMG_HD constexpr std::uint32_t counted_positions(int at, int radius, int size, Border border) {
  if (border != Border::cut) {
    return static_cast<std::uint32_t>(2 * radius + 1);
  }
  const int first = at > radius ? at - radius : 0;
  const int last = at < size - radius ? at + radius : size - 1;
  return static_cast<std::uint32_t>(last - first + 1);
}

__extension__ using Uint128 = unsigned __int128;

/// Nearest double, ties to even.
GPUIMG_HD inline double rounded_to_double(Uint128 x) {
  const auto high = static_cast<std::uint64_t>(x >> 64);
  const auto low = static_cast<std::uint64_t>(x);
  if (high == 0) {
    return static_cast<double>(low);
  }
  const std::uint32_t shift = bit_width(high);
  const std::uint64_t top = shift == 64 ? high : (high << (64 - shift)) | (low >> shift);
  const std::uint64_t rest = shift == 64 ? low : low << (64 - shift);
  const double sticky = static_cast<double>(top | (rest != 0 ? 1U : 0U));
  return sticky * static_cast<double>(std::uint64_t{1} << (shift - 1)) * 2.0;
}

/// ⌊sum/n + ½⌋.
GPUIMG_HD constexpr std::uint32_t window_mean(std::uint64_t sum, std::uint64_t n) {
  return static_cast<std::uint32_t>((2 * sum + n) / (2 * n));
}

/// A little less than 1/n: by 2⁻²² to 2⁻²⁰ of it, though a device's quotient may be 2 units in the last place off.
GPUIMG_HD inline float below_inverse(std::uint32_t n) {
#ifdef __CUDA_ARCH__
  const float inverse = __fdividef(1.0F, static_cast<float>(n));
#else
  const float inverse = 1.0F / static_cast<float>(n);
#endif
  return inverse * (1.0F - 0x1p-21F);
}

/// window_mean(sum, n) of 8-bit levels, with below_inverse(n); sum + n/2 must fit 32 bits. The product is right when
/// truncated, or one too small.
GPUIMG_HD inline std::uint32_t quotient_mean(std::uint32_t sum, std::uint32_t n, float below) {
  const std::uint32_t a = sum + n / 2;
  const auto estimate = static_cast<std::uint32_t>(static_cast<float>(a) * below);
  return a - estimate * n >= n ? estimate + 1 : estimate;
}

/// (nΣx² − (Σx)²)/n²: the numerator is exact, numerator and denominator are rounded once, and so is the quotient.
GPUIMG_HD inline double window_variance(std::uint64_t sum, std::uint64_t squares, std::uint64_t n) {
  const Uint128 numerator = Uint128{n} * squares - Uint128{sum} * sum;
  const double count = static_cast<double>(n);
  return rounded_to_double(numerator) / (count * count);
}

GPUIMG_HD inline double window_deviation(std::uint64_t sum, std::uint64_t squares, std::uint64_t n) {
  return sqrt(window_variance(sum, squares, n));
}

}  // namespace gpuimg
