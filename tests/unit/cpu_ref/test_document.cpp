// Compares despeckling with a flood fill, and deskewing with sums and bicubic interpolation in plain loops. These
// oracles follow docs/operations.md. Also tests 260 pages with known angles, 60 of them in a shadow.
#include "gpuimg/ops/document.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <map>
#include <memory>
#include <numeric>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "gpuimg/backend.hpp"
#include "support/emulation.hpp"
#include "support/oracle_levels.hpp"
#include "support/oracle_of_options.hpp"
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

/// The 8-connected component of this pixel: all pixels of its color that are reachable through neighbors.
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

TEST_F(Despeckle, MatchesAFloodFillAtAllDensities) {
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

/// Sizes around powers of two, where bands can end. A band has one row of a wide page, and many rows of a narrow one.
TEST_F(Despeckle, MatchesAFloodFillForUnusualSizes) {
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

/// A spiral is one component whose parts are joined last, in the middle. The trees of runs reach their maximum height.
TEST_F(Despeckle, CountsAllPixelsOfLongComponents) {
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

TEST_F(Despeckle, AcceptsPaddedRows) {
  test::Random random;
  SCOPED_TRACE(random.trace());
  const Image wide = page_of(random, 100, 40, 30);
  ConstView part = wide.view();
  part.width = 61;
  compare(copy_of(part), {5, SpeckColor::both});
  const Image result = three_->download(three_->apply(three_->upload(part), DespeckleOptions{5, SpeckColor::both}));
  EXPECT_TRUE(test::same_pixels(result.view(), flooded(copy_of(part), {5, SpeckColor::both}).view()));
}

TEST_F(Despeckle, AcceptsOnlyBlackAndWhite) {
  const auto rejection = [&](const Image& image, int size) {
    try {
      (void)one_->apply(one_->upload(image.view()), DespeckleOptions{size});
    } catch (const Error& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  for (const PixelFormat format : test::photographic_formats()) {
    const bool is_gray = format == PixelFormat{Sample::u8, 1};
    EXPECT_EQ(rejection(test::constant_image(3, 3, format, 0), 4).empty(), is_gray) << test::name_of(format);
  }
  for (const auto& [x, y] : {std::pair{0, 0}, {4, 0}, {0, 4}, {2, 3}, {4, 4}}) {
    for (const std::uint32_t level : {1U, 128U, 254U}) {
      Image page = test::constant_image(5, 5, {Sample::u8, 1}, 255);
      set_sample(page.view(), x, y, 0, level);
      EXPECT_NE(rejection(page, 4).find("threshold"), std::string::npos) << level;
    }
  }
  const Image page = test::constant_image(5, 5, {Sample::u8, 1}, 255);
  EXPECT_NE(rejection(page, kSpeckLimits.least - 1), "");
  EXPECT_NE(rejection(page, kSpeckLimits.most + 1), "");
  EXPECT_EQ(rejection(page, kSpeckLimits.most), "");
}

// --- Deskewing: the oracle ---

__extension__ using Wide = __int128;

template <class Integer>
std::int64_t floor_of(Integer dividend, Integer divisor) {
  const Integer quotient = dividend / divisor;
  return static_cast<std::int64_t>(dividend % divisor != 0 && (dividend < 0) != (divisor < 0) ? quotient - 1
                                                                                              : quotient);
}

constexpr Wide kUnit = Wide{1} << 30;

long double radians(int steps) {
  return static_cast<long double>(steps) * 3.14159265358979323846264338327950288L / 3600;
}

/// The nearest multiple of 2⁻³⁰, as an integer. Fails if x is so close to a tie that libm's last bits could decide.
std::int64_t nearest(long double x) {
  const long double units = x * static_cast<long double>(std::int64_t{1} << 30);
  EXPECT_GT(std::abs(std::abs(units - std::floor(units)) - 0.5L), 1e-5L);
  return static_cast<std::int64_t>(std::floor(units + 0.5L));
}

std::int64_t sine_of(int steps) { return nearest(std::sin(radians(steps))); }
std::int64_t cosine_of(int steps) { return nearest(std::cos(radians(steps))); }
std::int64_t tangent_of(int steps) { return nearest(std::tan(radians(steps))); }

std::uint32_t alpha_at(ConstView image, int x, int y) {
  return image.format.has_alpha() ? sample_at(image, x, y, image.format.channels - 1) : image.format.max_value();
}

/// 15-bit BT.601 luma as defined in docs/operations.md, "Luma". Gray levels are unchanged.
std::uint32_t level_at(ConstView image, int x, int y) {
  if (image.format.color_channels() == 1) {
    return sample_at(image, x, y, 0);
  }
  return oracle::for_format(oracle::luma_of_kind(kDefaultLuma), image.format)(oracle::pixel_at(image, x, y));
}

/// Otsu's threshold, from variances whose differences are exact integers.
std::optional<std::uint32_t> otsu_of(const std::map<std::uint32_t, std::int64_t>& counts) {
  std::int64_t n = 0;
  Wide sum = 0;
  for (const auto& [level, count] : counts) {
    n += count;
    sum += Wide{level} * count;
  }
  if (counts.size() < 2) {
    return std::nullopt;
  }
  std::uint32_t best = 0;
  long double most = -1.0L;
  std::int64_t c = 0;
  Wide s = 0;
  for (const auto& [level, count] : counts) {
    c += count;
    s += Wide{level} * count;
    if (c == n) {
      break;
    }
    const auto distance = static_cast<long double>(n * s - c * sum);
    const long double variance = distance * distance / (static_cast<long double>(c) * static_cast<long double>(n - c));
    if (variance > most) {
      most = variance;
      best = level;
    }
  }
  return best;
}

using Text = std::vector<std::vector<bool>>;

/// For each row, true for pixels of text. Empty if the image has fewer than two levels.
Text text_of(ConstView image) {
  std::map<std::uint32_t, std::int64_t> counts;
  for (int y = 0; y < image.height; ++y) {
    for (int x = 0; x < image.width; ++x) {
      if (alpha_at(image, x, y) > 0) {
        ++counts[level_at(image, x, y)];
      }
    }
  }
  const std::optional<std::uint32_t> t = otsu_of(counts);
  if (!t) {
    return {};
  }
  std::int64_t dark = 0;
  std::int64_t light = 0;
  for (const auto& [level, count] : counts) {
    (level <= *t ? dark : light) += count;
  }
  Text text;
  for (int y = 0; y < image.height; ++y) {
    text.emplace_back();
    for (int x = 0; x < image.width; ++x) {
      const bool is_dark = level_at(image, x, y) <= *t;
      text.back().push_back(alpha_at(image, x, y) > 0 && is_dark == (dark <= light));
    }
  }
  return text;
}

std::vector<std::int64_t> rows_of(const Text& text, int steps) {
  const std::int64_t tangent = tangent_of(steps);
  const auto farthest = static_cast<std::int64_t>(text.size() + text.front().size());
  std::vector<std::int64_t> rows(2 * static_cast<std::size_t>(farthest));
  for (std::size_t y = 0; y < text.size(); ++y) {
    for (std::size_t x = 0; x < text[y].size(); ++x) {
      if (text[y][x]) {
        const std::int64_t drop =
            floor_of(static_cast<std::int64_t>(x) * tangent + (std::int64_t{1} << 29), std::int64_t{1} << 30);
        ++rows[static_cast<std::size_t>(static_cast<std::int64_t>(y) - drop + farthest)];
      }
    }
  }
  return rows;
}

std::int64_t squares_of(const Text& text, int steps) {
  const std::vector<std::int64_t> rows = rows_of(text, steps);
  return std::inner_product(rows.begin(), rows.end(), rows.begin(), std::int64_t{0});
}

/// The number of lines of text: a line begins at a row with more than Q/T pixels of text, and ends at a row with fewer
/// than a third of Q/T. T is the number of all text pixels, and Q is the sum of the squares of the numbers per row.
int lines_of(const Text& text, int steps) {
  const std::vector<std::int64_t> rows = rows_of(text, steps);
  const auto mean = static_cast<long double>(squares_of(text, steps)) /
                    static_cast<long double>(std::accumulate(rows.begin(), rows.end(), std::int64_t{0}));
  int lines = 0;
  bool is_between = true;
  for (const std::int64_t row : rows) {
    const auto n = static_cast<long double>(row);
    lines += is_between && n > mean ? 1 : 0;
    is_between = is_between ? n <= mean : 3 * n < mean;
  }
  return lines;
}

FoundSkew skew_of(const Text& text) {
  std::map<int, std::int64_t> squares;
  for (int steps = -300; steps <= 300; ++steps) {
    squares[steps] = squares_of(text, steps);
  }
  int best = 300;
  for (const auto& [steps, sum] : squares) {
    const auto order = [](int a) { return 2 * std::abs(a) - (a > 0 ? 1 : 0); };
    if (sum > squares[best] || (sum == squares[best] && order(steps) < order(best))) {
      best = steps;
    }
  }
  for (const int beside : {best - 40, best + 40}) {
    if (squares.contains(beside) && 8 * (squares[best] - squares[beside]) < squares[best]) {
      return {};
    }
  }
  return {true, best};
}

/// The distance of each level from the mean of the 31 × 31 pixels around it, weighted by alpha. Levels count on one
/// side of the mean only, dark or light: the side whose squared distances have the larger sum. Others have distance 0.
std::vector<std::vector<std::uint32_t>> distances_of(ConstView image) {
  std::vector<std::vector<std::int64_t>> above;
  Wide dark = 0;
  Wide light = 0;
  for (int y = 0; y < image.height; ++y) {
    above.emplace_back();
    for (int x = 0; x < image.width; ++x) {
      std::uint64_t weights = 0;
      std::uint64_t sum = 0;
      for (int at_y = std::max(y - 15, 0); at_y <= std::min(y + 15, image.height - 1); ++at_y) {
        for (int at_x = std::max(x - 15, 0); at_x <= std::min(x + 15, image.width - 1); ++at_x) {
          weights += alpha_at(image, at_x, at_y);
          sum += std::uint64_t{alpha_at(image, at_x, at_y)} * level_at(image, at_x, at_y);
        }
      }
      const std::int64_t level = level_at(image, x, y);
      const auto mean = weights == 0 ? level : static_cast<std::int64_t>((2 * sum + weights) / (2 * weights));
      above.back().push_back(level - mean);
      if (alpha_at(image, x, y) > 0) {
        (level < mean ? dark : light) += Wide{level - mean} * (level - mean);
      }
    }
  }
  std::vector<std::vector<std::uint32_t>> distances;
  for (const std::vector<std::int64_t>& row : above) {
    distances.emplace_back();
    for (const std::int64_t distance : row) {
      const bool is_ink = dark >= light ? distance < 0 : distance > 0;
      distances.back().push_back(is_ink ? static_cast<std::uint32_t>(std::abs(distance)) : 0);
    }
  }
  return distances;
}

/// For each row, true for pixels that differ from their surroundings. Empty if the image has fewer than two distances,
/// or fewer upright strokes than horizontal ones.
Text uneven_text_of(ConstView image) {
  const std::vector<std::vector<std::uint32_t>> distances = distances_of(image);
  std::map<std::uint32_t, std::int64_t> counts;
  for (int y = 0; y < image.height; ++y) {
    for (int x = 0; x < image.width; ++x) {
      if (alpha_at(image, x, y) > 0) {
        ++counts[distances[static_cast<std::size_t>(y)][static_cast<std::size_t>(x)]];
      }
    }
  }
  const std::optional<std::uint32_t> t = otsu_of(counts);
  if (!t) {
    return {};
  }
  const auto is_text = [&](int x, int y) {
    return alpha_at(image, x, y) > 0 && distances[static_cast<std::size_t>(y)][static_cast<std::size_t>(x)] > *t;
  };
  Text text;
  int from_left = 0;
  int from_above = 0;
  for (int y = 0; y < image.height; ++y) {
    text.emplace_back();
    for (int x = 0; x < image.width; ++x) {
      text.back().push_back(is_text(x, y));
      from_left += is_text(x, y) && x > 0 && !is_text(x - 1, y) ? 1 : 0;
      from_above += is_text(x, y) && y > 0 && !is_text(x, y - 1) ? 1 : 0;
    }
  }
  return from_left >= from_above ? text : Text();
}

FoundSkew skew_of(ConstView image) {
  const Text text = text_of(image);
  const FoundSkew found = text.empty() ? FoundSkew() : skew_of(text);
  if (text.empty() || found.has_text) {
    return found;
  }
  const Text uneven = uneven_text_of(image);
  const FoundSkew second = uneven.empty() ? FoundSkew() : skew_of(uneven);
  return second.has_text && lines_of(uneven, second.steps) >= 3 ? second : FoundSkew();
}

/// Catmull-Rom weights of the pixels −1 … 2, times 2·128³, for phase k of 128.
std::array<std::int64_t, 4> weights_at(std::int64_t k) {
  const auto cubic = [](std::int64_t distance) -> std::int64_t {  // in 128ths
    const std::int64_t x = std::abs(distance);
    const std::int64_t d = 128;
    return x <= d      ? 3 * x * x * x - 5 * d * x * x + 2 * d * d * d
           : x < 2 * d ? -x * x * x + 5 * d * x * x - 8 * d * d * x + 4 * d * d * d
                       : 0;
  };
  return {cubic(k + 128), cubic(k), cubic(128 - k), cubic(256 - k)};
}

Image straightened(ConstView image, int steps, const std::array<std::uint32_t, 4>& fill) {
  Image out(image.width, image.height, image.format);
  const Wide sine = sine_of(steps);
  const Wide cosine = cosine_of(steps);
  const Wide most = image.format.max_value();
  const int colors = image.format.color_channels();
  for (int y = 0; y < image.height; ++y) {
    for (int x = 0; x < image.width; ++x) {
      const Wide right = 2 * x - (image.width - 1);
      const Wide below = 2 * y - (image.height - 1);
      const auto phases = [&](Wide twice, int side) {
        return floor_of((twice + (side - 1) * kUnit) * 64 + kUnit / 2, kUnit);
      };
      const std::int64_t at_x = phases(cosine * right - sine * below, image.width);
      const std::int64_t at_y = phases(sine * right + cosine * below, image.height);
      const auto first = [](std::int64_t at) { return floor_of(at, std::int64_t{128}) - 1; };
      const std::array<std::int64_t, 4> across = weights_at(at_x - 128 * (first(at_x) + 1));
      const std::array<std::int64_t, 4> down = weights_at(at_y - 128 * (first(at_y) + 1));
      const auto total = [&](const auto& value_of) {
        Wide sum = 0;
        for (std::size_t row = 0; row < 4; ++row) {
          for (std::size_t column = 0; column < 4; ++column) {
            const std::int64_t px = first(at_x) + static_cast<std::int64_t>(column);
            const std::int64_t py = first(at_y) + static_cast<std::int64_t>(row);
            const bool is_inside = px >= 0 && py >= 0 && px < image.width && py < image.height;
            const auto channel = [&](int c) {
              return Wide{is_inside ? sample_at(image, static_cast<int>(px), static_cast<int>(py), c)
                                    : fill[static_cast<std::size_t>(c)]};
            };
            sum += Wide{down[row]} * across[column] * value_of(channel);
          }
        }
        return sum;
      };
      const auto alpha_of = [&](const auto& channel) { return image.format.has_alpha() ? channel(colors) : most; };
      const Wide alphas = total([&](const auto& channel) { return alpha_of(channel); });
      const auto clamped = [&](Wide numerator, Wide denominator) {
        return static_cast<std::uint32_t>(std::clamp<std::int64_t>(
            floor_of(2 * numerator + denominator, 2 * denominator), 0, static_cast<int>(most)));
      };
      const std::uint32_t alpha = clamped(alphas, Wide{1} << 44);
      for (int c = 0; c < colors; ++c) {
        const Wide weighted = total([&](const auto& channel) { return channel(c) * alpha_of(channel); });
        set_sample(out.view(), x, y, c, alpha == 0 ? 0 : clamped(weighted, alphas));
      }
      if (image.format.has_alpha()) {
        set_sample(out.view(), x, y, colors, alpha);
      }
    }
  }
  return out;
}

// --- Deskewing: pages ---

/// Lines of words with boxes for letters, gray on white. The page needs no font, and is the same for every standard
/// library.
class Page {
 public:
  Page(test::Random& random, int width, int height, int line) : width_(width), height_(height) {
    for (int y = height / 12; y < height - height / 12; y += line * (random.below(8) == 0 ? 2 : 1)) {
      const int end = width - width / 10 - (random.below(5) == 0 ? width / 3 : 0);
      for (int x = width / 10; x < end; x += line / 3 + 1) {
        for (std::uint32_t letters = 2 + random.below(8); letters > 0 && x < end; --letters) {
          x = add_letter(random, x, y, line);
        }
      }
    }
  }

  /// 1 for ink, 0 for paper.
  [[nodiscard]] int ink_at(double x, double y) const {
    const auto column = static_cast<int>(std::floor(x));
    const auto row = static_cast<int>(std::floor(y));
    const bool is_inside = column >= 0 && row >= 0 && column < width_ && row < height_;
    return is_inside && ink_[static_cast<std::size_t>(row) * static_cast<std::size_t>(width_) +
                             static_cast<std::size_t>(column)]
               ? 1
               : 0;
  }

  /// The page, turned clockwise around its center. Each pixel is the mean of four samples.
  [[nodiscard]] Image turned(double degrees, PixelFormat format, int paper, int ink) const {
    const double sine = std::sin(degrees * 3.14159265358979323846 / 180.0);
    const double cosine = std::cos(degrees * 3.14159265358979323846 / 180.0);
    Image image(width_, height_, format);
    const std::uint32_t scale = format.sample == Sample::u8 ? 1 : 257;
    for (int y = 0; y < height_; ++y) {
      for (int x = 0; x < width_; ++x) {
        int inked = 0;
        for (int part = 0; part < 4; ++part) {
          const double right = x + (part % 2 + 0.5) / 2 - width_ / 2.0;
          const double below = y + (part / 2 + 0.5) / 2 - height_ / 2.0;
          inked += ink_at(right * cosine + below * sine + width_ / 2.0, below * cosine - right * sine + height_ / 2.0);
        }
        const auto level = static_cast<std::uint32_t>((paper * (4 - inked) + ink * inked) / 4) * scale;
        for (int c = 0; c < format.channels; ++c) {
          test::set_sample(image.view(), x, y, c,
                           format.has_alpha() && c == format.channels - 1 ? format.max_value() : level);
        }
      }
    }
    return image;
  }

 private:
  int add_letter(test::Random& random, int x, int y, int line) {
    const int width = std::max(2, line * random.between(15, 35) / 100);
    const int top = y - (random.below(5) == 0 ? line / 4 : 0);
    const int bottom = y + line / 2 + (random.below(8) == 0 ? line / 5 : 0);
    const int stroke = std::max(1, line / 10);
    const bool has_bar = random.below(2) == 0;
    ink_.resize(static_cast<std::size_t>(width_) * static_cast<std::size_t>(height_));
    for (int at_y = std::max(top, 0); at_y < std::min(bottom, height_); ++at_y) {
      for (int at_x = x; at_x < std::min(x + width, width_); ++at_x) {
        const bool is_edge = at_x < x + stroke || at_x >= x + width - stroke || at_y < top + stroke ||
                             (has_bar && at_y >= bottom - stroke);
        if (is_edge) {
          ink_[static_cast<std::size_t>(at_y) * static_cast<std::size_t>(width_) + static_cast<std::size_t>(at_x)] =
              true;
        }
      }
    }
    return x + width + stroke;
  }

  int width_;
  int height_;
  std::vector<bool> ink_;
};

class Deskew : public ::testing::Test {
 protected:
  struct Straight {
    Image image;
    FoundSkew found;
  };

  static Straight straighten(Backend& backend, ConstView image, DeskewOptions options = {}) {
    FoundSkew found;
    options.found = &found;
    Image result = backend.download(backend.apply(backend.upload(image), options));
    return {std::move(result), found};
  }

  /// Under emulation, a page takes up to a second.
  static int pages(int natively) { return test::is_emulated() ? natively / 10 : natively; }

  /// Compares with the oracle. Returns true if the image has text.
  bool compare(ConstView image, const std::array<std::uint8_t, 3>& fill = {255, 255, 255}) {
    DeskewOptions options;
    options.fill = fill;
    const FoundSkew expected = skew_of(image);
    const std::uint32_t scale = image.format.sample == Sample::u8 ? 1 : 257;
    std::array<std::uint32_t, 4> color{};
    for (std::size_t c = 0; c < 3; ++c) {
      color[c] = fill[c] * scale;
    }
    if (image.format.color_channels() == 1) {
      color = {(fill[0] * 19595U + fill[1] * 38470U + fill[2] * 7471U + 32768U) / 65536U * scale};
    }
    if (image.format.has_alpha()) {
      color[static_cast<std::size_t>(image.format.channels - 1)] = image.format.max_value();
    }
    for (const auto& backend : {one_.get(), three_.get()}) {
      const Straight result = straighten(*backend, image, options);
      EXPECT_EQ(result.found.has_text, expected.has_text);
      EXPECT_EQ(result.found.steps, expected.steps);
      const Image turned = expected.steps == 0 ? copy_of(image) : straightened(image, expected.steps, color);
      EXPECT_TRUE(test::same_pixels(result.image.view(), turned.view()));
    }
    return expected.has_text;
  }

  std::unique_ptr<Backend> one_ = make_cpu_backend(1);
  std::unique_ptr<Backend> three_ = make_cpu_backend(3);
};

TEST_F(Deskew, FindsTheAnglesOf200Pages) {
  test::Random random;
  SCOPED_TRACE(random.trace());
  double worst = 0.0;
  for (int i = 0; i < pages(200); ++i) {
    const double degrees = random.between(-1000, 1000) / 100.0;
    const Page page(random, random.between(800, 1000), random.between(600, 800), random.between(14, 26));
    const bool is_light = random.below(4) == 0;
    const Image image = page.turned(degrees, {Sample::u8, 1}, is_light ? 30 : 235, is_light ? 220 : 25);
    const FoundSkew found = straighten(*three_, image.view()).found;
    EXPECT_TRUE(found.has_text) << "page " << i << " at " << degrees;
    worst = std::max(worst, std::abs(found.steps / 20.0 - degrees));
    ASSERT_LE(std::abs(found.steps / 20.0 - degrees), 0.1) << "page " << i << " at " << degrees;
  }
  RecordProperty("worst", std::to_string(worst));
}

TEST_F(Deskew, ResultsHaveNoRemainingAngle) {
  test::Random random;
  SCOPED_TRACE(random.trace());
  for (int i = 0; i < 6; ++i) {
    const Page page(random, 700, 600, 24);
    const Image image = page.turned(random.between(-1000, 1000) / 100.0, {Sample::u8, 1}, 240, 20);
    const Straight once = straighten(*three_, image.view());
    ASSERT_TRUE(once.found.has_text);
    EXPECT_LE(std::abs(straighten(*three_, once.image.view()).found.steps), 2);
  }
}

TEST_F(Deskew, MatchesTheOracleForAllFormats) {
  test::Random random;
  SCOPED_TRACE(random.trace());
  int turned = 0;
  for (const PixelFormat format : test::photographic_formats()) {
    SCOPED_TRACE(test::name_of(format));
    const Page page(random, random.between(180, 240), random.between(70, 120), 12);
    Image image = page.turned(random.between(-1000, 1000) / 100.0, format, 230, 30);
    for (int y = 0; y < image.height(); ++y) {  // gives each pixel its own color
      for (int x = 0; x < image.width(); ++x) {
        for (int c = 0; c < format.color_channels(); ++c) {
          set_sample(image.view(), x, y, c, sample_at(image.view(), x, y, c) - random.below(format.max_value() / 12));
        }
      }
    }
    turned += compare(image.view(), {255, 255, 255}) ? 1 : 0;
    if (format.has_alpha()) {  // translucent and hidden pixels
      for (int i = 0; i < 3000; ++i) {
        set_sample(image.view(), random.between(0, image.width() - 1), random.between(0, image.height() - 1),
                   format.channels - 1, random.below(3) == 0 ? 0 : random.below(format.max_value() + 1));
      }
      turned += compare(image.view(), {200, 100, 50}) ? 1 : 0;
    }
  }
  EXPECT_GE(turned, 4);
}

/// Darkens the left part of a page to `percent` of its levels, with a gradual edge.
Image in_shadow(Image page, int percent) {
  const PixelFormat format = page.format();
  for (int y = 0; y < page.height(); ++y) {
    for (int x = 0; x < page.width(); ++x) {
      const int edge = std::clamp(x - page.width() / 3 - y / 4, 0, 100);
      const auto light = static_cast<std::uint32_t>(percent + (100 - percent) * edge / 100);
      for (int c = 0; c < format.color_channels(); ++c) {
        set_sample(page.view(), x, y, c, sample_at(page.view(), x, y, c) * light / 100);
      }
    }
  }
  return page;
}

/// Paper in the shadow is darker than ink outside it. The pages are small: at a width of 600 pixels, 0.1° moves the end
/// of a line by one pixel. In a run with 2,400 pages, the error exceeded 0.15° for 5 pages; the largest was 0.19°.
TEST_F(Deskew, FindsTheAnglesOfPagesInAShadow) {
  test::Random random;
  SCOPED_TRACE(random.trace());
  int off = 0;
  for (int i = 0; i < pages(60); ++i) {
    const double degrees = random.between(-1000, 1000) / 100.0;
    const Page page(random, random.between(560, 700), random.between(400, 700), random.between(14, 26));
    const Image image = in_shadow(page.turned(degrees, {Sample::u8, 1}, 235, 100), random.between(25, 50));
    const FoundSkew found = straighten(*three_, image.view()).found;
    EXPECT_TRUE(found.has_text) << "page " << i << " at " << degrees;
    ASSERT_LE(std::abs(found.steps / 20.0 - degrees), 0.3) << "page " << i << " at " << degrees;
    off += std::abs(found.steps / 20.0 - degrees) > 0.15 ? 1 : 0;
  }
  EXPECT_LE(off, 3);
}

TEST_F(Deskew, MatchesTheOracleForAllFormatsInAShadow) {
  test::Random random;
  SCOPED_TRACE(random.trace());
  constexpr int kMinUneven = 6;  // pages whose text is found only after the shadow is removed
  int uneven = 0;
  for (int round = 0; round < 4 && uneven < kMinUneven; ++round) {
    for (const PixelFormat format : test::photographic_formats()) {
      SCOPED_TRACE(test::name_of(format));
      const Page page(random, random.between(180, 240), random.between(90, 130), 14);
      Image image = in_shadow(page.turned(random.between(-600, 600) / 100.0, format, 230, 90), 30);
      for (const bool has_holes : {false, true}) {
        for (int i = 0; has_holes && format.has_alpha() && i < 3000; ++i) {
          set_sample(image.view(), random.between(0, image.width() - 1), random.between(0, image.height() - 1),
                     format.channels - 1, random.below(3) == 0 ? 0 : random.below(format.max_value() + 1));
        }
        if (!has_holes || format.has_alpha()) {
          uneven += compare(image.view()) && !skew_of(text_of(image.view())).has_text ? 1 : 0;
        }
      }
    }
  }
  EXPECT_GE(uneven, kMinUneven);
}

/// In uneven light, two lines are not enough, because a horizon with trees can look like two lines of text.
TEST_F(Deskew, LeavesTwoLinesInAShadowUnchanged) {
  for (const int lines : {2, 3}) {
    const Image image = test::image_of_pixels(600, 160, {Sample::u8, 1}, [&](std::size_t i) {
      const int x = static_cast<int>(i % 600);
      const int y = static_cast<int>(i / 600) + x / 20;
      const bool is_ink = y % 36 < 6 && y >= 36 && y / 36 <= lines && x % 7 < 2;
      return std::vector<std::uint32_t>{is_ink ? 60U : 235U};
    });
    EXPECT_EQ(compare(in_shadow(image.clone(), 20).view()), lines == 3) << lines;
  }
}

/// Slanted bars have a peak like text, but their edges run along the bars.
TEST_F(Deskew, LeavesBarsInAShadowUnchanged) {
  for (const int slope : {0, 40, 90}) {
    const Image bars = test::image_of_pixels(300, 200, {Sample::u8, 1}, [&](std::size_t i) {
      const int x = static_cast<int>(i % 300);
      const int y = static_cast<int>(i / 300);
      return std::vector<std::uint32_t>{(y + x * slope / 1000) % 30 < 6 ? 100U : 235U};
    });
    const Image shaded = in_shadow(bars.clone(), 20);
    EXPECT_FALSE(compare(shaded.view())) << slope;
    EXPECT_TRUE(skew_of(bars.view()).has_text) << slope;
  }
}

/// Extreme levels cause overshoot on both sides, and the largest possible sums.
TEST_F(Deskew, MatchesTheOracleForBlackAndWhite) {
  test::Random random;
  SCOPED_TRACE(random.trace());
  for (const PixelFormat format : test::photographic_formats()) {
    const Image noise = test::black_and_white_image(random, 120, 90, format);
    const Page page(random, 120, 90, 12);
    Image image = page.turned(6.3, format, 255, 0);
    for (int y = 0; y < 90; ++y) {
      for (int x = 0; x < 120; ++x) {
        for (int c = 0; c < format.channels; ++c) {
          const bool is_noisy = random.below(20) == 0;
          const std::uint32_t level = sample_at(is_noisy ? noise.view() : image.view(), x, y, c);
          set_sample(image.view(), x, y, c, level > format.max_value() / 2 ? format.max_value() : 0);
        }
      }
    }
    compare(image.view(), {0, 255, 0});
  }
}

TEST_F(Deskew, MatchesTheOracleForUnusualSizes) {
  test::Random random;
  SCOPED_TRACE(random.trace());
  for (const auto& [width, height] :
       {std::pair{1, 1}, {1, 50}, {50, 1}, {2, 2}, {3, 3}, {31, 33}, {65, 31}, {257, 4}, {4, 257}, {129, 64}}) {
    SCOPED_TRACE(std::to_string(width) + "x" + std::to_string(height));
    compare(page_of(random, width, height, 20).view());
    compare(test::any_image(random, width, height, {Sample::u8, 1}).view());
    compare(Page(random, width, height, 12).turned(4.0, {Sample::u16, 1}, 200, 10).view());
  }
}

/// The number of text pixels in a row does not fit in 16 bits.
TEST_F(Deskew, MatchesTheOracleForALongLine) {
  Image line = test::constant_image(70000, 3, {Sample::u8, 1}, 255);
  for (int x = 0; x < 70000; x += 2) {
    set_sample(line.view(), x, 1, 0, 0);
  }
  EXPECT_TRUE(compare(line.view()));
  for (int x = 0; x < 68000; ++x) {
    set_sample(line.view(), x, 1, 0, 0);
  }
  EXPECT_TRUE(compare(line.view()));
}

TEST_F(Deskew, AcceptsPaddedRows) {
  test::Random random;
  SCOPED_TRACE(random.trace());
  const Image wide = Page(random, 200, 90, 12).turned(-3.0, {Sample::u8, 3}, 255, 0);
  ConstView part = wide.view();
  part.width = 171;
  EXPECT_TRUE(compare(part));
}

TEST_F(Deskew, LeavesPagesWithoutTextUnchanged) {
  test::Random random;
  SCOPED_TRACE(random.trace());
  const auto stays = [&](const Image& image) {
    const Straight result = straighten(*three_, image.view());
    EXPECT_FALSE(result.found.has_text);
    EXPECT_EQ(result.found.steps, 0);
    EXPECT_TRUE(test::same_pixels(result.image.view(), image.view()));
  };
  for (const PixelFormat format : test::photographic_formats()) {
    SCOPED_TRACE(test::name_of(format));
    stays(test::constant_image(1, 1, format, 7));
    stays(test::image_of_pixels(2, 1, format, [&](std::size_t i) {
      return std::vector<std::uint32_t>(static_cast<std::size_t>(format.channels), i == 0 ? 9 : 7);
    }));
    stays(test::constant_image(300, 200, format, 0));
    stays(test::constant_image(300, 200, format, format.max_value()));
    stays(test::random_image(random, 200, 150, format));
    if (format.channels != 2) {
      stays(test::smooth_image(random, 400, 300, format));
    }
  }
}

TEST_F(Deskew, LeavesStraightPagesUnchanged) {
  test::Random random;
  SCOPED_TRACE(random.trace());
  const Image page = Page(random, 500, 400, 20).turned(0.0, {Sample::u8, 3}, 250, 10);
  const Straight result = straighten(*three_, page.view());
  EXPECT_TRUE(result.found.has_text);
  EXPECT_EQ(result.found.steps, 0);
  EXPECT_TRUE(test::same_pixels(result.image.view(), page.view()));
}

}  // namespace
}  // namespace gpuimg::test_document
