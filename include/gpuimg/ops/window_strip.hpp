// Windows over 8-bit levels in strips of columns, as a block of device threads sums them: the layout of a strip, the
// mean, and thresholds by it. Specified in docs/operations.md, "Windows". The kernel is cuda/window_strip.cuh; tests
// run its twin on the host.
#pragma once

#include <cstdint>

#include "gpuimg/host_device.hpp"
#include "gpuimg/ops/threshold.hpp"

namespace gpuimg {

inline constexpr int kStripThreads = 256;
inline constexpr int kStripRun = 8;                              ///< adjacent columns of a thread
inline constexpr int kStripColumns = kStripThreads * kStripRun;  ///< that a block sums
inline constexpr int kMaxStripWindow = 255;                      ///< sums stay below 2²⁴

/// What a block sums to each side of the columns that it writes: the radius, in whole runs.
GPUIMG_HD constexpr int strip_margin(int radius) { return (radius + kStripRun - 1) / kStripRun * kStripRun; }

/// The columns that a block writes.
GPUIMG_HD constexpr int strip_columns(int radius) { return kStripColumns - 2 * strip_margin(radius); }

/// Where the sum of the first `columns` columns of a block is kept, in an array of kStripRun rows: places kStripRun
/// apart are adjacent, so that threads that read the same place of their runs meet no bank conflicts.
struct StripPlace {
  int row = 0;
  int at = 0;
};
GPUIMG_HD constexpr StripPlace strip_place(int columns) { return {columns % kStripRun, columns / kStripRun}; }

/// A little less than 1/n, for n ≤ kMaxStripWindow².
GPUIMG_HD inline float below_inverse(std::uint32_t n) { return (1.0F / static_cast<float>(n)) * (1.0F - 0x1p-21F); }

/// window_mean(sum, n) of 8-bit levels, with below_inverse(n). The product is right when truncated, or one too small.
GPUIMG_HD inline std::uint32_t strip_mean(std::uint32_t sum, std::uint32_t n, float below) {
  const std::uint32_t a = sum + n / 2;
  const auto estimate = static_cast<std::uint32_t>(static_cast<float>(a) * below);
  return a - estimate * n >= n ? estimate + 1 : estimate;
}

/// is_white() of 8-bit levels, for the methods that need no squares.
template <ThresholdMethod method>
GPUIMG_HD bool strip_is_white(std::uint32_t level, std::uint32_t sum, std::uint32_t n, float below,
                              const ThresholdRule& rule) {
  if constexpr (method == ThresholdMethod::mean) {
    const auto mean = static_cast<std::int32_t>(strip_mean(sum, n, below));
    return static_cast<std::int32_t>(level) - mean > -rule.offset;
  } else {
    return is_white<method>(level, sum, 0, n, rule);
  }
}

}  // namespace gpuimg
