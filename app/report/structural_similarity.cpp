// SSIM of two images, row by row. The loops are compiled for each instruction set, with identical results.
// docs/operations.md, "Structural similarity".
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "report/structural_similarity.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "report/image_comparison.hpp"

HWY_BEFORE_NAMESPACE();
namespace gpuimg::HWY_NAMESPACE {

// Each sample position of a row has four column sums: of a, b, a² + b² and a·b. Channels are interleaved in rows.

/// Adds a row to the column sums and subtracts an old row. rows: a, b, old a, old b.
template <class Sum>
HWY_INLINE void slide(const std::uint16_t* const* rows, std::size_t count, Sum* const* sums) {
  const std::uint16_t* HWY_RESTRICT a = rows[0];
  const std::uint16_t* HWY_RESTRICT b = rows[1];
  const std::uint16_t* HWY_RESTRICT old_a = rows[2];
  const std::uint16_t* HWY_RESTRICT old_b = rows[3];
  Sum* HWY_RESTRICT sum_a = sums[0];
  Sum* HWY_RESTRICT sum_b = sums[1];
  Sum* HWY_RESTRICT squares = sums[2];
  Sum* HWY_RESTRICT products = sums[3];
  for (std::size_t i = 0; i < count; ++i) {
    const auto p = static_cast<Sum>(std::int32_t{a[i]});
    const auto q = static_cast<Sum>(std::int32_t{b[i]});
    const auto old_p = static_cast<Sum>(std::int32_t{old_a[i]});
    const auto old_q = static_cast<Sum>(std::int32_t{old_b[i]});
    sum_a[i] += p - old_p;
    sum_b[i] += q - old_q;
    squares[i] += (p * p + q * q) - (old_p * old_p + old_q * old_q);
    products[i] += p * q - old_p * old_q;
  }
}

void slide_narrow(const std::uint16_t* const* rows, std::size_t count, std::int32_t* const* sums) {
  slide(rows, count, sums);
}
void slide_wide(const std::uint16_t* const* rows, std::size_t count, double* const* sums) { slide(rows, count, sums); }

/// SSIM of one window in units of 2⁻⁴⁰, from integer sums or weighted means. `scale` brings `products` and `squares` to
/// the scale of `sum_a` · `sum_b`. Adding and subtracting 1.5·2⁵² rounds to a whole unit, ties to even.
template <class Sum>
HWY_INLINE double units_of(Sum sum_a, Sum sum_b, Sum squares, Sum products, Sum scale, double c1, double c2) {
  constexpr double kUnits = 1099511627776.0;
  constexpr double kRounding = 6755399441055744.0;
  const Sum ab = sum_a * sum_b;
  const Sum aa_bb = sum_a * sum_a + sum_b * sum_b;
  const Sum covariance = scale * products - ab;
  const Sum variances = scale * squares - aa_bb;
  const double above = (static_cast<double>(2 * ab) + c1) * (static_cast<double>(2 * covariance) + c2);
  const double below = (static_cast<double>(aa_bb) + c1) * (static_cast<double>(variances) + c2);
  return (above / below * kUnits + kRounding) - kRounding;
}

/// The sum of seven columns of one channel.
template <class Sum>
HWY_INLINE Sum across(const Sum* HWY_RESTRICT columns, std::size_t channels) {
  return ((columns[0] + columns[channels]) + (columns[2 * channels] + columns[3 * channels])) +
         ((columns[4 * channels] + columns[5 * channels]) + columns[6 * channels]);
}

template <class Sum>
HWY_INLINE void box(const Sum* const* columns, std::size_t count, std::size_t channels, double c1, double c2,
                    double* HWY_RESTRICT units) {
  const Sum* HWY_RESTRICT sum_a = columns[0];
  const Sum* HWY_RESTRICT sum_b = columns[1];
  const Sum* HWY_RESTRICT squares = columns[2];
  const Sum* HWY_RESTRICT products = columns[3];
  for (std::size_t i = 0; i < count; ++i) {
    units[i] = units_of<Sum>(across(sum_a + i, channels), across(sum_b + i, channels), across(squares + i, channels),
                             across(products + i, channels), 49, c1, c2);
  }
}

void box_narrow(const std::int32_t* const* columns, std::size_t count, std::size_t channels, double c1, double c2,
                double* units) {
  box(columns, count, channels, c1, c2, units);
}
void box_wide(const double* const* columns, std::size_t count, std::size_t channels, double c1, double c2,
              double* units) {
  box(columns, count, channels, c1, c2, units);
}

/// w₀·v[0] + w₁·(v[−1] + v[1]) + …, evaluated from left to right; neighbors are `step` apart.
HWY_INLINE double weighted(const double* HWY_RESTRICT center, std::ptrdiff_t step, const double* HWY_RESTRICT weights) {
  double sum = weights[0] * center[0];
  for (std::ptrdiff_t k = 1; k <= 5; ++k) {
    sum += weights[k] * (center[-k * step] + center[k * step]);
  }
  return sum;
}

/// The weighted column sums of eleven rows, from top to bottom.
void gaussian_down(const std::uint16_t* const* a, const std::uint16_t* const* b, std::size_t count,
                   const double* weights, double* const* columns) {
  for (std::size_t i = 0; i < count; ++i) {
    double values[4][11];
    for (std::size_t y = 0; y < 11; ++y) {
      const double p = a[y][i];
      const double q = b[y][i];
      values[0][y] = p;
      values[1][y] = q;
      values[2][y] = p * p + q * q;
      values[3][y] = p * q;
    }
    for (std::size_t k = 0; k < 4; ++k) {
      columns[k][i] = weighted(values[k] + 5, 1, weights);
    }
  }
}

void gaussian_across(const double* const* columns, std::size_t count, std::size_t channels, const double* weights,
                     double c1, double c2, double* units) {
  const auto step = static_cast<std::ptrdiff_t>(channels);
  const std::size_t center = 5 * channels;
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t at = i + center;
    units[i] = units_of<double>(weighted(columns[0] + at, step, weights), weighted(columns[1] + at, step, weights),
                                weighted(columns[2] + at, step, weights), weighted(columns[3] + at, step, weights), 1.0,
                                c1, c2);
  }
}

/// lanes[i % 12] += units[i]: twelve is a multiple of every number of channels.
void add_to_lanes(const double* HWY_RESTRICT units, std::size_t count, double* HWY_RESTRICT lanes) {
  constexpr std::size_t kLanes = 12;
  std::size_t i = 0;
  for (; i + kLanes <= count; i += kLanes) {
    for (std::size_t lane = 0; lane < kLanes; ++lane) {
      lanes[lane] += units[i + lane];
    }
  }
  for (std::size_t lane = 0; i + lane < count; ++lane) {
    lanes[lane] += units[i + lane];
  }
}

}  // namespace gpuimg::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace gpuimg {
namespace {
HWY_EXPORT(slide_narrow);
HWY_EXPORT(slide_wide);
HWY_EXPORT(box_narrow);
HWY_EXPORT(box_wide);
HWY_EXPORT(gaussian_down);
HWY_EXPORT(gaussian_across);
HWY_EXPORT(add_to_lanes);

/// exp(−k² / (2 · 1.5²)), divided by the sum over k from −5 to 5, rounded to float64.
constexpr std::array<double, 6> kGaussianWeights = {0.26601172486179436, 0.2130055377112537,   0.10936068950970002,
                                                    0.03600077212843082, 0.007598758135239184, 0.0010283800844791099};

/// With up to this many units in each lane, lanes stay below 2⁵³, so sums are exact.
constexpr std::size_t kMostInLane = 4096;
constexpr std::size_t kLanes = 12;

void slide_columns(const std::uint16_t* const* rows, std::size_t count, std::int32_t* const* sums) {
  HWY_DYNAMIC_DISPATCH(slide_narrow)(rows, count, sums);
}
void slide_columns(const std::uint16_t* const* rows, std::size_t count, double* const* sums) {
  HWY_DYNAMIC_DISPATCH(slide_wide)(rows, count, sums);
}

void box_windows(const std::int32_t* const* columns, std::size_t count, std::size_t channels, double c1, double c2,
                 double* units) {
  HWY_DYNAMIC_DISPATCH(box_narrow)(columns, count, channels, c1, c2, units);
}
void box_windows(const double* const* columns, std::size_t count, std::size_t channels, double c1, double c2,
                 double* units) {
  HWY_DYNAMIC_DISPATCH(box_wide)(columns, count, channels, c1, c2, units);
}

template <class Sum>
std::array<const Sum*, 4> pointers(const std::array<std::vector<Sum>, 4>& sums) {
  return {sums[0].data(), sums[1].data(), sums[2].data(), sums[3].data()};
}

template <class Sum>
std::array<Sum*, 4> pointers(std::array<std::vector<Sum>, 4>& sums) {
  return {sums[0].data(), sums[1].data(), sums[2].data(), sums[3].data()};
}

}  // namespace

StructuralSimilarity::StructuralSimilarity(int width, int height, int channels, int bits, SsimWindow window)
    : window_(window),
      side_(static_cast<std::size_t>(ssim_side(window))),
      channels_(static_cast<std::size_t>(channels)),
      row_samples_(static_cast<std::size_t>(width) * channels_),
      has_windows_(std::min(width, height) >= ssim_side(window)),
      kept_rows_(has_windows_ ? side_ + 1 : 1),
      is_wide_(bits > 8 || window == SsimWindow::gaussian) {
  const double v_max = bits == 8 ? 255.0 : 65535.0;
  const double n = window == SsimWindow::gaussian ? 1.0 : 49.0;
  c1_ = n * n * v_max * v_max / 1e4;
  c2_ = n * (window == SsimWindow::gaussian ? 1.0 : 48.0) * 9.0 * v_max * v_max / 1e4;
  for (std::vector<std::uint16_t>& rows : ring_) {
    rows.resize(kept_rows_ * row_samples_);
  }
  if (!has_windows_) {
    return;
  }
  for (std::size_t k = 0; k < 4; ++k) {
    is_wide_ ? wide_[k].resize(row_samples_) : narrow_[k].resize(row_samples_);
  }
  units_.resize(windows_in_row() * channels_);
}

std::uint64_t StructuralSimilarity::bytes_of(int width, int height, int channels, int bits, SsimWindow window) {
  const int side = ssim_side(window);
  const auto samples = static_cast<std::uint64_t>(width) * static_cast<std::uint64_t>(channels);
  if (std::min(width, height) < side) {
    return samples * 2 * sizeof(std::uint16_t);
  }
  const std::uint64_t rows = 2 * (static_cast<std::uint64_t>(side) + 1) + 1;  // plus the row of zeros in add_box_row
  const std::uint64_t sum = bits > 8 || window == SsimWindow::gaussian ? sizeof(double) : sizeof(std::int32_t);
  return samples * (rows * sizeof(std::uint16_t) + 4 * sum + sizeof(double));
}

std::uint16_t* StructuralSimilarity::next_row(int image) { return row(image, rows_); }

std::uint16_t* StructuralSimilarity::row(int image, std::size_t y) {
  return ring_[static_cast<std::size_t>(image)].data() + y % kept_rows_ * row_samples_;
}

void StructuralSimilarity::add_row(bool is_same) {
  same_rows_ = is_same ? same_rows_ + 1 : 0;
  ++rows_;
  if (rows_ < side_ || windows_in_row() == 0) {
    return;
  }
  ++window_rows_;
  if (same_rows_ >= side_) {  // the SSIM of each window is exactly 1
    has_sums_ = false;
    same_window_rows_ += 1;
    return;
  }
  if (window_ == SsimWindow::gaussian) {
    add_gaussian_row();
  } else if (is_wide_) {
    add_box_row(wide_);
  } else {
    add_box_row(narrow_);
  }
  add_units();
}

template <class Sum>
void StructuralSimilarity::add_box_row(std::array<std::vector<Sum>, 4>& sums) {
  const auto add = [&](std::size_t y, const std::uint16_t* old_a, const std::uint16_t* old_b) {
    const std::array<const std::uint16_t*, 4> rows = {row(0, y), row(1, y), old_a, old_b};
    slide_columns(rows.data(), row_samples_, pointers(sums).data());
  };
  const std::size_t last = rows_ - 1;
  if (has_sums_) {
    add(last, row(0, last - side_), row(1, last - side_));
  } else {
    const std::vector<std::uint16_t> nothing(row_samples_);
    for (std::vector<Sum>& sum : sums) {
      std::fill(sum.begin(), sum.end(), Sum{});
    }
    for (std::size_t y = rows_ - side_; y < rows_; ++y) {
      add(y, nothing.data(), nothing.data());
    }
    has_sums_ = true;
  }
  box_windows(pointers(std::as_const(sums)).data(), units_.size(), channels_, c1_, c2_, units_.data());
}

void StructuralSimilarity::add_gaussian_row() {
  std::array<const std::uint16_t*, 11> a{};
  std::array<const std::uint16_t*, 11> b{};
  for (std::size_t y = 0; y < side_; ++y) {
    a[y] = row(0, rows_ - side_ + y);
    b[y] = row(1, rows_ - side_ + y);
  }
  HWY_DYNAMIC_DISPATCH(gaussian_down)
  (a.data(), b.data(), row_samples_, kGaussianWeights.data(), pointers(wide_).data());
  HWY_DYNAMIC_DISPATCH(gaussian_across)
  (pointers(std::as_const(wide_)).data(), units_.size(), channels_, kGaussianWeights.data(), c1_, c2_, units_.data());
}

void StructuralSimilarity::add_units() {
  for (std::size_t first = 0; first < units_.size(); first += kLanes * kMostInLane) {
    std::array<double, kLanes> lanes{};
    HWY_DYNAMIC_DISPATCH(add_to_lanes)
    (units_.data() + first, std::min(units_.size() - first, kLanes * kMostInLane), lanes.data());
    for (std::size_t lane = 0; lane < kLanes; ++lane) {
      totals_[lane % channels_] += static_cast<std::int64_t>(lanes[lane]);
    }
  }
}

std::vector<double> StructuralSimilarity::means() const {
  constexpr double kUnits = 1099511627776.0;
  std::vector<double> means;
  if (window_rows_ == 0) {
    return means;
  }
  const double windows = static_cast<double>(windows_in_row()) * static_cast<double>(window_rows_);
  const Units same = static_cast<Units>(windows_in_row()) * static_cast<Units>(same_window_rows_) << 40;
  const Units whole = static_cast<Units>(windows_in_row()) * static_cast<Units>(window_rows_) << 40;
  for (std::size_t c = 0; c < channels_; ++c) {
    const Units total = totals_[c] + same;
    const double mean = static_cast<double>(total) / (kUnits * windows);
    means.push_back(total < whole ? std::min(mean, std::nextafter(1.0, 0.0)) : mean);
  }
  return means;
}

}  // namespace gpuimg
#endif
