// The host's twin of cuda/window/sum_bands.cuh: the same products, bytes, sums, means and thresholds, warp after warp,
// against the CPU backend.
#include "gpuimg/ops/window_bands.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <functional>
#include <set>
#include <vector>

#include "gpuimg/backend.hpp"
#include "support/test_images.hpp"

namespace gpuimg {
namespace {

/// From a level, and the sum and number of its window.
using PixelMaker = std::function<std::uint32_t(std::uint32_t level, std::uint32_t sum, std::uint32_t n)>;

bool has_middle(const BandLayout& layout) { return layout.size() > kMaxFewStepWindow; }

/// Sums of an image's windows, 32 columns and 16 rows at a time.
class WarpTwin {
 public:
  WarpTwin(ConstView image, int radius, Border border, int first_column, int top)
      : image_(image),
        layout_(band_layout(radius)),
        border_(border),
        first_column_(first_column),
        first_counted_(top - radius - 1) {}

  /// The sums of the first row's windows less its own row: `starts` steps without results.
  void start(int top) {
    const int starts = (layout_.size() + kBandRows - 1) / kBandRows;
    for (int step = starts; step > 0; --step) {
      add_rows(top - step * kBandRows, false);
    }
  }

  /// sums_[row][column] of 16 rows from y on.
  void add_rows(int y, bool leaves) {
    std::array<std::array<std::int32_t, kBandRows>, kBandColumns> across{};
    for (int column = 0; column < kBandColumns; ++column) {
      for (int row = 0; row < kBandRows; ++row) {
        across[column][row] = across_row(column, y + row + layout_.radius, false);
        if (leaves) {
          across[column][row] += across_row(column, y + row - layout_.radius - 1, true);
          across[column][row] -= static_cast<std::int32_t>(band_bias(layout_));
        }
      }
    }
    for (int tile = 0; tile < 4; ++tile) {
      for (int n = 0; n < 8; ++n) {
        const int column = column_of_entry(tile, n);
        for (int m = 0; m < kBandRows; ++m) {
          std::uint32_t sum = before_[column];
          for (int k = 0; k < kBandRows; ++k) {
            sum += row_of_entry(k) <= m ? as_bytes(across[column][row_of_entry(k)]) : 0U;
          }
          sums_[m][column] = sum;
        }
        before_[column] = sums_[kBandRows - 1][column];
      }
    }
  }

  [[nodiscard]] std::uint32_t sum(int row, int column) const { return sums_[row][column]; }

 private:
  [[nodiscard]] std::uint32_t level(int row, int column) const {
    const int source = source_position(column, image_.width, border_);
    return row < 0 || source < 0 ? 0U : image_.row<std::uint8_t>(row)[source];
  }

  /// What a row adds to a column's window, or with its levels turned to 255 less each.
  [[nodiscard]] std::int32_t across_row(int column, int logical, bool leaves) const {
    const int row = logical < first_counted_ ? -1 : source_position(logical, image_.height, border_);
    std::uint32_t sum = 0;
    for (int step = 0; step < (has_middle(layout_) ? kManyBandSteps : kFewBandSteps); ++step) {
      for (int k = 0; k < kBandDepth; ++k) {
        const int offset = step_offset(layout_, step) + k;
        if (is_in_band(layout_, column, offset)) {
          const std::uint32_t one = level(row, first_column_ - layout_.margin + offset);
          sum += leaves ? 255U - one : one;
        }
      }
    }
    for (int offset = 2 * kBandDepth; has_middle(layout_) && offset < step_offset(layout_, 2); ++offset) {
      EXPECT_TRUE(is_in_band(layout_, column, offset));
      const std::uint32_t one = level(row, first_column_ - layout_.margin + offset);
      sum += leaves ? 255U - one : one;
    }
    return static_cast<std::int32_t>(sum);
  }

  /// The value of the bytes that are multiplied: the last is signed.
  [[nodiscard]] std::uint32_t as_bytes(std::int32_t across) const {
    const auto bits = static_cast<std::uint32_t>(across);
    if (has_middle(layout_)) {
      return (bits & 0xFFFFU) + (static_cast<std::uint32_t>(static_cast<std::int8_t>(bits >> 16)) << 16);
    }
    return (bits & 0xFFU) + (static_cast<std::uint32_t>(static_cast<std::int8_t>(bits >> 8)) << 8);
  }

  ConstView image_;
  BandLayout layout_;
  Border border_;
  int first_column_;
  int first_counted_;
  std::array<std::uint32_t, kBandColumns> before_{};
  std::array<std::array<std::uint32_t, kBandColumns>, kBandRows> sums_{};
};

/// In blocks of `rows` rows, a multiple of 16.
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

/// By the arithmetic of small windows where all n pixels are inside, else by that of the others.
std::uint32_t mean_of(std::uint32_t sum, std::uint32_t n, std::uint32_t whole) {
  if (n == whole && whole <= kMaxFewStepWindow * kMaxFewStepWindow) {
    return FewStepMean(n)(kFloatBase + sum) & 255U;
  }
  return band_mean(sum, n, below_inverse(n));
}

std::uint32_t squared(int size) { return static_cast<std::uint32_t>(size) * static_cast<std::uint32_t>(size); }

int random_window(test::Random& random, const Image& image) {
  return 2 * random.between(0, std::min(std::max(image.width(), image.height()), 90) - 1) + 1;
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
    const int steps = has_middle(layout) ? kManyBandSteps : kFewBandSteps;
    ASSERT_TRUE(is_in_band(layout, 0, layout.margin - radius));
    ASSERT_GE(layout.margin, radius);
    ASSERT_LE(layout.margin + 31 + radius, step_offset(layout, steps - 1) + kBandDepth - 1) << radius;
    if (has_middle(layout)) {
      ASSERT_GE(layout.middle_blocks, 0) << radius;
      ASSERT_TRUE(is_in_band(layout, 31, 2 * kBandDepth - 1)) << radius;
      ASSERT_TRUE(is_in_band(layout, 0, step_offset(layout, 2) - 1)) << radius;
    }
  }
}

TEST(WindowBands, TwinGivesTheMeansOfTheCpu) {
  test::Random random;
  SCOPED_TRACE(random.trace());
  const auto backend = make_cpu_backend(2);
  for (int round = 0; round < 30; ++round) {
    const int width = random.between(1, round % 6 == 0 ? 600 : 150);
    const Image image = test::any_image(random, width, random.between(1, 60), {Sample::u8, 1});
    WindowOptions options;
    options.size = random_window(random, image);
    options.border = static_cast<Border>(random.below(3));
    const std::uint32_t whole = squared(options.size);
    const Image twin = made_by_twin(
        image, options.size, options.border, kBandRows * random.between(1, 3),
        [whole](std::uint32_t /*level*/, std::uint32_t sum, std::uint32_t n) { return mean_of(sum, n, whole); });
    const Image expected = backend->download(backend->apply(backend->upload(image.view()), options));
    ASSERT_TRUE(test::same_pixels(twin.view(), expected.view()))
        << image.width() << "x" << image.height() << ", window " << options.size;
  }
}

TEST(WindowBands, TwinGivesTheThresholdsOfTheCpu) {
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
    const std::uint32_t whole = squared(*options.window);
    const auto make_pixel = [&](std::uint32_t level, std::uint32_t sum, std::uint32_t n) {
      if (options.method == ThresholdMethod::mean) {
        const auto mean = static_cast<std::int32_t>(mean_of(sum, n, whole));
        return static_cast<std::int32_t>(level) - mean > -rule.offset ? 255U : 0U;
      }
      return is_white<ThresholdMethod::bradley>(level, sum, 0, n, rule) ? 255U : 0U;
    };
    const Image twin =
        made_by_twin(image, *options.window, border_of(options.method), kBandRows * random.between(1, 3), make_pixel);
    const Image expected = backend->download(backend->apply(backend->upload(image.view()), options));
    ASSERT_TRUE(test::same_pixels(twin.view(), expected.view()))
        << image.width() << "x" << image.height() << ", window " << *options.window << ", offset " << options.offset
        << ", sensitivity " << options.sensitivity;
  }
}

TEST(WindowBands, MeansNextToEveryStep) {
  const auto check = [](std::uint32_t n, const auto& mean) {
    for (std::uint32_t level = 0; level <= 255; ++level) {
      for (const int near : {-2, -1, 0, 1, 2}) {
        const std::int64_t sum = std::int64_t{level} * n - n / 2 + near;
        if (sum >= 0 && sum <= std::int64_t{255} * n) {
          const auto exact = static_cast<std::uint32_t>(sum);
          ASSERT_EQ(mean(exact), window_mean(exact, n)) << exact << " / " << n;
        }
      }
    }
  };
  for (std::uint32_t n = 1; n <= squared(kMaxBandWindow); n += 1 + n / 300) {
    // A device's quotient may differ by 2 units in the last place.
    for (const float below : {below_inverse(n), below_inverse(n) * (1 + 0x1p-22F), below_inverse(n) * (1 - 0x1p-22F)}) {
      check(n, [n, below](std::uint32_t sum) { return band_mean(sum, n, below); });
    }
  }
  for (int size = 1; size <= kMaxFewStepWindow; size += 2) {
    const FewStepMean mean(squared(size));
    check(squared(size), [&mean](std::uint32_t sum) { return mean(kFloatBase + sum) & 255U; });
  }
}

}  // namespace
}  // namespace gpuimg
