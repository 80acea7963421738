// Compares the host twin of cuda/window/sum_bands.cuh with the CPU backend: the same products, digits, sums, means and
// thresholds, warp by warp.
#include "window/bands.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <functional>
#include <set>
#include <vector>

#include "gpuimg/backend.hpp"
#include "ops/threshold.hpp"
#include "support/test_images.hpp"

namespace gpuimg::test_window_bands {
namespace {

/// Computes a pixel from a level, and the sum and number of pixels of its window.
using PixelMaker = std::function<std::uint32_t(std::uint32_t level, std::uint32_t sum, std::uint32_t n)>;

/// Sums of an image's windows, for 32 columns and 16 rows at a time.
class WarpTwin {
 public:
  WarpTwin(ConstView image, int radius, Border border, int first_column, int top)
      : image_(image),
        layout_(band_layout(radius)),
        border_(border),
        first_column_(first_column),
        first_counted_(top - radius - 1) {}

  /// Computes the sums for the windows of the row above `top`, in `starts` steps that give no results.
  void start(int top) {
    const int starts = (layout_.size() + kBandRows - 1) / kBandRows;
    for (int step = starts; step > 0; --step) {
      add_rows(top - step * kBandRows, false);
    }
  }

  /// Computes sums_[row][column] for the 16 rows from y on.
  void add_rows(int y, bool leaves) {
    for (int m = 0; m < kBandRows; ++m) {
      const Row numbers = packed_difference(y + m, leaves);
      for (int column = 0; column < kBandColumns; ++column) {
        sums_[m][column] = (m > 0 ? sums_[m - 1] : before_)[column] + numbers[column];
      }
    }
    before_ = sums_[kBandRows - 1];
  }

  [[nodiscard]] std::uint32_t sum(int row, int column) const { return sums_[row][column]; }

 private:
  [[nodiscard]] std::uint32_t level(int row, int column) const {
    const int source = source_position(column, image_.width, border_);
    return row < 0 || source < 0 ? 0U : image_.row<std::uint8_t>(row)[source];
  }

  using Row = std::array<std::uint32_t, kBandColumns>;

  /// The sums that a row of levels adds to each column's window, times kBandWeight.
  [[nodiscard]] Row across(int logical) const {
    const int row = logical < first_counted_ ? -1 : source_position(logical, image_.height, border_);
    Row sums{};
    for (int column = 0; column < kBandColumns; ++column) {
      for (int offset = 0; offset < kBandSteps * kBandDepth; ++offset) {
        const bool counts = is_in_band(layout_, column, offset);
        sums[column] += counts ? kBandWeight * level(row, first_column_ - layout_.margin + offset) : 0U;
      }
    }
    return sums;
  }

  /// Keeps the sums until they leave the window. Subtracts two columns at a time, with 16 bits each.
  Row packed_difference(int y, bool leaves) {
    kept_.push_back(across(y + layout_.radius));
    const Row& enter = kept_.back();
    const Row leave = leaves ? kept_[kept_.size() - 1 - static_cast<std::size_t>(layout_.size())] : Row{};
    Row numbers{};
    for (int entry = 0; entry < kBandColumns; ++entry) {
      const int lower = column_of_entry(entry / 16 * 2, entry % 8);
      const int upper = column_of_entry(entry / 16 * 2 + 1, entry % 8);
      EXPECT_LT(enter[lower] | enter[upper], 0x10000U);
      const std::uint32_t pair = (enter[lower] | enter[upper] << 16) - (leave[lower] | leave[upper] << 16);
      const std::uint32_t stopped = leaves ? pair + 0x10000U : pair;
      numbers[lower] = number_of(stopped & 0xFFFFU);
      numbers[upper] = number_of(stopped >> 16);
    }
    return numbers;
  }

  static std::uint32_t number_of(std::uint32_t half) {
    return (half >> 1 & 127U) + kBandDigit * static_cast<std::uint32_t>(static_cast<std::int8_t>(half >> 8));
  }

  ConstView image_;
  BandLayout layout_;
  Border border_;
  int first_column_;
  int first_counted_;
  std::vector<Row> kept_;
  Row before_{};
  std::array<Row, kBandRows> sums_{};
};

/// Processes blocks of `rows` rows; `rows` is a multiple of 16.
Image made_by_twin(const Image& image, int size, Border border, int rows, const PixelMaker& make_pixel) {
  Image made(image.width(), image.height(), image.format());
  const int radius = size / 2;
  for (int first = 0; first < image.width(); first += kBandColumns) {
    for (int top = 0; top < image.height(); top += rows) {
      WarpTwin twin(image.view(), radius, border, first, top);
      twin.start(top);
      for (int y = top; y < std::min(image.height(), top + rows); ++y) {
        if ((y - top) % kBandRows == 0) {
          twin.add_rows(y, true);
        }
        for (int x = first; x < std::min(image.width(), first + kBandColumns); ++x) {
          const std::uint32_t n = counted_positions(x, radius, image.width(), border) *
                                  counted_positions(y, radius, image.height(), border);
          const std::uint32_t level = image.view().row<std::uint8_t>(y)[x];
          const std::uint32_t pixel = make_pixel(level, twin.sum((y - top) % kBandRows, x - first), n);
          made.view().row<std::uint8_t>(y)[x] = static_cast<std::uint8_t>(pixel);
        }
      }
    }
  }
  return made;
}

std::uint32_t squared(int size) { return static_cast<std::uint32_t>(size) * static_cast<std::uint32_t>(size); }

/// Uses the arithmetic of the products if all pixels are inside the image, and a division otherwise.
std::uint32_t mean_of(std::uint32_t sum, std::uint32_t n, std::uint32_t whole) {
  if (n == whole) {
    const BandMean mean(n);
    return mean(mean.sum_base() + sum) & 255U;
  }
  return quotient_mean(sum, n, below_inverse(n));
}

int random_window(test::Random& random, const Image& image) {
  return 2 * random.between(0, std::min(std::max(image.width(), image.height()) - 1, kMaxBandWindow / 2)) + 1;
}

TEST(WindowBands, EveryColumnAndRowHasOneEntry) {
  std::set<int> columns;
  for (int entry = 0; entry < 32; ++entry) {
    columns.insert(column_of_entry(entry / 8, entry % 8));
  }
  std::set<int> rows;
  for (int k = 0; k < kBandRows; ++k) {
    rows.insert(row_of_entry(k));
  }
  EXPECT_EQ(columns.size(), 32U);
  EXPECT_EQ(*columns.rbegin(), 31);
  EXPECT_EQ(rows.size(), 16U);
  EXPECT_EQ(*rows.rbegin(), 15);
}

TEST(WindowBands, ProductsCoverEveryWindow) {
  for (int radius = 0; radius <= kMaxBandWindow / 2; ++radius) {
    const BandLayout layout = band_layout(radius);
    ASSERT_TRUE(is_in_band(layout, 0, layout.margin - radius));
    ASSERT_GE(layout.margin, radius);
    ASSERT_LT(layout.margin + 31 + radius, kBandSteps * kBandDepth) << radius;
  }
}

TEST(WindowBands, TwinMatchesTheMeansOfTheCpu) {
  test::Random random;
  SCOPED_TRACE(random.trace());
  const auto backend = make_cpu_backend(2);
  for (int round = 0; round < 30; ++round) {
    const int width = random.between(1, round % 6 == 0 ? 600 : 150);
    const Image image = test::any_image(random, width, random.between(1, 60), {Sample::u8, 1});
    WindowOptions options;
    options.size = random_window(random, image);
    options.border = static_cast<Border>(random.below(3));
    const std::uint32_t whole = squared(options.size.width);
    const Image twin = made_by_twin(
        image, options.size.width, options.border, kBandRows * random.between(1, 3),
        [whole](std::uint32_t /*level*/, std::uint32_t sum, std::uint32_t n) { return mean_of(sum, n, whole); });
    const Image expected = backend->download(backend->apply(backend->upload(image.view()), options));
    ASSERT_TRUE(test::same_pixels(twin.view(), expected.view()))
        << image.width() << "x" << image.height() << ", window " << options.size.width;
  }
}

TEST(WindowBands, TwinMatchesTheThresholdsOfTheCpu) {
  test::Random random;
  SCOPED_TRACE(random.trace());
  const auto backend = make_cpu_backend(2);
  for (int round = 0; round < 30; ++round) {
    const Image image =
        test::any_image(random, random.between(1, round % 6 == 0 ? 600 : 150), random.between(1, 60), {Sample::u8, 1});
    ThresholdOptions options;
    options.method = round % 2 == 0 ? ThresholdMethod::mean : ThresholdMethod::bradley;
    options.window = random_window(random, image);
    options.offset = random.between(-40, 40) / 4.0;
    options.sensitivity = random.between(0, 100);
    const ThresholdRule rule = threshold_rule(image.format(), options);
    const std::uint32_t whole = squared(options.window->width);
    const auto make_pixel = [&](std::uint32_t level, std::uint32_t sum, std::uint32_t n) {
      if (options.method == ThresholdMethod::mean) {
        const auto mean = static_cast<std::int32_t>(mean_of(sum, n, whole));
        return static_cast<std::int32_t>(level) - mean > -rule.offset ? 255U : 0U;
      }
      const BandLimit limit(whole, rule.percent);
      if (n == whole && limit.is_exact()) {
        return level > (limit(limit.sum_base() + sum) & 255U) ? 255U : 0U;
      }
      return is_white<ThresholdMethod::bradley>(level, sum, 0, n, rule) ? 255U : 0U;
    };
    const Image twin = made_by_twin(image, options.window->width, border_of(options.method),
                                    kBandRows * random.between(1, 3), make_pixel);
    const Image expected = backend->download(backend->apply(backend->upload(image.view()), options));
    ASSERT_TRUE(test::same_pixels(twin.view(), expected.view()))
        << image.width() << "x" << image.height() << ", window " << options.window->width << ", offset "
        << *options.offset << ", sensitivity " << options.sensitivity;
  }
}

TEST(WindowBands, MeansAreExactNextToEveryStep) {
  for (int size = 1; size <= kMaxBandWindow; size += 2) {
    const std::uint32_t n = squared(size);
    const BandMean mean(n);
    for (std::uint32_t level = 0; level <= 255; ++level) {
      for (const int near : {-2, -1, 0, 1, 2}) {
        const std::int64_t sum = std::int64_t{level} * n - n / 2 + near;
        if (sum >= 0 && sum <= std::int64_t{255} * n) {
          const auto exact = static_cast<std::uint32_t>(sum);
          ASSERT_EQ(mean(mean.sum_base() + exact) & 255U, window_mean(exact, n)) << exact << " / " << n;
        }
      }
    }
  }
}

TEST(WindowBands, LimitsAreExactNextToEveryStep) {
  int inexact = 0;
  for (int size = 1; size <= kMaxBandWindow; size += 2) {
    for (std::uint32_t percent = 0; percent <= 100; ++percent) {
      const std::uint32_t n = squared(size);
      const BandLimit limit(n, percent);
      if (!limit.is_exact()) {
        ASSERT_NE(percent % 5, 0U) << size;
        ++inexact;
        continue;
      }
      const auto check = [&](std::uint32_t sum) {
        ASSERT_EQ(limit(limit.sum_base() + sum) & 0xFFFFU, sum * percent / (100 * n))
            << sum << ", " << percent << " % of " << n;
      };
      check(255 * n);
      for (std::uint32_t next = 1; next <= 255 * percent / 100; ++next) {
        const std::uint32_t first = (100 * n * next + percent - 1) / percent;
        check(first);
        check(first - 1);
      }
    }
  }
  EXPECT_LT(inexact, 130);
}

}  // namespace
}  // namespace gpuimg::test_window_bands
