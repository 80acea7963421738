// Compares the host twin of cuda/denoise.cu with the CPU backend: the same planes, blocks, warps and lanes, with column
// sums that slide down and are summed across neighboring lanes.
#include "ops/denoise.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <vector>

#include "gpuimg/backend.hpp"
#include "ops/window.hpp"
#include "support/test_images.hpp"

namespace gpuimg::test_denoise_patches {
namespace {

template <class T>
class PlanesTwin {
 public:
  PlanesTwin(ConstView pixels, const DenoiseOptions& options)
      : planes_(DenoisePlanes<T>::layout(pixels.width, pixels.height, options)),
        samples_(planes_.plane_samples() * static_cast<std::size_t>(pixels.format.color_channels())) {
    planes_.samples = samples_.data();
    for (int c = 0; c < pixels.format.color_channels(); ++c) {
      for (int y = 0; y < planes_.rows; ++y) {
        for (int x = 0; x < planes_.pitch; ++x) {
          const int from_x = source_position(x - planes_.border, pixels.width, Border::reflect101);
          const int from_y = source_position(y - planes_.border, pixels.height, Border::reflect101);
          const auto at =
              static_cast<std::size_t>(y) * static_cast<std::size_t>(planes_.pitch) + static_cast<std::size_t>(x);
          samples_[static_cast<std::size_t>(c) * planes_.plane_samples() + at] =
              pixels.row<T>(from_y)[from_x * pixels.format.channels + c];
        }
      }
    }
  }

  [[nodiscard]] const DenoisePlanes<T>& planes() const { return planes_; }

  /// Fails if a device would read past the end of the row or the plane.
  [[nodiscard]] std::int32_t at(int x, int y, int c) const {
    const bool is_inside = x >= -planes_.border && x < planes_.pitch - planes_.border && y >= -planes_.border &&
                           y < planes_.rows - planes_.border;
    if (!is_inside) {
      ADD_FAILURE() << "reads " << x << "," << y;
      return 0;
    }
    return planes_.at(x, y)[static_cast<std::size_t>(c) * planes_.plane_samples()];
  }

 private:
  DenoisePlanes<T> planes_;
  std::vector<T> samples_;
};

/// A warp; its lanes are computed together.
template <class T, int colors, int patch>
class WarpTwin {
 public:
  static constexpr int kRows = kDenoiseRows<T, colors>;

  WarpTwin(const PlanesTwin<T>& planes, const DenoiseTable& table, int search_radius)
      : planes_(planes), table_(table), search_radius_(search_radius) {}

  void run(int warp, int first_row, View out) {
    const int left = warp * denoise_columns(patch) - kRadius;
    for (int dy = -search_radius_; dy <= search_radius_; ++dy) {
      for (int dx = -search_radius_; dx <= search_radius_; ++dx) {
        add_offset(left, first_row, dx, dy);
      }
    }
    for (int lane = kRadius; lane < kDenoiseLanes - kRadius && left + lane < out.width; ++lane) {
      for (int row = 0; row < kRows && first_row + row < out.height; ++row) {
        const auto& sums = sums_[static_cast<std::size_t>(row)][static_cast<std::size_t>(lane)];
        for (int c = 0; c < colors; ++c) {
          const std::uint64_t mean = weighted_mean(sums[static_cast<std::size_t>(c)], sums[colors]);
          out.row<T>(first_row + row)[(left + lane) * out.format.channels + c] = static_cast<T>(mean);
        }
      }
    }
  }

 private:
  static constexpr int kRadius = patch / 2;
  using Lanes = std::array<std::int32_t, kDenoiseLanes>;

  /// The value of the lane at a distance; as with shuffles, lanes outside the warp return the caller's own value.
  static std::int32_t shuffled(const Lanes& values, int lane, int by) {
    const int from = lane + by;
    return values[static_cast<std::size_t>(from >= 0 && from < kDenoiseLanes ? from : lane)];
  }

  void add_offset(int left, int first_row, int dx, int dy) {
    std::array<Lanes, kRows + 2 * kRadius> differences{};
    Lanes columns{};
    for (int j = 0; j < kRows + 2 * kRadius; ++j) {
      const int y = first_row - kRadius + j;
      Lanes& of_row = differences[static_cast<std::size_t>(j)];
      for (int lane = 0; lane < kDenoiseLanes; ++lane) {
        const auto i = static_cast<std::size_t>(lane);
        for (int c = 0; c < colors; ++c) {
          of_row[i] += denoise_difference<T>(planes_.at(left + lane, y, c), planes_.at(left + lane + dx, y + dy, c));
        }
        columns[i] += of_row[i];
      }
      if (j >= 2 * kRadius) {
        add_row(j - 2 * kRadius, columns, left + dx, y - kRadius + dy);
        for (std::size_t i = 0; i < columns.size(); ++i) {
          columns[i] -= differences[static_cast<std::size_t>(j - 2 * kRadius)][i];
        }
      }
    }
  }

  void add_row(int row, const Lanes& columns, int x, int y) {
    for (int lane = 0; lane < kDenoiseLanes; ++lane) {
      std::int32_t distance = columns[static_cast<std::size_t>(lane)];
      for (int k = 1; k <= kRadius; ++k) {
        distance += shuffled(columns, lane, -k) + shuffled(columns, lane, k);
      }
      const std::size_t index =
          std::min<std::size_t>(static_cast<std::uint32_t>(distance) >> table_.shift, table_.weights.size() - 1);
      const std::uint64_t weight = table_.weights[index];
      auto& sums = sums_[static_cast<std::size_t>(row)][static_cast<std::size_t>(lane)];
      sums[colors] += weight;
      for (int c = 0; c < colors; ++c) {
        sums[static_cast<std::size_t>(c)] += weight * static_cast<std::uint64_t>(planes_.at(x + lane, y, c));
      }
      const bool has_result = lane >= kRadius && lane < kDenoiseLanes - kRadius;
      if (sizeof(T) == 1 && has_result) {  // the device's sums have 32 bits
        EXPECT_LE(*std::max_element(sums.begin(), sums.end()), 0xFFFFFFFFU);
      }
    }
  }

  const PlanesTwin<T>& planes_;
  const DenoiseTable& table_;
  int search_radius_;
  std::array<std::array<std::array<std::uint64_t, colors + 1>, kDenoiseLanes>, kRows> sums_{};
};

/// Denoises an image in launches of `rows_at_once` rows each.
template <class T, int colors, int patch>
Image denoised_by_twin(const Image& image, const DenoiseOptions& options, int rows_at_once) {
  const DenoiseTable table = denoise_table(image.format(), options);
  const PlanesTwin<T> planes(image.view(), options);
  Image out = image.clone();  // for its alpha
  using Warp = WarpTwin<T, colors, patch>;
  constexpr int kBlockColumns = kDenoiseWarps * denoise_columns(patch);
  for (int first = 0; first < image.height(); first += rows_at_once) {
    const int rows = std::min(rows_at_once, image.height() - first);
    for (int block = 0; block < whole_units(rows, Warp::kRows) / Warp::kRows; ++block) {
      for (int warp = 0; warp < whole_units(image.width(), kBlockColumns) / kBlockColumns * kDenoiseWarps; ++warp) {
        Warp(planes, table, options.search / 2).run(warp, first + block * Warp::kRows, out.view());
      }
    }
  }
  return out;
}

template <class T, int colors>
Image denoised_by_twin(const Image& image, const DenoiseOptions& options, int rows_at_once) {
  switch (options.patch) {
    case 3: return denoised_by_twin<T, colors, 3>(image, options, rows_at_once);
    case 5: return denoised_by_twin<T, colors, 5>(image, options, rows_at_once);
    default: return denoised_by_twin<T, colors, 7>(image, options, rows_at_once);
  }
}

Image denoised_by_twin(const Image& image, const DenoiseOptions& options, int rows_at_once) {
  const bool is_color = image.format().color_channels() == 3;
  if (image.format().sample == Sample::u8) {
    return is_color ? denoised_by_twin<std::uint8_t, 3>(image, options, rows_at_once)
                    : denoised_by_twin<std::uint8_t, 1>(image, options, rows_at_once);
  }
  return is_color ? denoised_by_twin<std::uint16_t, 3>(image, options, rows_at_once)
                  : denoised_by_twin<std::uint16_t, 1>(image, options, rows_at_once);
}

TEST(DenoisePatches, TwinMatchesTheCpu) {
  test::Random random;
  SCOPED_TRACE(random.trace());
  const auto backend = make_cpu_backend(2);
  for (const PixelFormat format : test::photographic_formats()) {
    for (int patch = 3; patch <= 7; patch += 2) {
      for (const int widest : {5, 150}) {
        const Image image = test::any_image(random, random.between(1, widest), random.between(1, 36), format);
        DenoiseOptions options;
        options.patch = patch;
        options.count_transparent = true;
        options.search = 2 * random.between(0, 3) + 1;
        options.strength = format.sample == Sample::u8 ? 30.0F : 9000.0F;
        const int rows_at_once = kMostDenoiseRows * random.between(1, 3);
        const Image expected = backend->download(backend->apply(backend->upload(image.view()), options));
        ASSERT_TRUE(test::same_pixels(denoised_by_twin(image, options, rows_at_once).view(), expected.view()))
            << test::name_of(format) << " " << image.width() << "x" << image.height() << ", patch " << patch
            << ", search " << options.search;
      }
    }
  }
}

/// A plane with 1 for each pixel that counts.
Image visible_pixels(ConstView pixels) {
  Image visible(pixels.width, pixels.height, {Sample::u8, 1});
  for (int y = 0; y < pixels.height; ++y) {
    for (int x = 0; x < pixels.width; ++x) {
      const std::uint32_t alpha = test::sample_at(pixels, x, y, pixels.format.channels - 1);
      test::set_sample(visible.view(), x, y, 0, alpha != 0 ? 1 : 0);
    }
  }
  return visible;
}

/// Computes each pixel as a device thread does if some pixels are hidden.
template <class T>
Image denoised_by_visible_twin(const Image& image, const DenoiseOptions& options) {
  const DenoiseTable table = denoise_table(image.format(), options);
  const Image visible = visible_pixels(image.view());
  const PlanesTwin<T> planes(image.view(), options);
  const PlanesTwin<std::uint8_t> visible_planes(visible.view(), options);
  const int colors = image.format().color_channels();
  const VisiblePatches<T> patches{planes.planes(), visible_planes.planes(), colors, options.patch / 2};
  Image out = image.clone();  // for its alpha, and for pixels that do not count
  const int reach = options.search / 2;
  for (int y = 0; y < image.height(); ++y) {
    for (int x = 0; x < image.width(); ++x) {
      std::uint64_t weights = 0;
      std::array<std::uint64_t, 3> sums{};
      for (int dy = -reach; dy <= reach; ++dy) {
        for (int dx = -reach; dx <= reach; ++dx) {
          std::uint32_t distance = 0;
          if (!patches.find_distance(x, y, dx, dy, distance)) {
            continue;
          }
          const std::uint64_t weight =
              table.weights[std::min<std::size_t>(distance >> table.shift, table.weights.size() - 1)];
          weights += weight;
          for (int c = 0; c < colors; ++c) {
            sums[static_cast<std::size_t>(c)] += weight * static_cast<std::uint64_t>(planes.at(x + dx, y + dy, c));
          }
        }
      }
      EXPECT_TRUE(sizeof(T) == 2 || *std::max_element(sums.begin(), sums.end()) <= 0xFFFFFFFFU);
      for (int c = 0; c < colors && weights > 0; ++c) {
        const std::uint64_t mean = weighted_mean(sums[static_cast<std::size_t>(c)], weights);
        test::set_sample(out.view(), x, y, c, static_cast<std::uint32_t>(mean));
      }
    }
  }
  return out;
}

TEST(DenoisePatches, TwinMatchesTheCpuForHiddenPixels) {
  test::Random random;
  SCOPED_TRACE(random.trace());
  const auto backend = make_cpu_backend(2);
  for (const PixelFormat format : test::photographic_formats()) {
    if (!format.has_alpha()) {
      continue;
    }
    for (const int patch : {1, 3, 7, 9}) {
      const Image image = test::any_image(random, random.between(1, 30), random.between(1, 20), format);
      DenoiseOptions options;
      options.patch = patch;
      options.search = 2 * random.between(0, 3) + 1;
      options.strength = format.sample == Sample::u8 ? 30.0F : 9000.0F;
      const Image expected = backend->download(backend->apply(backend->upload(image.view()), options));
      const Image twin = format.sample == Sample::u8 ? denoised_by_visible_twin<std::uint8_t>(image, options)
                                                     : denoised_by_visible_twin<std::uint16_t>(image, options);
      ASSERT_TRUE(test::same_pixels(twin.view(), expected.view()))
          << test::name_of(format) << " " << image.width() << "x" << image.height() << ", patch " << patch;
    }
  }
}

/// The widest planes and the last block: no read may pass the end of the allocated memory.
TEST(DenoisePatches, TwinReadsNothingOutsideThePlanes) {
  const int across = kDenoiseWarps * denoise_columns(7);
  for (const int width : {across - 1, across, across + 1}) {
    const Image image = test::constant_image(width, kMostDenoiseRows + 1, {Sample::u8, 1}, 9);
    DenoiseOptions options;
    options.search = 5;
    EXPECT_TRUE(test::same_pixels(denoised_by_twin(image, options, kMostDenoiseRows).view(), image.view()));
  }
}

}  // namespace
}  // namespace gpuimg::test_denoise_patches
