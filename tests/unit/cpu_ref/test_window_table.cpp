// Sums of windows from summed-area tables, as the CUDA backend computes them. Runs the code on the host, and compares
// with sums in plain loops. A table may wrap around if the sums of all windows fit.
#include "window/table.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <utility>
#include <vector>

#include "gpuimg/backend.hpp"
#include "support/oracle_window.hpp"
#include "support/test_images.hpp"

namespace gpuimg::test_window_table {
namespace {

template <class Sum>
void expect_sums(Backend& backend, const Image& image, WindowSize size, Border border) {
  IntegralOptions options;
  options.type = sizeof(Sum) == 4 ? Sample::u32 : Sample::u64;
  options.allow_wrap = true;
  const Image entries = backend.download(backend.integral(backend.upload(image.view()), options));
  const PaddedTable<Sum> table{entries.view().row<Sum>(0), static_cast<std::size_t>(entries.width()), image.width(),
                               image.height()};
  for (int y = 0; y < image.height(); ++y) {
    for (int x = 0; x < image.width(); ++x) {
      const auto samples = oracle::window_samples(image.view(), x, y, size, border);
      const std::uint64_t sum = std::accumulate(samples.begin(), samples.end(), std::uint64_t{0});
      ASSERT_EQ(window_sum(table, x, y, WindowShape(size, border)), static_cast<Sum>(sum))
          << image.width() << "x" << image.height() << " at " << x << "," << y << ", window " << size.width << "x"
          << size.height << ", border " << static_cast<int>(border);
    }
  }
}

TEST(WindowTable, MatchesPlainSumsForEveryWindowOfSmallImages) {
  test::Random random;
  SCOPED_TRACE(random.trace());
  const auto backend = make_cpu_backend(1);
  for (const int width : {1, 2, 3, 5, 8}) {
    for (const int height : {1, 2, 3, 7}) {
      const Image image = test::random_image(random, width, height, {Sample::u16, 1});
      for (int size = 1; size < 2 * std::max(width, height); size += 2) {
        for (const Border border : {Border::reflect101, Border::replicate, Border::cut}) {
          expect_sums<std::uint32_t>(*backend, image, size, border);
          expect_sums<std::uint64_t>(*backend, image, size, border);
          expect_sums<std::uint64_t>(*backend, image, {size, 2 * std::max(width, height) - size}, border);
          if (HasFatalFailure()) {
            return;
          }
        }
      }
    }
  }
}

/// Divides each product into parts of 16 bits, and makes a summed-area table of each part, as the device does.
template <class T>
class WeightedTwin {
 public:
  WeightedTwin(Backend& backend, ConstView levels, const PixelWeights<T>& weights) {
    for (int power = 0; power < WeightedTables::kPowers; ++power) {
      tables_.parts[power] = weighted_parts(sizeof(T), power);
      for (int part = 0; part < tables_.parts[power]; ++part) {
        Image products(levels.width, levels.height, {Sample::u16, 1});
        for (int y = 0; y < levels.height; ++y) {
          for (int x = 0; x < levels.width; ++x) {
            products.view().row<std::uint16_t>(y)[x] = weighted_part(weights(x, y), levels.row<T>(y)[x], power, part);
          }
        }
        IntegralOptions options;
        options.type = Sample::u64;
        entries_.push_back(backend.download(backend.integral(backend.upload(products.view()), options)));
        const ConstView table = std::as_const(entries_.back()).view();
        tables_.tables[power][part] = {table.row<std::uint64_t>(0), static_cast<std::size_t>(table.width), levels.width,
                                       levels.height};
      }
    }
  }
  [[nodiscard]] const WeightedTables& tables() const { return tables_; }

 private:
  std::vector<Image> entries_;
  WeightedTables tables_;
};

/// Compares all windows, with alpha, a mask and a region.
template <class T>
void expect_weighted_sums(test::Random& random, Backend& backend, const Image& image, WindowSize size, Border border) {
  const oracle::Choice choice{Rect{random.between(0, image.width() - 1), 0, 1000, random.between(1, 9)}, nullptr,
                              random.below(3) == 0};
  PixelWeights<T> weights;
  weights.pixels = image.view().data;
  weights.pitch_bytes = image.pitch_bytes();
  weights.channels = image.format().channels;
  weights.by_alpha = !choice.count_transparent;
  weights.region = *choice.region;
  const Image mask = test::random_mask(random, image.width(), image.height());
  weights.mask = mask.view().row<std::uint8_t>(0);
  weights.mask_pitch = mask.pitch_bytes();
  const Image plane = oracle::plane_of(image.view(), Channel::luma, kDefaultLuma);
  const Image expected_weights = oracle::weights_of(image.view(), {choice.region, &mask, choice.count_transparent});
  const WeightedTwin<T> twin(backend, plane.view(), weights);
  for (int y = 0; y < image.height(); ++y) {
    for (int x = 0; x < image.width(); ++x) {
      const oracle::Moments moments = oracle::moments_of(
          oracle::window_samples(plane.view(), x, y, size, border),
          oracle::window_samples(expected_weights.view(), x, y, size, border), image.format().max_value());
      const WeightedSums sums = twin.tables().at(x, y, WindowShape(size, border), image.format().max_value());
      ASSERT_TRUE(sums.weights == moments.n && sums.levels == moments.sum && sums.squares == moments.squares)
          << image.width() << "x" << image.height() << " at " << x << "," << y << ", window " << size.width << "x"
          << size.height << ", border " << static_cast<int>(border);
    }
  }
}

TEST(WindowTable, MatchesPlainSumsOfWeights) {
  test::Random random;
  SCOPED_TRACE(random.trace());
  const auto backend = make_cpu_backend(1);
  for (int round = 0; round < test::rounds(20); ++round) {
    for (const Border border : {Border::reflect101, Border::replicate, Border::cut}) {
      const bool is_deep = round % 2 == 0;
      const Image image = test::any_image(random, random.between(1, 12), random.between(1, 12),
                                          {is_deep ? Sample::u16 : Sample::u8, random.below(2) == 0 ? 2 : 4});
      const int longest = std::max(image.width(), image.height());
      const WindowSize size(2 * random.between(0, longest - 1) + 1, 2 * random.between(0, longest - 1) + 1);
      is_deep ? expect_weighted_sums<std::uint16_t>(random, *backend, image, size, border)
              : expect_weighted_sums<std::uint8_t>(random, *backend, image, size, border);
      if (HasFatalFailure()) {
        return;
      }
    }
  }
}

/// The table exceeds 2³², but no window does.
TEST(WindowTable, MatchesPlainSumsIfTheTableWraps) {
  const auto backend = make_cpu_backend(2);
  const Image white = test::constant_image(400, 300, {Sample::u16, 1}, 65535);
  for (const Border border : {Border::reflect101, Border::replicate, Border::cut}) {
    expect_sums<std::uint32_t>(*backend, white, 5, border);
  }
}

}  // namespace
}  // namespace gpuimg::test_window_table
