// Compares the host twin of cuda/window/slide_rows.cuh with the CPU backend: the same sums above marks, prefixes,
// borders, means and thresholds, block by block.
#include "window/slides.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <vector>

#include "gpuimg/backend.hpp"
#include "ops/threshold.hpp"
#include "support/test_images.hpp"

namespace gpuimg::test_window_slides {
namespace {

using Line = std::vector<std::uint32_t>;

/// Slides the column sums of an image down, `rows` rows per block.
class BlockTwin {
 public:
  BlockTwin(const Image& image, int size, Border border, int rows)
      : image_(image.view()), radius_(size / 2), border_(border), marks_(image.height(), radius_, rows) {
    Line sums(static_cast<std::size_t>(image_.width));
    for (int mark = 0, row = 0; mark < marks_.count(); ++mark) {
      EXPECT_LE(marks_.rows_above(mark) - row, rows);
      for (; row < marks_.rows_above(mark); ++row) {
        add(sums, row, 1);
      }
      above_marks_.push_back(sums);
    }
    EXPECT_EQ(marks_.rows_above(marks_.count() - 1), image_.height);
  }

  /// Calls make_pixel(x, y, sum modulo 2³², n, mean of the previous row or a value near it) for all pixels; make_pixel
  /// returns the mean.
  template <class MakePixel>
  void make_pixels(const MakePixel& make_pixel) {
    for (int top = 0; top < image_.height; top += marks_.rows()) {
      start(top);
      Line means = estimated_means(top);
      for (int y = top; y < std::min(image_.height, top + marks_.rows()); ++y) {
        if (y > top) {
          add(sums_, nearby_row(y + radius_, image_.height, border_), 1);
          add(sums_, nearby_row(y - radius_ - 1, image_.height, border_), -1);
        }
        const Line windows = sums_of_windows(0);
        for (int x = 0; x < image_.width; ++x) {
          auto& mean = means[static_cast<std::size_t>(x)];
          mean = make_pixel(x, y, windows[static_cast<std::size_t>(x)], number(x, y), mean);
        }
      }
    }
  }

 private:
  [[nodiscard]] std::uint32_t number(int x, int y) const {
    return counted_positions(x, radius_, image_.width, border_) * counted_positions(y, radius_, image_.height, border_);
  }

  void add(Line& sums, int row, int times) const {
    for (int x = 0; row >= 0 && x < image_.width; ++x) {
      sums[static_cast<std::size_t>(x)] += static_cast<std::uint32_t>(times * image_.row<std::uint8_t>(row)[x]);
    }
  }

  void start(int top) {
    const PrefixBeyond through(top + radius_ + 1, image_.height, border_);
    const PrefixBeyond before(top - radius_, image_.height, border_);
    sums_.assign(static_cast<std::size_t>(image_.width), 0);
    for (std::size_t x = 0; x < sums_.size(); ++x) {
      const auto above = [&](int rows) {
        const int mark = marks_.mark_at(rows);
        EXPECT_TRUE(rows == 0 || marks_.rows_above(mark) == rows) << rows << " rows are not at a mark";
        return rows == 0 ? 0U : above_marks_[static_cast<std::size_t>(mark)][x];
      };
      const LineEnds ends{image_.row<std::uint8_t>(0)[x], image_.row<std::uint8_t>(image_.height - 1)[x],
                          above(image_.height)};
      sums_[x] = through.of(above(through.at), ends) - before.of(above(before.at), ends);
    }
  }

  /// The window sums, computed from the column sums shifted right.
  [[nodiscard]] Line sums_of_windows(int shift) const {
    Line prefixes(1);
    for (const std::uint32_t sum : sums_) {
      prefixes.push_back(prefixes.back() + (sum >> shift));
    }
    const LineEnds ends{prefixes[1], prefixes.back() - prefixes[prefixes.size() - 2], prefixes.back()};
    const auto of_first = [&](int columns) {
      const PrefixBeyond beyond(columns, image_.width, border_);
      return beyond.of(prefixes[static_cast<std::size_t>(beyond.at)], ends);
    };
    Line windows;
    for (int x = 0; x < image_.width; ++x) {
      windows.push_back(of_first(x + radius_ + 1) - of_first(x - radius_));
    }
    return windows;
  }

  [[nodiscard]] Line estimated_means(int top) const {
    Line means = sums_of_windows(kEstimateShift);
    for (int x = 0; x < image_.width; ++x) {
      auto& mean = means[static_cast<std::size_t>(x)];
      mean = estimated_mean(mean, number(x, top));
    }
    return means;
  }

  ConstView image_;
  int radius_;
  Border border_;
  RowMarks marks_;
  std::vector<Line> above_marks_;
  Line sums_;
};

bool is_modulo(int size) { return size > kMaxWholeSums; }

std::uint32_t mean_of(std::uint32_t sum, std::uint32_t n, std::uint32_t before, int size) {
  return is_modulo(size) ? moved_mean(before, sum, n) : quotient_mean(sum, n, below_inverse(n));
}

/// Half of an image can be white, which makes sums exceed 32 bits and means change as fast as possible.
Image image_with_an_edge(test::Random& random, int width, int height) {
  Image image = test::any_image(random, width, height, {Sample::u8, 1});
  const bool is_wide = width > height;
  const int edge = random.between(0, 2 * std::max(width, height));
  for (int y = 0; y < height; ++y) {
    for (int x = 0; x < width; ++x) {
      if ((is_wide ? x : y) >= edge) {
        image.view().row<std::uint8_t>(y)[x] = 255;
      }
    }
  }
  return image;
}

void expect_means_of_the_cpu(const Image& image, int size, Border border, int rows) {
  Image made(image.width(), image.height(), image.format());
  BlockTwin(image, size, border, rows)
      .make_pixels([&](int x, int y, std::uint32_t sum, std::uint32_t n, std::uint32_t before) {
        const std::uint32_t mean = mean_of(sum, n, before, size);
        made.view().row<std::uint8_t>(y)[x] = static_cast<std::uint8_t>(mean);
        return mean;
      });
  WindowOptions options;
  options.size = size;
  options.border = border;
  const auto backend = make_cpu_backend(2);
  const Image expected = backend->download(backend->apply(backend->upload(image.view()), options));
  ASSERT_TRUE(test::same_pixels(made.view(), expected.view()))
      << image.width() << "x" << image.height() << ", window " << size << ", border " << static_cast<int>(border);
}

void expect_thresholds_of_the_cpu(const Image& image, const ThresholdOptions& options, int rows) {
  const ThresholdRule rule = threshold_rule(image.format(), options);
  const int size = options.window->width;
  Image made(image.width(), image.height(), image.format());
  BlockTwin(image, size, border_of(options.method), rows)
      .make_pixels([&](int x, int y, std::uint32_t sum, std::uint32_t n, std::uint32_t before) {
        const std::uint32_t mean = mean_of(sum, n, before, size);
        const std::uint32_t level = image.view().row<std::uint8_t>(y)[x];
        const bool is_white = options.method == ThresholdMethod::mean
                                  ? static_cast<std::int32_t>(mean - level) < rule.offset
                              : is_modulo(size) ? is_above_percent(level, mean, sum, n, rule.percent)
                                                : std::uint64_t{sum} * rule.percent < std::uint64_t{level} * (100 * n);
        made.view().row<std::uint8_t>(y)[x] = is_white ? 255 : 0;
        return mean;
      });
  const auto backend = make_cpu_backend(2);
  const Image expected = backend->download(backend->apply(backend->upload(image.view()), options));
  ASSERT_TRUE(test::same_pixels(made.view(), expected.view()))
      << image.width() << "x" << image.height() << ", window " << size << ", offset " << *options.offset
      << ", sensitivity " << options.sensitivity;
}

/// A window that reaches past the image by less than the image's size.
int random_window(test::Random& random, const Image& image) {
  return 2 * random.between(0, std::min(image.width(), image.height()) - 1) + 1;
}

void expect_all_of_the_cpu(test::Random& random, const Image& image, int size) {
  const int rows = random.between(1, 70);
  expect_means_of_the_cpu(image, size, static_cast<Border>(random.below(3)), rows);
  ThresholdOptions options;
  options.method = random.below(2) == 0 ? ThresholdMethod::mean : ThresholdMethod::bradley;
  options.window = size;
  options.offset = random.between(-40, 40) / 4.0;
  options.sensitivity = random.between(0, 100);
  expect_thresholds_of_the_cpu(image, options, rows);
}

TEST(WindowSlides, TwinMatchesTheCpu) {
  test::Random random;
  SCOPED_TRACE(random.trace());
  for (int round = 0; round < 60; ++round) {
    const int most = round % 4 == 0 ? 8 : 150;
    const Image image = image_with_an_edge(random, random.between(1, most), random.between(1, most));
    expect_all_of_the_cpu(random, image, random_window(random, image));
  }
}

TEST(WindowSlides, TwinMatchesTheCpuForSumsBeyond32Bits) {
  test::Random random;
  SCOPED_TRACE(random.trace());
  for (int round = 0; round < 2; ++round) {
    const int least = kMaxWholeSums / 2 + 2;
    const Image image = image_with_an_edge(random, random.between(least, 2300), random.between(least, 2300));
    const int size = 2 * random.between(least - 1, std::min(image.width(), image.height()) - 1) + 1;
    ASSERT_TRUE(is_modulo(size));
    expect_all_of_the_cpu(random, image, size);
  }
}

/// All heights up to 20, and blocks from one row to more rows than the image has.
TEST(WindowSlides, MarksCoverTheWindowsOfTheFirstRows) {
  for (int height = 1; height <= 20; ++height) {
    for (int radius = 0; radius < height; ++radius) {
      for (int rows = 1; rows <= height + 1; ++rows) {
        const RowMarks marks(height, radius, rows);
        for (int top = 0; top < height; top += rows) {
          for (const Border border : {Border::reflect101, Border::replicate, Border::cut}) {
            for (const int n : {top + radius + 1, top - radius}) {
              const int at = PrefixBeyond(n, height, border).at;
              ASSERT_TRUE(at == 0 || marks.rows_above(marks.mark_at(at)) == at)
                  << at << " of " << height << ", radius " << radius << ", rows " << rows;
            }
          }
        }
      }
    }
  }
}

TEST(WindowSlides, NearbyRowsFollowTheBorder) {
  for (int height = 1; height <= 9; ++height) {
    for (int row = 1 - height; row <= 2 * height - 2; ++row) {
      for (const Border border : {Border::reflect101, Border::replicate, Border::cut}) {
        ASSERT_EQ(nearby_row(row, height, border), source_position(row, height, border)) << row << " of " << height;
      }
    }
  }
}

TEST(WindowSlides, PartsContainTheColumnsOfTheirWindows) {
  test::Random random;
  SCOPED_TRACE(random.trace());
  for (int trial = 0; trial < 2000; ++trial) {
    const int most = random.below(2) == 0 ? 4096 : 16384;
    const int width = random.between(1, 6 * most);
    const int radius = random.between(0, std::min(width - 1, most / 3));
    SCOPED_TRACE(std::to_string(width) + " pixels, radius " + std::to_string(radius));
    const RowParts parts(width, radius, most);
    ASSERT_GT(parts.count(), 0);
    ASSERT_TRUE(width > most || parts.count() == 1);
    int made = 0;
    for (int part = 0; part < parts.count(); ++part) {
      ASSERT_EQ(parts.begin(part), made);
      ASSERT_GT(parts.pixels(part), 0);
      made += parts.pixels(part);
      const int first = parts.first_column(part);
      ASSERT_EQ(first % RowParts::kAlignment, 0);
      for (const int column : {parts.begin(part) - radius, made - 1 + radius}) {
        for (const Border border : {Border::reflect101, Border::replicate}) {
          ASSERT_GE(nearby_row(column, width, border), first);
          ASSERT_LT(nearby_row(column, width, border), first + most);
        }
      }
    }
    ASSERT_EQ(made, width);
  }
  EXPECT_EQ(RowParts(20000, 8000, 16384).count(), 0);
}

/// Shared memory has 32 banks of one word. Eight threads that write 16 bytes each, or 32 threads that read a word each,
/// access it at the same time.
TEST(WindowSlides, PlacesCauseFewBankConflicts) {
  std::set<int> places;
  for (int word = -256; word < 1024; ++word) {
    ASSERT_EQ(slide_place(word + 128), slide_place(word) + 128);
    places.insert(slide_place(word));
  }
  EXPECT_EQ(places.size(), 1280U);
  for (int first = 4; first < 1024; first += 4) {
    std::set<int> quarters;
    for (int thread = 0; thread < 8; ++thread) {
      const int place = slide_place(first + 16 * thread);
      ASSERT_EQ(place % 4, 0);
      quarters.insert(place / 4 % 8);
    }
    ASSERT_EQ(quarters.size(), 8U) << first;
  }
  for (int first = 0; first < 512; ++first) {
    std::vector<int> of_bank(32);
    for (int word = first; word < first + 32; ++word) {
      ++of_bank[static_cast<std::size_t>(slide_place(word) % 32)];
    }
    ASSERT_LE(*std::max_element(of_bank.begin(), of_bank.end()), 2) << first;
  }
}

TEST(WindowSlides, MeansAreExactFromThePreviousRowsMean) {
  test::Random random;
  SCOPED_TRACE(random.trace());
  constexpr double kMostOfARow = 255.0 / (kMaxWholeSums / 2 + 2);
  for (int round = 0; round < 200000; ++round) {
    const auto across = static_cast<std::uint64_t>(random.between(kMaxWholeSums / 2 + 2, kMaxSlidingWindow));
    const auto down = static_cast<std::uint64_t>(random.between(kMaxWholeSums / 2 + 2, kMaxSlidingWindow));
    const std::uint64_t n = across * down;
    const std::int64_t near = random.between(-3, 3);
    const std::uint64_t sum =
        static_cast<std::uint64_t>(random.between(1, 509)) * n / 2 + static_cast<std::uint64_t>(near);
    const double exact = static_cast<double>(sum) / static_cast<double>(n);
    const double before = exact + kMostOfARow * random.between(-1000, 1000) / 1000.0;
    const auto low = static_cast<std::uint32_t>(sum);
    const auto pixels = static_cast<std::uint32_t>(n);
    const auto rounded = static_cast<std::uint32_t>(std::clamp(before + 0.5, 0.0, 255.0));
    const std::uint32_t mean = moved_mean(rounded, low, pixels);
    ASSERT_EQ(mean, window_mean(sum, n)) << sum << " / " << n << ", from " << rounded;
    const auto percent = static_cast<std::uint32_t>(random.between(0, 100));
    const auto level = static_cast<std::uint32_t>(random.between(0, 255));
    ASSERT_EQ(is_above_percent(level, mean, low, pixels, percent), 100 * n * level > sum * percent);
    // The shift drops less than 2⁸ from each column.
    const std::uint64_t left_out = static_cast<std::uint64_t>(random.between(0, 255)) * across;
    const std::uint32_t estimate =
        estimated_mean(static_cast<std::uint32_t>((sum - left_out) >> kEstimateShift), pixels);
    ASSERT_EQ(moved_mean(estimate, low, pixels), mean) << sum << " / " << n << ", from " << estimate;
  }
}

TEST(WindowSlides, QuotientsAreExactNextToEveryStep) {
  constexpr std::uint32_t kMost = std::uint32_t{kMaxWholeSums} * kMaxWholeSums;
  for (std::uint32_t n = 1; n <= kMost; n += 1 + n / 300) {
    // A device's quotient can differ by 2 units in the last place.
    for (const float below : {below_inverse(n), below_inverse(n) * (1 + 0x1p-22F), below_inverse(n) * (1 - 0x1p-22F)}) {
      for (std::uint32_t level = 0; level <= 255; ++level) {
        for (const int near : {-2, -1, 0, 1, 2}) {
          const std::int64_t sum = std::int64_t{level} * n - n / 2 + near;
          if (sum >= 0 && sum <= std::int64_t{255} * n) {
            const auto exact = static_cast<std::uint32_t>(sum);
            ASSERT_EQ(quotient_mean(exact, n, below), window_mean(exact, n)) << exact << " / " << n;
          }
        }
      }
    }
  }
}

}  // namespace
}  // namespace gpuimg::test_window_slides
