// Despeckling and deskewing on the CPU. Specified in docs/operations.md, "Despeckling" and "Deskewing".
#include "gpuimg/ops/document.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <numeric>
#include <type_traits>
#include <vector>

#include "levels.hpp"
#include "operations.hpp"
#include "ops/resize.hpp"
#include "ops/threshold.hpp"
#include "ops/window.hpp"
#include "parallel_loops.hpp"
#include "pixel_rows.hpp"
#include "window_sums.hpp"

namespace gpuimg::cpu {
namespace {

// --- Despeckling ---

constexpr std::uint8_t kWhite = 255;

/// Adjacent pixels [begin, end) of a row that have the same color.
struct Run {
  int begin;
  int end;
};

/// The runs of one color in row-major order, and the 8-connected components that they form. A component is a tree of
/// runs. Its root stores the component's number of pixels, negated; every other run stores the index of its parent.
class Components {
 public:
  Components(ConstView image, std::uint8_t color) : image_(image), color_(color), first_run_(count_runs()) {
    runs_.resize(first_run_.back());
    links_.resize(first_run_.back());
    const int band = rows_per_band(image.width);
    const int bands = (image.height - 1) / band + 1;
    for_each_index(0, bands, [&](int i) {
      const int end = std::min(image.height - i * band, band) + i * band;
      for (int y = i * band; y < end; ++y) {
        find_runs(y);
        if (y > i * band) {
          join_rows(y - 1, y);
        }
      }
    });
    for (int i = 1; i < bands; ++i) {
      join_rows(i * band - 1, i * band);
    }
  }

  /// Calls use(run) for each run of row y that belongs to a component of at most `most` pixels.
  template <class Use>
  void for_small(int y, int most, const Use& use) const {
    for (std::size_t run = first_run_[row(y)]; run < first_run_[row(y + 1)]; ++run) {
      std::size_t root = run;
      while (links_[root] >= 0) {
        root = static_cast<std::size_t>(links_[root]);
      }
      if (-links_[root] <= most) {
        use(runs_[run]);
      }
    }
  }

 private:
  static std::size_t row(int y) { return static_cast<std::size_t>(y); }

  /// For each row, the number of runs in the rows above it; the last element is the total. Throws Error{unsupported} if
  /// a pixel is neither black nor white.
  [[nodiscard]] std::vector<std::size_t> count_runs() const {
    std::vector<std::size_t> first(row(image_.height) + 1, 0);
    std::atomic<bool> has_gray = false;
    for_row_bands(image_.width, image_.height, [&](int begin, int end) {
      for (int y = begin; y < end; ++y) {
        const auto* pixels = image_.row<std::uint8_t>(y);
        int grays = (pixels[0] != 0 && pixels[0] != kWhite) ? 1 : 0;
        int runs = pixels[0] == color_ ? 1 : 0;
        for (int x = 1; x < image_.width; ++x) {
          grays += static_cast<int>(pixels[x] != 0) & static_cast<int>(pixels[x] != kWhite);
          runs += static_cast<int>(pixels[x] == color_) & static_cast<int>(pixels[x - 1] != color_);
        }
        first[row(y) + 1] = static_cast<std::size_t>(runs);
        if (grays > 0) {
          has_gray = true;
        }
      }
    });
    if (has_gray) {
      throw Error(ErrorKind::unsupported,
                  "despeckle: some pixels are neither black nor white; threshold the image first");
    }
    for (std::size_t y = 1; y < first.size(); ++y) {
      first[y] += first[y - 1];
    }
    return first;
  }

  void find_runs(int y) {
    const auto* pixels = image_.row<std::uint8_t>(y);
    const auto* end = pixels + image_.width;
    const auto next = [end](const std::uint8_t* from, int color) {
      const void* found = std::memchr(from, color, static_cast<std::size_t>(end - from));
      return found != nullptr ? static_cast<const std::uint8_t*>(found) : end;
    };
    const std::uint8_t* after = pixels;
    for (std::size_t run = first_run_[row(y)]; run < first_run_[row(y + 1)]; ++run) {
      const std::uint8_t* begin = next(after, color_);
      after = next(begin, kWhite - color_);
      runs_[run] = {static_cast<int>(begin - pixels), static_cast<int>(after - pixels)};
      links_[run] = begin - after;
    }
  }

  /// Joins the components of runs in two adjacent rows that touch, including diagonally.
  void join_rows(int above, int below) {
    std::size_t a = first_run_[row(above)];
    std::size_t b = first_run_[row(below)];
    while (a < first_run_[row(above + 1)] && b < first_run_[row(below + 1)]) {
      if (runs_[a].begin <= runs_[b].end && runs_[b].begin <= runs_[a].end) {
        join(a, b);
      }
      runs_[a].end < runs_[b].end ? ++a : ++b;
    }
  }

  void join(std::size_t a, std::size_t b) {
    a = root_of(a);
    b = root_of(b);
    if (a == b) {
      return;
    }
    if (links_[a] > links_[b]) {
      std::swap(a, b);  // attach the smaller component to the larger one, which keeps trees shallow
    }
    links_[a] += links_[b];
    links_[b] = static_cast<std::int64_t>(a);
  }

  /// The root of a run's component. Halves the path to it.
  std::size_t root_of(std::size_t run) {
    while (links_[run] >= 0) {
      const auto parent = static_cast<std::size_t>(links_[run]);
      if (links_[parent] >= 0) {
        links_[run] = links_[parent];
      }
      run = parent;
    }
    return run;
  }

  ConstView image_;
  std::uint8_t color_;
  std::vector<std::size_t> first_run_;
  std::vector<Run> runs_;
  std::vector<std::int64_t> links_;
};

void remove_specks(View image, std::uint8_t color, int most) {
  const Components components(image, color);
  for_row_bands(image.width, image.height, [&](int begin, int end) {
    for (int y = begin; y < end; ++y) {
      auto* pixels = image.row<std::uint8_t>(y);
      components.for_small(y, most, [&](const Run& run) {
        std::fill(pixels + run.begin, pixels + run.end, static_cast<std::uint8_t>(kWhite - color));
      });
    }
  });
}

// --- Deskewing: the angle ---

constexpr int kMostSteps = 300;      ///< 15 degrees, in steps of 1/20
constexpr int kPeakSteps = 40;       ///< 2 degrees
constexpr int kAngleBits = 30;       ///< fraction bits of sines, cosines and tangents
constexpr int kBlockRows = 32;       ///< rows that are counted together: 64 bytes of each column
constexpr int kMostColumns = 65535;  ///< limit for a difference of two 16-bit counts

/// Sine, cosine and tangent in units of 2⁻³⁰, rounded to nearest.
struct Angle {
  std::int64_t sine = 0;
  std::int64_t cosine = 0;
  std::int64_t tangent = 0;
};

constexpr std::int64_t in_units(double x) { return static_cast<std::int64_t>(x * (1 << kAngleBits) + 0.5); }

/// Computed at compile time, by power series. The omitted terms are below 10⁻¹⁸, and no value lies near the midpoint
/// between two units. Tests compare all values.
constexpr Angle angle_of(int steps) {
  const double x = steps * 3.14159265358979323846 / 3600.0;
  double sine = 0.0;
  double cosine = 0.0;
  double power = 1.0;  // xⁿ/n!
  for (int n = 0; n < 16; ++n) {
    (n % 2 == 0 ? cosine : sine) += n % 4 < 2 ? power : -power;
    power *= x / (n + 1);
  }
  return {in_units(sine), in_units(cosine), in_units(sine / cosine)};
}

constexpr auto kAngles = [] {
  std::array<Angle, kMostSteps + 1> angles{};
  for (int steps = 0; steps <= kMostSteps; ++steps) {
    angles[static_cast<std::size_t>(steps)] = angle_of(steps);
  }
  return angles;
}();

Angle signed_angle(int steps) {
  Angle angle = kAngles[static_cast<std::size_t>(std::abs(steps))];
  if (steps < 0) {
    angle.sine = -angle.sine;
    angle.tangent = -angle.tangent;
  }
  return angle;
}

/// Decides whether a pixel of a given level is text. Fully transparent pixels never are.
struct TextRule {
  std::uint32_t threshold = 0;
  bool is_light = false;
};

/// Otsu's threshold divides the pixels into two classes; text is the class with fewer pixels.
TextRule text_rule(const std::vector<std::uint64_t>& counts) {
  TextRule rule{otsu_levels(counts, 2).front()};
  const auto middle = counts.begin() + rule.threshold + 1;
  rule.is_light = std::accumulate(middle, counts.end(), std::uint64_t{0}) <
                  std::accumulate(counts.begin(), middle, std::uint64_t{0});
  return rule;
}

/// Decides for each pixel whether it is text.
template <class T>
class TextPixels {
 public:
  TextPixels(ConstView pixels, ConstView levels, const TextRule& rule)
      : pixels_(pixels), levels_(levels), rule_(rule) {}

  bool operator()(int x, int y) const {
    const auto channels = static_cast<std::size_t>(pixels_.format.channels);
    const auto column = static_cast<std::size_t>(x);
    return (levels_.row<T>(y)[column] > rule_.threshold) == rule_.is_light &&
           !(pixels_.format.has_alpha() && pixels_.row<T>(y)[column * channels + channels - 1] == 0);
  }

 private:
  ConstView pixels_;
  ConstView levels_;
  TextRule rule_;
};

/// For each row, the number of text pixels in the columns before a given column, modulo 2¹⁶. Stored column by column,
/// so that columns that move together are two contiguous runs of memory.
class TextColumns {
 public:
  template <class T>
  TextColumns(ConstView pixels, ConstView levels, const TextRule& rule, PixelPool& pool, T /*sample*/)
      : width_(levels.width), height_(levels.height), counts_(pool.image(height_, width_ + 1, {Sample::u16, 1})) {
    const int blocks = (height_ - 1) / kBlockRows + 1;
    for_each_index(0, blocks, [&](int block) {
      const int begin = block * kBlockRows;
      count_block<T>(pixels, levels, rule, begin, std::min(height_ - begin, kBlockRows));
    });
  }

  [[nodiscard]] int width() const { return width_; }
  [[nodiscard]] int height() const { return height_; }

  /// sums[y] += the number of text pixels of row y in columns [begin, end). There may be at most kMostColumns columns.
  void add(int begin, int end, std::uint32_t* sums) const {
    const auto* before = counts_.view().row<std::uint16_t>(begin);
    const auto* after = counts_.view().row<std::uint16_t>(end);
    for (int y = 0; y < height_; ++y) {
      sums[y] += static_cast<std::uint16_t>(after[y] - before[y]);
    }
  }

 private:
  template <class T>
  void count_block(ConstView pixels, ConstView levels, const TextRule& rule, int begin, int rows) {
    std::array<std::uint16_t, kBlockRows> counts{};
    std::array<const T*, kBlockRows> of_levels{};
    std::array<const T*, kBlockRows> of_pixels{};
    for (int y = 0; y < rows; ++y) {
      of_levels[static_cast<std::size_t>(y)] = levels.row<T>(begin + y);
      of_pixels[static_cast<std::size_t>(y)] = pixels.row<T>(begin + y);
    }
    const auto channels = static_cast<std::size_t>(pixels.format.channels);
    const bool has_alpha = pixels.format.has_alpha();
    for (int x = 0; x <= width_; ++x) {
      std::copy_n(counts.begin(), rows, counts_.view().row<std::uint16_t>(x) + begin);
      if (x == width_) {
        return;
      }
      const auto column = static_cast<std::size_t>(x);
      for (std::size_t y = 0; y < static_cast<std::size_t>(rows); ++y) {
        const bool is_text = (of_levels[y][column] > rule.threshold) == rule.is_light;
        const bool is_hidden = has_alpha && of_pixels[y][column * channels + channels - 1] == 0;
        counts[y] = static_cast<std::uint16_t>(counts[y] + (is_text && !is_hidden ? 1 : 0));
      }
    }
  }

  int width_;
  int height_;
  Image counts_;
};

/// The number of rows by which a line at this angle has moved down at column x.
int drop_at(int x, const Angle& angle) {
  return static_cast<int>((x * angle.tangent + (std::int64_t{1} << (kAngleBits - 1))) >> kAngleBits);
}

/// sums = the number of text pixels in each line of pixels at this angle, from the top.
void sum_along(const TextColumns& text, int steps, std::vector<std::uint32_t>& sums) {
  const Angle angle = signed_angle(steps);
  const int last = drop_at(text.width() - 1, angle);
  const int lowest = std::max(last, 0);  // the topmost line begins at row −lowest
  sums.assign(static_cast<std::size_t>(text.height()) + static_cast<std::size_t>(std::abs(last)), 0);
  for (int begin = 0; begin < text.width();) {
    const int drop = drop_at(begin, angle);
    int end = begin + 1;
    while (end < text.width() && end - begin < kMostColumns && drop_at(end, angle) == drop) {
      ++end;
    }
    text.add(begin, end, sums.data() + (lowest - drop));
    begin = end;
  }
}

std::uint64_t squares_of(const std::vector<std::uint32_t>& sums) {
  std::uint64_t squares = 0;
  for (const std::uint64_t sum : sums) {
    squares += sum * sum;
  }
  return squares;
}

/// The number of lines of text at this angle. A line of text begins at a line of pixels with more text pixels than the
/// mean, and ends at a line of pixels with less than a third of the mean. The mean is taken over all text pixels: each
/// contributes the number of text pixels in its line.
int lines_along(const TextColumns& text, int steps) {
  std::vector<std::uint32_t> sums;
  sum_along(text, steps, sums);
  const std::uint64_t all = std::accumulate(sums.begin(), sums.end(), std::uint64_t{0});
  const std::uint64_t squares = squares_of(sums);
  int lines = 0;
  bool is_inside = false;
  for (const std::uint64_t sum : sums) {
    if (!is_inside && sum * all > squares) {
      is_inside = true;
      ++lines;
    } else if (3 * sum * all < squares) {
      is_inside = false;
    }
  }
  return lines;
}

/// Finds the angle at which the squares of sum_along() have the largest total. Ties go to the angle nearest to 0, then
/// to the positive angle. The image has text if the totals two degrees away from this angle are smaller by at least an
/// eighth.
FoundSkew found_skew(const TextColumns& text) {
  std::array<std::uint64_t, 2 * kMostSteps + 1> squares{};
  const auto at = [&](int steps) -> std::uint64_t& { return squares[static_cast<std::size_t>(steps + kMostSteps)]; };
  PerThread<std::vector<std::uint32_t>> sums([] { return std::vector<std::uint32_t>(); });
  for_each_index(-kMostSteps, kMostSteps + 1, [&](int steps) {
    sum_along(text, steps, sums.local());
    at(steps) = squares_of(sums.local());
  });
  int best = 0;
  for (int steps = 1; steps <= kMostSteps; ++steps) {
    for (const int signed_steps : {steps, -steps}) {
      best = at(signed_steps) > at(best) ? signed_steps : best;
    }
  }
  for (const int beside : {best - kPeakSteps, best + kPeakSteps}) {
    if (std::abs(beside) <= kMostSteps && at(best) - at(beside) < (at(best) - 1) / 8 + 1) {
      return {};
    }
  }
  return {true, best};
}

constexpr int kBackgroundWindow = 31;
constexpr int kLeastLines = 3;  ///< lines of text that a page in uneven light must have

/// The background of each pixel: the mean of the levels around it, weighted by alpha. If all these pixels are
/// transparent, the background is the pixel's own level.
template <class T>
Image background_of(ConstView pixels, ConstView levels, PixelPool& pool) {
  WindowOptions options;
  options.size = kBackgroundWindow;
  options.border = Border::cut;
  if (!pixels.format.has_alpha() || is_opaque<T>(pixels)) {
    return apply(levels, options, pool);
  }
  Image result = pool.image(levels.width, levels.height, levels.format);
  const PixelWeights<T> weights = weights_of<T>(pixels, Selection());
  const WindowShape shape(options.size, options.border);
  for_window_bands(levels, shape, [&](int begin, int end) {
    WeightedWindows<T> windows(levels, weights, shape, false);
    for (int y = begin; y < end; ++y) {
      const WeightedSums* sums = windows.row(y, y == begin);
      T* row = result.view().row<T>(y);
      for (int x = 0; x < levels.width; ++x) {
        row[x] = sums[x].weights == 0 ? levels.row<T>(y)[x] : static_cast<T>(window_mean(sums[x]));
      }
    }
  });
  return result;
}

/// True if text is darker than its background. Sums the squared distances from the background, separately over pixels
/// that are darker and over pixels that are lighter. Text is darker if the first sum is at least as large as the
/// second.
template <class T>
bool is_darker(ConstView pixels, ConstView levels, ConstView background) {
  const CountedPixels counted(pixels, Selection());
  Uint128 dark = 0;
  Uint128 light = 0;
  std::mutex mutex;
  for_row_bands(levels.width, levels.height, [&](int begin, int end) {
    std::vector<std::uint8_t> flags(static_cast<std::size_t>(levels.width), 1);
    for (int y = begin; y < end; ++y) {
      if (!counted.all()) {
        counted.flags(y, flags.data());
      }
      std::uint64_t of_dark = 0;
      std::uint64_t of_light = 0;
      for (std::size_t x = 0; x < flags.size(); ++x) {
        const std::int64_t above = std::int64_t{levels.row<T>(y)[x]} - background.row<T>(y)[x];
        const auto square = static_cast<std::uint64_t>(above * above) * flags[x];
        (above < 0 ? of_dark : of_light) += square;
      }
      const std::lock_guard lock(mutex);
      dark += of_dark;
      light += of_light;
    }
  });
  return dark >= light;
}

/// The distance of each level from its background. It is 0 for pixels that differ in the direction opposite to text.
template <class T>
Image distances_from_background(ConstView pixels, ConstView levels, PixelPool& pool) {
  Image result = background_of<T>(pixels, levels, pool);
  const View distances = result.view();
  const bool is_dark = is_darker<T>(pixels, levels, distances);
  for_row_bands(levels.width, levels.height, [&](int begin, int end) {
    for (int y = begin; y < end; ++y) {
      const T* row = levels.row<T>(y);
      T* distance = distances.row<T>(y);
      for (int x = 0; x < levels.width; ++x) {
        const int above = row[x] - distance[x];
        distance[x] = static_cast<T>(std::max(is_dark ? -above : above, 0));
      }
    }
  });
  return result;
}

/// True if strokes are mostly upright, like the strokes of letters and unlike edges along a line of text. Counts how
/// often text begins along the rows and how often it begins down the columns. Strokes are upright if the first count is
/// at least as large as the second.
template <class T>
bool has_upright_strokes(ConstView pixels, ConstView levels, const TextRule& rule) {
  const TextPixels<T> text(pixels, levels, rule);
  std::atomic<std::uint64_t> across = 0;
  std::atomic<std::uint64_t> down = 0;
  for_row_bands(levels.width, levels.height, [&](int begin, int end) {
    std::uint64_t from_left = 0;
    std::uint64_t from_above = 0;
    for (int y = begin; y < end; ++y) {
      for (int x = 0; x < levels.width; ++x) {
        if (text(x, y)) {
          from_left += x > 0 && !text(x - 1, y) ? 1 : 0;
          from_above += y > 0 && !text(x, y - 1) ? 1 : 0;
        }
      }
    }
    across += from_left;
    down += from_above;
  });
  return across >= down;
}

/// Finds the skew with one threshold for the whole page. If that finds no text, takes pixels that differ from their
/// background as text.
template <class T>
FoundSkew skew_of(ConstView pixels, PixelPool& pool) {
  const LevelPlane plane(pixels, Channel::luma, kDefaultLuma, pool);
  const CountedPixels counted(pixels, Selection());
  const std::vector<std::uint64_t> counts = count_channel(pixels, counted, Channel::luma, kDefaultLuma);
  if (std::count_if(counts.begin(), counts.end(), [](std::uint64_t count) { return count > 0; }) < 2) {
    return {};
  }
  const FoundSkew even = found_skew(TextColumns(pixels, plane.levels(), text_rule(counts), pool, T()));
  if (even.has_text) {
    return even;
  }
  const Image distances = distances_from_background<T>(pixels, plane.levels(), pool);
  const ConstView view = distances.view();
  const TextRule rule{
      otsu_levels(count_levels<T>(counted, counts.size(), [&](int y, T*) { return view.row<T>(y); }), 2).front(), true};
  if (!has_upright_strokes<T>(pixels, view, rule)) {
    return {};
  }
  const TextColumns text(pixels, view, rule, pool, T());
  const FoundSkew uneven = found_skew(text);
  return uneven.has_text && lines_along(text, uneven.steps) >= kLeastLines ? uneven : FoundSkew();
}

// --- Deskewing: the rotation ---

constexpr int kPhaseBits = 7;      ///< positions are in 128ths of a pixel
constexpr int kWeightBits = 22;    ///< fraction bits of the weights along one axis: 2²² = 2·128³
constexpr int kPositionBits = 31;  ///< fraction bits of exact positions
constexpr int kTaps = 4;

/// Weights of the pixels −1, 0, 1 and 2 for each phase: cubic convolution with a = −1/2. These weights are exact.
constexpr auto kCubicWeights = [] {
  constexpr int d = 1 << kPhaseBits;
  std::array<std::array<std::int32_t, kTaps>, d> weights{};
  for (int k = 0; k < d; ++k) {
    weights[static_cast<std::size_t>(k)] = {-k * k * k + 2 * d * k * k - d * d * k,
                                            3 * k * k * k - 5 * d * k * k + 2 * d * d * d,
                                            -3 * k * k * k + 4 * d * k * k + d * d * k, k * k * k - d * k * k};
  }
  return weights;
}();

/// A position along one axis: the pixel before it, and the weights of the four pixels around it.
struct Position {
  int pixel = 0;
  const std::int32_t* weights = nullptr;
};

Position position_at(std::int64_t exact) {
  constexpr int kShift = kPositionBits - kPhaseBits;
  const std::int64_t phases = (exact + (std::int64_t{1} << (kShift - 1))) >> kShift;
  return {static_cast<int>(phases >> kPhaseBits),
          kCubicWeights[static_cast<std::size_t>(phases & ((1 << kPhaseBits) - 1))].data()};
}

/// Rotates an image by an angle around its center, to undo a skew.
template <class T, int channels>
class Rotation {
 public:
  Rotation(ConstView pixels, const Angle& angle, const std::array<std::uint16_t, 4>& fill)
      : pixels_(pixels), angle_(angle) {
    std::copy_n(fill.begin(), channels, fill_.begin());
  }

  void make_row(int y, T* out) const {
    const std::int64_t y2 = 2 * std::int64_t{y} - (pixels_.height - 1);
    const std::int64_t x2 = 1 - std::int64_t{pixels_.width};
    constexpr std::int64_t kHalf = std::int64_t{1} << (kPositionBits - 1);
    std::int64_t across = angle_.cosine * x2 - angle_.sine * y2 + kHalf * (pixels_.width - 1);
    std::int64_t down = angle_.sine * x2 + angle_.cosine * y2 + kHalf * (pixels_.height - 1);
    for (int x = 0; x < pixels_.width; ++x) {
      make_pixel(position_at(across), position_at(down), out + static_cast<std::size_t>(x) * channels);
      across += 2 * angle_.cosine;
      down += 2 * angle_.sine;
    }
  }

 private:
  static constexpr bool kHasAlpha = channels % 2 == 0;
  static constexpr int kColors = channels - (kHasAlpha ? 1 : 0);
  static constexpr int kShift = 2 * kWeightBits;
  __extension__ using Int128 = __int128;
  /// Sum is for weighted levels; ProductSum is for weighted products of level and alpha.
  using Sum = std::conditional_t<sizeof(T) == 1, std::int32_t, std::int64_t>;
  using ProductSum = std::conditional_t<sizeof(T) == 1, std::int64_t, Int128>;

  struct Taps {
    std::array<std::array<const T*, kTaps>, kTaps> pixels;
  };

  void make_pixel(const Position& across, const Position& down, T* out) const {
    Taps taps;
    const bool is_inside =
        across.pixel >= 1 && across.pixel < pixels_.width - 2 && down.pixel >= 1 && down.pixel < pixels_.height - 2;
    if (!is_inside && is_outside(across.pixel, pixels_.width, down.pixel, pixels_.height)) {
      std::copy_n(fill_.begin(), channels, out);
      return;
    }
    for (int row = 0; row < kTaps; ++row) {
      for (int column = 0; column < kTaps; ++column) {
        const int x = across.pixel - 1 + column;
        const int y = down.pixel - 1 + row;
        taps.pixels[static_cast<std::size_t>(row)][static_cast<std::size_t>(column)] =
            is_inside || (x >= 0 && y >= 0 && x < pixels_.width && y < pixels_.height)
                ? pixels_.row<T>(y) + static_cast<std::size_t>(x) * channels
                : fill_.data();
      }
    }
    if constexpr (kHasAlpha) {
      if (!is_opaque(taps)) {
        return make_translucent(taps, across, down, out);
      }
      out[kColors] = kMaxOf<T>;
    }
    for (int c = 0; c < kColors; ++c) {
      out[c] = rounded(weighted(taps, across, down, c));
    }
  }

  static bool is_outside(int x, int width, int y, int height) { return x < -2 || y < -2 || x > width || y > height; }

  static bool is_opaque(const Taps& taps) {
    return std::all_of(taps.pixels.begin(), taps.pixels.end(), [](const auto& row) {
      return std::all_of(row.begin(), row.end(), [](const T* pixel) { return pixel[kColors] == kMaxOf<T>; });
    });
  }

  static std::int64_t weighted(const Taps& taps, const Position& across, const Position& down, int channel) {
    std::int64_t sum = 0;
    for (std::size_t row = 0; row < kTaps; ++row) {
      Sum of_row = 0;
      for (std::size_t column = 0; column < kTaps; ++column) {
        of_row += static_cast<Sum>(across.weights[column]) * static_cast<Sum>(taps.pixels[row][column][channel]);
      }
      sum += std::int64_t{down.weights[row]} * of_row;
    }
    return sum;
  }

  static T rounded(std::int64_t sum) {
    const std::int64_t level = (sum + (std::int64_t{1} << (kShift - 1))) >> kShift;
    return static_cast<T>(std::clamp<std::int64_t>(level, 0, kMaxOf<T>));
  }

  /// Colors are weighted by their alpha.
  static void make_translucent(const Taps& taps, const Position& across, const Position& down, T* out) {
    const std::int64_t alphas = weighted(taps, across, down, kColors);
    out[kColors] = rounded(alphas);
    for (int c = 0; c < kColors; ++c) {
      out[c] = 0;
      if (out[kColors] == 0) {
        continue;
      }
      ProductSum sum = 0;
      for (std::size_t row = 0; row < kTaps; ++row) {
        std::int64_t of_row = 0;
        for (std::size_t column = 0; column < kTaps; ++column) {
          const T* pixel = taps.pixels[row][column];
          of_row += std::int64_t{across.weights[column]} * pixel[c] * pixel[kColors];
        }
        sum += static_cast<ProductSum>(down.weights[row]) * of_row;
      }
      const ProductSum level = (2 * sum + alphas) / (2 * static_cast<ProductSum>(alphas));
      out[c] = sum <= 0 ? T{0} : static_cast<T>(std::min<ProductSum>(level, kMaxOf<T>));
    }
  }

  ConstView pixels_;
  Angle angle_;
  std::array<T, channels> fill_{};
};

std::array<std::uint16_t, 4> fill_pixel(PixelFormat format, const DeskewOptions& options) {
  ResizeOptions bars;
  bars.pad_color = options.fill;
  return bar_pixel(format, bars);
}

}  // namespace

Image apply(ConstView pixels, const DespeckleOptions& options, PixelPool& pool) {
  Image result = pool.copy_of(pixels);
  if (options.color != SpeckColor::white) {
    remove_specks(result.view(), 0, options.size);
  }
  if (options.color != SpeckColor::black) {
    remove_specks(result.view(), kWhite, options.size);
  }
  return result;
}

Image apply(ConstView pixels, const DeskewOptions& options, PixelPool& pool) {
  const FoundSkew found =
      pixels.format.sample == Sample::u8 ? skew_of<std::uint8_t>(pixels, pool) : skew_of<std::uint16_t>(pixels, pool);
  if (options.found != nullptr) {
    *options.found = found;
  }
  if (found.steps == 0) {
    return pool.copy_of(pixels);
  }
  Image result = pool.image(pixels.width, pixels.height, pixels.format);
  with_format(pixels.format, [&]<class T, int channels>() {
    const Rotation<T, channels> rotation(pixels, signed_angle(found.steps), fill_pixel(pixels.format, options));
    for_row_bands(pixels.width, pixels.height, [&](int begin, int end) {
      for (int y = begin; y < end; ++y) {
        rotation.make_row(y, result.view().row<T>(y));
      }
    });
  });
  return result;
}

}  // namespace gpuimg::cpu
