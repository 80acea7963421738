// Despeckling against a flood fill that is written from docs/operations.md.
#include "gpuimg/ops/document.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "gpuimg/backend.hpp"
#include "support/test_images.hpp"

namespace gpuimg::test_document {
namespace {

using test::sample_at;
using test::set_sample;

/// Black and white; about `percent` of 100 pixels are black.
Image page_of(test::Random& random, int width, int height, std::uint32_t percent) {
  return test::image_of_pixels(width, height, {Sample::u8, 1}, [&](std::size_t) {
    return std::vector<std::uint32_t>{random.below(100) < percent ? 0U : 255U};
  });
}

/// The pixels that are reached from this one over neighbors of its color, in eight directions.
std::vector<std::pair<int, int>> component_of(ConstView image, int x, int y, std::vector<char>& visited) {
  const std::uint32_t color = sample_at(image, x, y, 0);
  const auto visit = [&](int at_x, int at_y) {
    const std::size_t i =
        static_cast<std::size_t>(at_y) * static_cast<std::size_t>(image.width) + static_cast<std::size_t>(at_x);
    return std::exchange(visited[i], char{1}) == 0;
  };
  std::vector<std::pair<int, int>> reached;
  if (visit(x, y)) {
    reached.emplace_back(x, y);
  }
  for (std::size_t i = 0; i < reached.size(); ++i) {
    const auto [from_x, from_y] = reached[i];
    for (int to_y = from_y - 1; to_y <= from_y + 1; ++to_y) {
      for (int to_x = from_x - 1; to_x <= from_x + 1; ++to_x) {
        const bool is_inside = to_x >= 0 && to_y >= 0 && to_x < image.width && to_y < image.height;
        if (is_inside && sample_at(image, to_x, to_y, 0) == color && visit(to_x, to_y)) {
          reached.emplace_back(to_x, to_y);
        }
      }
    }
  }
  return reached;
}

void flood(View image, std::uint32_t color, int most) {
  std::vector<char> visited(static_cast<std::size_t>(image.width) * static_cast<std::size_t>(image.height));
  const Image before = copy_of(image);
  for (int y = 0; y < image.height; ++y) {
    for (int x = 0; x < image.width; ++x) {
      if (sample_at(before.view(), x, y, 0) != color) {
        continue;
      }
      const std::vector<std::pair<int, int>> pixels = component_of(before.view(), x, y, visited);
      if (pixels.size() <= static_cast<std::size_t>(most)) {
        for (const auto& [at_x, at_y] : pixels) {
          set_sample(image, at_x, at_y, 0, 255 - color);
        }
      }
    }
  }
}

Image flooded(const Image& image, const DespeckleOptions& options) {
  Image result = image.clone();
  if (options.color != SpeckColor::white) {
    flood(result.view(), 0, options.size);
  }
  if (options.color != SpeckColor::black) {
    flood(result.view(), 255, options.size);
  }
  return result;
}

class Despeckle : public ::testing::Test {
 protected:
  void compare(const Image& page, const DespeckleOptions& options) {
    SCOPED_TRACE("size " + std::to_string(options.size) + ", color " + std::to_string(static_cast<int>(options.color)));
    const Image expected = flooded(page, options);
    for (const auto& backend : {one_.get(), three_.get()}) {
      const Image result = backend->download(backend->apply(backend->upload(page.view()), options));
      EXPECT_TRUE(test::same_pixels(result.view(), expected.view()));
    }
  }

  std::unique_ptr<Backend> one_ = make_cpu_backend(1);
  std::unique_ptr<Backend> three_ = make_cpu_backend(3);
};

TEST_F(Despeckle, IsAFloodFillAtAllDensities) {
  test::Random random;
  SCOPED_TRACE(random.trace());
  for (int round = 0; round < test::rounds(4); ++round) {
    for (std::uint32_t percent = 0; percent <= 100; percent += 5) {
      const Image page = page_of(random, random.between(1, 90), random.between(1, 60), percent);
      for (const SpeckColor color : {SpeckColor::black, SpeckColor::white, SpeckColor::both}) {
        compare(page, {random.between(1, random.below(3) == 0 ? 3000 : 12), color});
      }
    }
  }
}

/// Rows of the sizes at which bands and words end; wide pages have one row in a band, and narrow ones many.
TEST_F(Despeckle, OfOddSizes) {
  test::Random random;
  SCOPED_TRACE(random.trace());
  for (const auto& [width, height] : {std::pair{1, 1},
                                      {1, 70},
                                      {70, 1},
                                      {2, 2},
                                      {15, 17},
                                      {33, 31},
                                      {1023, 3},
                                      {3, 1025},
                                      {65535, 2},
                                      {65537, 3},
                                      {40000, 5},
                                      {1, 70000},
                                      {7, 20000}}) {
    SCOPED_TRACE(std::to_string(width) + "x" + std::to_string(height));
    for (const std::uint32_t percent : {30U, 55U}) {
      compare(page_of(random, width, height, percent), {random.between(1, 9), SpeckColor::both});
    }
  }
}

/// A spiral is one component whose parts meet last in the middle; the trees of runs become as high as they can.
TEST_F(Despeckle, LongComponentsAreCountedWhole) {
  const int side = 301;
  Image page = test::constant_image(side, side, {Sample::u8, 1}, 255);
  int pixels = 0;
  int x = 0;
  int y = 0;
  int step_x = 1;
  int step_y = 0;
  const auto is_black = [&](int at_x, int at_y) {
    return at_x >= 0 && at_y >= 0 && at_x < side && at_y < side && sample_at(page.view(), at_x, at_y, 0) == 0;
  };
  while (true) {
    set_sample(page.view(), x, y, 0, 0);
    ++pixels;
    const bool is_outside = x + step_x < 0 || y + step_y < 0 || x + step_x >= side || y + step_y >= side;
    if (is_outside || is_black(x + 2 * step_x, y + 2 * step_y)) {
      step_x = std::exchange(step_y, step_x);
      step_x = -step_x;
      if (is_black(x + 2 * step_x, y + 2 * step_y) || is_black(x + step_x, y + step_y)) {
        break;
      }
    }
    x += step_x;
    y += step_y;
  }
  ASSERT_GT(pixels, side * side / 3);
  compare(page, {pixels, SpeckColor::black});
  compare(page, {pixels - 1, SpeckColor::black});
  const auto black_after = [&](int size) {
    return sample_at(one_->download(one_->apply(one_->upload(page.view()), DespeckleOptions{size})).view(), 0, 0, 0);
  };
  EXPECT_EQ(black_after(pixels), 255U);
  EXPECT_EQ(black_after(pixels - 1), 0U);
}

TEST_F(Despeckle, RowsMayBePadded) {
  test::Random random;
  SCOPED_TRACE(random.trace());
  const Image wide = page_of(random, 100, 40, 30);
  ConstView part = wide.view();
  part.width = 61;
  compare(copy_of(part), {5, SpeckColor::both});
  const Image result = three_->download(three_->apply(three_->upload(part), DespeckleOptions{5, SpeckColor::both}));
  EXPECT_TRUE(test::same_pixels(result.view(), flooded(copy_of(part), {5, SpeckColor::both}).view()));
}

TEST_F(Despeckle, OnlyBlackAndWhiteIsTaken) {
  const auto refusal = [&](const Image& image, int size) {
    try {
      (void)one_->apply(one_->upload(image.view()), DespeckleOptions{size});
    } catch (const Error& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  for (const PixelFormat format : test::photographic_formats()) {
    const bool is_gray = format == PixelFormat{Sample::u8, 1};
    EXPECT_EQ(refusal(test::constant_image(3, 3, format, 0), 4).empty(), is_gray) << test::name_of(format);
  }
  for (const auto& [x, y] : {std::pair{0, 0}, {4, 0}, {0, 4}, {2, 3}, {4, 4}}) {
    for (const std::uint32_t level : {1U, 128U, 254U}) {
      Image page = test::constant_image(5, 5, {Sample::u8, 1}, 255);
      set_sample(page.view(), x, y, 0, level);
      EXPECT_NE(refusal(page, 4).find("threshold"), std::string::npos) << level;
    }
  }
  const Image page = test::constant_image(5, 5, {Sample::u8, 1}, 255);
  EXPECT_NE(refusal(page, kSpeckLimits.least - 1), "");
  EXPECT_NE(refusal(page, kSpeckLimits.most + 1), "");
  EXPECT_EQ(refusal(page, kSpeckLimits.most), "");
}

}  // namespace
}  // namespace gpuimg::test_document
