// Sums of small windows over 8-bit levels, computed by a warp of device threads as matrix products with bands of ones
// and zeros. Defines which columns and rows a product covers, and how a sum becomes a mean. Specified in
// docs/operations.md, "Windows". The kernel is cuda/window/sum_bands.cuh; tests run its host twin. For larger windows:
// slides.hpp.
//
// A warp sums the windows of 32 columns, 16 rows at a time. Products of levels and bands give the sum of each new row
// over each column's window. These sums are kept until the row leaves the windows. A product with a triangular matrix
// then accumulates their differences (entering row minus leaving row) from row to row.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <numeric>

#include "host_device.hpp"

namespace gpuimg {

inline constexpr int kBandColumns = 32;  ///< per warp
inline constexpr int kBandRows = 16;     ///< per product with the triangle
inline constexpr int kBandDepth = 32;    ///< levels of a row per product
inline constexpr int kBandSteps = 3;     ///< products per row
inline constexpr int kMaxBandWindow = 63;

/// Offsets count columns from the first one that a warp reads.
struct BandLayout {
  int radius = 0;
  int margin = 0;  ///< columns read to the left of the results, a multiple of 16

  [[nodiscard]] GPUIMG_HD constexpr int size() const { return 2 * radius + 1; }
};

GPUIMG_HD constexpr BandLayout band_layout(int radius) {
  BandLayout layout;
  layout.radius = radius;
  layout.margin = (radius + 15) / 16 * 16;
  return layout;
}

/// True if the window of `column` (0 to 31) of a warp contains the level at this offset.
GPUIMG_HD constexpr bool is_in_band(const BandLayout& layout, int column, int offset) {
  const int first = layout.margin - layout.radius + column;
  return offset >= first && offset <= first + 2 * layout.radius;
}

/// The column (0 to 31) of entry n of tile 0 … 3. This order gives each thread eight adjacent results.
GPUIMG_HD constexpr int column_of_entry(int tile, int n) { return 8 * (n / 2) + 2 * tile + n % 2; }

/// The row (0 to 15) of column k of the triangle. This is the order in which a thread holds the sums of rows.
GPUIMG_HD constexpr int row_of_entry(int k) { return k % 4 / 2 * 8 + k / 4 * 2 + k % 2; }

/// Bands consist of twos, so that the differences of row sums are even. Such a difference is split into two byte digits
/// that products with the triangle can weigh: bits 1 to 7, with weight 1, and the next byte, which is signed, with
/// weight kBandDigit.
inline constexpr std::uint32_t kBandWeight = 2;
inline constexpr std::uint32_t kBandDigit = 128;

/// window_mean() for small windows, by a single floating-point multiplication.
class BandMean {
 public:
  /// n is the number of pixels, which must be odd. Integers from 2²³ to 2²⁴ are exact floats, and the low bits of such
  /// a float are the low bits of the integer. A sum is increased by n/2 − ½ + n·m, with an integer m that makes it
  /// larger than 2²³. Its product with 1/n then exceeds the mean by m. Rounding the inverse changes a quotient by less
  /// than 0.6/n. If the inverse is too small, sums are increased by one more. So a computed quotient is never below the
  /// exact quotient, and less than 1/n above it.
  explicit BandMean(std::uint32_t n) : inverse_(static_cast<float>(1.0 / n)) {
    const std::uint32_t multiple = ((1U << 23) - 1) / n + 1;
    const bool is_below = static_cast<double>(inverse_) * n < 1.0;
    sum_base_ = kFloatBase - (1U << 23) + multiple * n + n / 2 + (is_below ? 1 : 0);
    shift_ = static_cast<float>((1U << 23) - multiple);
  }

  /// Must be added to every sum.
  [[nodiscard]] GPUIMG_HD std::uint32_t sum_base() const { return sum_base_; }

  /// The mean, in the low byte. `bits` is the sum plus sum_base().
  [[nodiscard]] GPUIMG_HD std::uint32_t operator()(std::uint32_t bits) const {
#ifdef __CUDA_ARCH__
    return __float_as_uint(__fmaf_rd(__uint_as_float(bits), inverse_, shift_));
#else
    const double product = static_cast<double>(std::bit_cast<float>(bits)) * static_cast<double>(inverse_);
    return kFloatBase - (1U << 23) + static_cast<std::uint32_t>(shift_ + std::floor(product));
#endif
  }

 private:
  static constexpr std::uint32_t kFloatBase = 0x4B000000U;  ///< bit pattern of the float 2²³

  float inverse_;
  float shift_;
  std::uint32_t sum_base_;
};

/// Bradley's threshold for small windows, by a single floating-point multiplication. A level is white if it is above
/// the limit ⌊sum · percent / (100 · n)⌋.
class BandLimit {
 public:
  /// n is the number of pixels, which must be odd. The factor is one of the two floats next to the exact factor. The
  /// upper float gives the right product after truncation if the error is smaller than the distance to the next limit.
  /// With the lower float, sums are increased so that each product becomes larger by 1 / (denominator of the exact
  /// factor). For some n and percent, neither works.
  BandLimit(std::uint32_t n, std::uint32_t percent) {
    const std::uint32_t divisor = std::gcd(percent, 100 * n);
    const std::uint32_t denominator = 100 * n / divisor;
    const std::uint32_t numerator = percent / divisor;
    const double exact = static_cast<double>(numerator) / denominator;
    auto nearest = static_cast<float>(exact);
    const bool is_above = static_cast<double>(nearest) * denominator >= numerator;
    const float above = is_above ? nearest : std::nextafter(nearest, 1.0F);
    is_exact_ = try_factor(above, 0, 0, n, numerator, denominator);
    if (!is_exact_) {
      std::uint64_t whole = 0;
      while ((1 + whole * denominator) % numerator != 0) {
        ++whole;
      }
      const auto base = static_cast<std::uint32_t>((1 + whole * denominator) / numerator);
      is_exact_ =
          try_factor(std::nextafter(above, 0.0F), base, static_cast<std::uint32_t>(whole), n, numerator, denominator);
    }
  }

  /// False for the few windows and percentages for which this class cannot compute the limits.
  [[nodiscard]] bool is_exact() const { return is_exact_; }

  /// Must be added to every sum.
  [[nodiscard]] GPUIMG_HD std::uint32_t sum_base() const { return sum_base_; }

  /// The limit, in the low byte; the next byte is 0. `sum` includes sum_base(). Its bits, read as a float, mean 2⁻¹⁴⁹
  /// times the sum.
  [[nodiscard]] GPUIMG_HD std::uint32_t operator()(std::uint32_t sum) const {
#ifdef __CUDA_ARCH__
    return __float_as_uint(__fmaf_rd(__uint_as_float(sum), factor_, start_));
#else
    const double product = static_cast<double>(std::bit_cast<float>(sum)) * static_cast<double>(factor_);
    return std::bit_cast<std::uint32_t>(static_cast<float>(start_ + std::floor(product * kUnits) / kUnits));
#endif
  }

 private:
  static constexpr float kUnits = 0x1p23F;  ///< number of units of the low bit, for floats from 1 to 2

  bool try_factor(float factor, std::uint32_t base, std::uint32_t whole, std::uint32_t n, std::uint64_t numerator,
                  std::uint64_t denominator) {
    const std::uint64_t most = std::uint64_t{255} * n;
    const auto is_right = [&](std::uint64_t sum) {
      return std::floor(static_cast<double>(sum + base) * static_cast<double>(factor)) ==
             static_cast<double>(sum * numerator / denominator + whole);
    };
    for (std::uint64_t limit = 1; limit <= 255; ++limit) {
      const std::uint64_t first = numerator == 0 ? most + 1 : (limit * denominator + numerator - 1) / numerator;
      if (!is_right(std::min(first - 1, most)) || !is_right(std::min(first, most))) {
        return false;
      }
    }
    factor_ = factor * 0x1p126F;
    start_ = 1.5F - static_cast<float>(whole) / kUnits;
    sum_base_ = base;
    return true;
  }

  float factor_ = 0;
  float start_ = 1;
  std::uint32_t sum_base_ = 0;
  bool is_exact_ = false;
};

}  // namespace gpuimg
