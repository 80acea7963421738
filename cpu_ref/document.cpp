// Despeckling on the CPU. Specified in docs/operations.md, "Despeckling".
#include "gpuimg/ops/document.hpp"

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstring>
#include <vector>

#include "operations.hpp"
#include "parallel_loops.hpp"

namespace gpuimg::cpu {
namespace {

// --- Despeckling ---

constexpr std::uint8_t kWhite = 255;

/// Adjacent pixels [begin, end) of a row that have one color.
struct Run {
  int begin;
  int end;
};

/// The runs of one color, row after row, and the 8-connected components that they form. A component is a tree of runs.
/// The root holds its number of pixels as a negative number, every other run the index of its parent.
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

  /// Calls use(run) for each run of row y that is in a component of at most this many pixels.
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

  /// For each row, how many runs are in the rows above it; then how many there are. Throws Error{unsupported} if a
  /// pixel is neither black nor white.
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

  /// Joins the components of runs that touch, also by a corner.
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
      std::swap(a, b);  // the smaller one becomes a part of the larger one, so that trees stay low
    }
    links_[a] += links_[b];
    links_[b] = static_cast<std::int64_t>(a);
  }

  /// Halves the path to it.
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

}  // namespace gpuimg::cpu
