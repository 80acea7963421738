// The host's twin of cuda/window_strip.cuh: the same strips, margins, prefix sums, means and thresholds, thread after
// thread, against the CPU backend.
#include "gpuimg/ops/window_strip.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <vector>

#include "gpuimg/backend.hpp"
#include "support/test_images.hpp"

namespace gpuimg {
namespace {

/// From a level, and the sum and number of its window.
using PixelMaker = std::function<std::uint32_t(std::uint32_t level, std::uint32_t sum, std::uint32_t n)>;

std::uint32_t mean_of(std::uint32_t /*level*/, std::uint32_t sum, std::uint32_t n) {
  return strip_mean(sum, n, below_inverse(n));
}

template <ThresholdMethod method>
PixelMaker threshold_by(const ThresholdRule& rule) {
  return [rule](std::uint32_t level, std::uint32_t sum, std::uint32_t n) {
    return strip_is_white<method>(level, sum, n, below_inverse(n), rule) ? 255U : 0U;
  };
}

/// One block: `rows` rows of a strip.
class BlockTwin {
 public:
  BlockTwin(ConstView in, View out, int radius, Border border, int first, const PixelMaker& make_pixel)
      : in_(in),
        out_(out),
        radius_(radius),
        border_(border),
        first_(first),
        make_pixel_(make_pixel),
        sums_(kStripColumns) {}

  void run(int top, int end) {
    for (int y = top - radius_; y < top + radius_; ++y) {
      slide(y, 1);
    }
    for (int y = top; y < end; ++y) {
      slide(y + radius_, 1);
      std::uint32_t sum = 0;
      prefix_[0][0] = 0;
      for (int i = 0; i < kStripColumns; ++i) {
        sum += sums_[static_cast<std::size_t>(i)];
        entry(i + 1) = sum;
      }
      for (int thread = 0; thread < kStripThreads; ++thread) {
        write_run(y, thread * kStripRun);
      }
      slide(y - radius_, -1);
    }
  }

 private:
  std::uint32_t& entry(int columns) {
    const StripPlace place = strip_place(columns);
    return prefix_[place.row][place.at];
  }

  void slide(int y, int sign) {
    const int row = source_position(y, in_.height, border_);
    const int left = first_ - strip_margin(radius_);
    for (int i = 0; row >= 0 && i < kStripColumns; ++i) {
      const bool is_reached = left + i / kStripRun * kStripRun < in_.width + strip_margin(radius_);
      const int column = is_reached ? source_position(left + i, in_.width, border_) : -1;
      if (column >= 0) {
        sums_[static_cast<std::size_t>(i)] +=
            static_cast<std::uint32_t>(sign * int{in_.row<std::uint8_t>(row)[column]});
      }
    }
  }

  void write_run(int y, int offset) {
    if (offset >= strip_columns(radius_)) {
      return;
    }
    for (int i = offset; i < offset + kStripRun && first_ + i < in_.width; ++i) {
      const std::uint32_t n = counted_positions(first_ + i, radius_, in_.width, border_) *
                              counted_positions(y, radius_, in_.height, border_);
      const int center = strip_margin(radius_) + i;
      const std::uint32_t sum = entry(center + radius_ + 1) - entry(center - radius_);
      const std::uint32_t level = in_.row<std::uint8_t>(y)[first_ + i];
      out_.row<std::uint8_t>(y)[first_ + i] = static_cast<std::uint8_t>(make_pixel_(level, sum, n));
    }
  }

  ConstView in_;
  View out_;
  int radius_;
  Border border_;
  int first_;
  const PixelMaker& make_pixel_;
  std::vector<std::uint32_t> sums_;
  std::uint32_t prefix_[kStripRun][kStripThreads + 1] = {};
};

Image made_by_twin(const Image& image, int size, Border border, int rows, const PixelMaker& make_pixel) {
  Image twin(image.width(), image.height(), image.format());
  const int radius = size / 2;
  for (int first = 0; first < image.width(); first += strip_columns(radius)) {
    for (int top = 0; top < image.height(); top += rows) {
      BlockTwin(image.view(), twin.view(), radius, border, first, make_pixel)
          .run(top, std::min(image.height(), top + rows));
    }
  }
  return twin;
}

int random_window(test::Random& random, const Image& image) {
  return 2 * random.between(0, std::min(std::max(image.width(), image.height()), 128) - 1) + 1;
}

TEST(WindowStrip, TwinGivesTheMeansOfTheCpu) {
  test::Random random;
  SCOPED_TRACE(random.trace());
  const auto backend = make_cpu_backend(2);
  for (int round = 0; round < 60; ++round) {
    const int width = random.between(1, round % 4 == 0 ? 5000 : 300);
    const Image image = test::any_image(random, width, random.between(1, 60), {Sample::u8, 1});
    WindowOptions options;
    options.size = random_window(random, image);
    options.border = static_cast<Border>(random.below(3));
    const Image twin = made_by_twin(image, options.size, options.border, random.between(1, 20), mean_of);
    const Image expected = backend->download(backend->apply(backend->upload(image.view()), options));
    ASSERT_TRUE(test::same_pixels(twin.view(), expected.view()))
        << image.width() << "x" << image.height() << ", window " << options.size;
  }
}

TEST(WindowStrip, TwinGivesTheThresholdsOfTheCpu) {
  test::Random random;
  SCOPED_TRACE(random.trace());
  const auto backend = make_cpu_backend(2);
  for (int round = 0; round < 60; ++round) {
    const Image image = test::any_image(random, random.between(1, round % 10 == 0 ? 5000 : 300), random.between(1, 60),
                                        {Sample::u8, 1});
    ThresholdOptions options;
    options.method = round % 2 == 0 ? ThresholdMethod::mean : ThresholdMethod::bradley;
    options.window = random_window(random, image);
    options.offset = random.between(-40, 40) / 4.0;
    options.sensitivity = random.between(0, 100);
    const ThresholdRule rule = threshold_rule(image.format(), options);
    const PixelMaker make_pixel = options.method == ThresholdMethod::mean
                                      ? threshold_by<ThresholdMethod::mean>(rule)
                                      : threshold_by<ThresholdMethod::bradley>(rule);
    const Image twin =
        made_by_twin(image, *options.window, border_of(options.method), random.between(1, 20), make_pixel);
    const Image expected = backend->download(backend->apply(backend->upload(image.view()), options));
    ASSERT_TRUE(test::same_pixels(twin.view(), expected.view()))
        << image.width() << "x" << image.height() << ", window " << *options.window << ", offset " << options.offset
        << ", sensitivity " << options.sensitivity;
  }
}

TEST(WindowStrip, MeansAtEveryStep) {
  for (std::uint32_t n = 1; n <= kMaxStripWindow * kMaxStripWindow; n += 1 + n / 300) {
    for (std::uint32_t level = 0; level <= 255; ++level) {
      for (const int near : {-2, -1, 0, 1, 2}) {
        const std::int64_t sum = std::int64_t{level} * n - n / 2 + near;
        if (sum >= 0 && sum <= std::int64_t{255} * n) {
          const auto exact = static_cast<std::uint32_t>(sum);
          ASSERT_EQ(strip_mean(exact, n, below_inverse(n)), window_mean(exact, n)) << exact << " / " << n;
        }
      }
    }
  }
}

}  // namespace
}  // namespace gpuimg
