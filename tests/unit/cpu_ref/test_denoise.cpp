// Non-local means compared with an oracle in plain loops: every format, patch, search window and strength.
// tests/live/compare_windows.py compares with OpenCV.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <mutex>
#include <set>

#include "gpuimg/backend.hpp"
#include "support/test_images.hpp"

namespace gpuimg::test_denoise {
namespace {

int reflected(int at, int size) {
  while (at < 0 || at >= size) {
    at = size == 1 ? 0 : at < 0 ? -at : 2 * size - 2 - at;
  }
  return at;
}

/// The method of docs/operations.md, patch by patch, with a separately computed weight for each patch.
struct Oracle {
  ConstView pixels;
  DenoiseOptions options;

  [[nodiscard]] std::int64_t sample(int x, int y, int c) const {
    return test::sample_at(pixels, reflected(x, pixels.width), reflected(y, pixels.height), c);
  }

  [[nodiscard]] bool is_hidden(int x, int y) const {
    return pixels.format.has_alpha() && !options.count_transparent && sample(x, y, pixels.format.channels - 1) == 0;
  }

  /// If some pairs are hidden, they count as if they differed as much as the visible pairs on average.
  [[nodiscard]] std::int64_t distance(int x, int y, int dx, int dy) const {
    const bool is_deep = pixels.format.sample == Sample::u16;
    const int radius = options.patch / 2;
    std::int64_t sum = 0;
    std::int64_t pairs = 0;
    for (int j = -radius; j <= radius; ++j) {
      for (int i = -radius; i <= radius; ++i) {
        if (is_hidden(x + i, y + j) || is_hidden(x + i + dx, y + j + dy)) {
          continue;
        }
        ++pairs;
        for (int c = 0; c < pixels.format.color_channels(); ++c) {
          const std::int64_t d = sample(x + i, y + j, c) - sample(x + i + dx, y + j + dy, c);
          sum += is_deep ? std::abs(d) : d * d;
        }
      }
    }
    return sum * options.patch * options.patch / pairs;
  }

  [[nodiscard]] std::uint64_t weight_of(std::int64_t distance) const {
    const bool is_deep = pixels.format.sample == Sample::u16;
    const auto cells = static_cast<std::uint64_t>(options.search) * static_cast<std::uint64_t>(options.search);
    const std::uint64_t most = (std::uint64_t{1} << 31) - 1;
    const std::uint64_t full =
        is_deep ? std::min(((std::uint64_t{1} << 63) - 1) / (cells * 65535), most) : most / (cells * 255);
    int shift = 0;
    while ((1 << shift) < options.patch * options.patch) {
      ++shift;
    }
    const double mean = static_cast<double>(distance >> shift) *
                        (static_cast<double>(1 << shift) / static_cast<double>(options.patch * options.patch));
    const float h = options.strength.value_or(is_deep ? 2570.0F : 10.0F);
    const auto width = static_cast<double>(h * h * static_cast<float>(pixels.format.color_channels()));
    const double weight = std::rint(static_cast<double>(full) * std::exp(-(is_deep ? mean * mean : mean) / width));
    return weight < 0.001 * static_cast<double>(full) ? 0 : static_cast<std::uint64_t>(weight);
  }

  [[nodiscard]] Image result() const {
    Image out = copy_of(pixels);
    const int reach = options.search / 2;
    for (int y = 0; y < pixels.height; ++y) {
      for (int x = 0; x < pixels.width; ++x) {
        if (is_hidden(x, y)) {
          continue;
        }
        std::uint64_t weights = 0;
        std::array<std::uint64_t, 3> sums{};
        for (int dy = -reach; dy <= reach; ++dy) {
          for (int dx = -reach; dx <= reach; ++dx) {
            if (is_hidden(x + dx, y + dy)) {
              continue;
            }
            const std::uint64_t weight = weight_of(distance(x, y, dx, dy));
            weights += weight;
            for (int c = 0; c < pixels.format.color_channels(); ++c) {
              sums[static_cast<std::size_t>(c)] += weight * static_cast<std::uint64_t>(sample(x + dx, y + dy, c));
            }
          }
        }
        for (int c = 0; c < pixels.format.color_channels(); ++c) {
          const std::uint64_t sum = sums[static_cast<std::size_t>(c)];
          test::set_sample(out.view(), x, y, c, static_cast<std::uint32_t>((sum + weights / 2) / weights));
        }
      }
    }
    return out;
  }
};

TEST(Denoise, MatchesTheOracle) {
  test::Random random;
  SCOPED_TRACE(random.trace());
  const auto backend = make_cpu_backend(2);
  for (const PixelFormat format : test::photographic_formats()) {
    for (int round = 0; round < test::rounds(8); ++round) {
      const int longest = round % 2 == 0 ? 6 : 24;
      Image image = test::any_image(random, random.between(1, longest), random.between(1, longest), format);
      if (random.below(2) == 0) {
        test::make_area_opaque(random, image.view());
      }
      DenoiseOptions options;
      options.count_transparent = random.below(4) == 0;
      options.patch = 2 * random.between(0, 3) + 1;
      options.search = 2 * random.between(0, 4) + 1;
      const float most = format.sample == Sample::u8 ? 60.0F : 15000.0F;
      if (round > 1) {
        options.strength = most * (static_cast<float>(random.below(1000)) + 1.0F) / 1000.0F;
      }
      const Image expected = Oracle{image.view(), options}.result();
      const Image actual = backend->download(backend->apply(backend->upload(image.view()), options));
      ASSERT_TRUE(test::same_pixels(actual.view(), expected.view()))
          << test::name_of(format) << " " << image.width() << "x" << image.height() << ", patch " << options.patch
          << ", search " << options.search << ", strength " << options.strength.value_or(0.0F);
    }
  }
}

/// Denoises an image that is larger than a tile in both directions, and parts of this image alone. The pixels must be
/// equal, except near the edges of a part, where they depend on pixels outside the part.
TEST(Denoise, TilesHaveNoSeams) {
  test::Random random;
  SCOPED_TRACE(random.trace());
  const auto backend = make_cpu_backend(2);
  DenoiseOptions options;
  options.patch = 5;
  options.search = 11;
  const int reach = halo_rows(options);
  for (const PixelFormat format : {PixelFormat{Sample::u8, 1}, PixelFormat{Sample::u16, 3}}) {
    const Image image = test::smooth_image(random, 1100, 90, format);
    const Image whole = backend->download(backend->apply(backend->upload(image.view()), options));
    for (const auto& [left, top] : {std::pair{100, 20}, std::pair{1005, 50}, std::pair{1015, 60}}) {
      Image part(30, 28, format);
      for (int y = 0; y < part.height(); ++y) {
        std::copy_n(image.view().row_bytes(top + y) + static_cast<std::size_t>(left) * format.bytes_per_pixel(),
                    part.pitch_bytes(), part.view().row_bytes(y));
      }
      const Image alone = backend->download(backend->apply(backend->upload(part.view()), options));
      for (int y = reach; y < part.height() - reach; ++y) {
        for (int x = reach; x < part.width() - reach; ++x) {
          for (int c = 0; c < format.channels; ++c) {
            ASSERT_EQ(test::sample_at(alone.view(), x, y, c), test::sample_at(whole.view(), left + x, top + y, c))
                << left + x << "," << top + y;
          }
        }
      }
    }
  }
}

TEST(Denoise, NearlyZeroStrengthChangesNothingAndHighStrengthAverages) {
  test::Random random;
  SCOPED_TRACE(random.trace());
  const auto backend = make_cpu_backend(2);
  for (const PixelFormat format : test::photographic_formats()) {
    const Image image = test::random_image(random, 41, 33, format);
    DenoiseOptions options;
    options.search = 5;
    options.strength = 0.0F;
    const Picture picture = backend->upload(image.view());
    EXPECT_TRUE(test::same_pixels(backend->download(backend->apply(picture, options)).view(), image.view()));
    // The square of the strength is 0, so only equal patches count.
    options.strength = std::numeric_limits<float>::min();
    EXPECT_NO_THROW((void)backend->apply(picture, options));
    options.strength = 1.0e20F;
    options.count_transparent = true;  // otherwise, alpha would weight the mean of a window
    WindowOptions mean;
    mean.size = 5;
    mean.count_transparent = true;
    EXPECT_TRUE(test::same_pixels(backend->download(backend->apply(picture, options)).view(),
                                  backend->download(backend->apply(picture, mean)).view()))
        << test::name_of(format);
  }
}

TEST(Denoise, ReportsItsProgress) {
  test::Random random;
  const auto backend = make_cpu_backend(2);
  const Image image = test::smooth_image(random, 1100, 200, {Sample::u8, 1});
  DenoiseOptions options;
  options.search = 3;
  const Picture picture = backend->upload(image.view());
  const Image expected = backend->download(backend->apply(picture, options));
  std::mutex mutex;
  std::set<double> parts;
  options.on_progress = [&](double part) {
    const std::lock_guard lock(mutex);
    EXPECT_TRUE(parts.insert(part).second) << part << " twice";
  };
  EXPECT_TRUE(test::same_pixels(backend->download(backend->apply(picture, options)).view(), expected.view()));
  EXPECT_EQ(parts.size(), 8U) << "tiles";
  EXPECT_EQ(*parts.begin(), 0.125);
  EXPECT_EQ(*parts.rbegin(), 1.0);
}

TEST(Denoise, RejectsInvalidArguments) {
  const auto backend = make_cpu_backend(1);
  const Picture gray = backend->upload(test::constant_image(5, 3, {Sample::u8, 1}, 7));
  const auto rejected = [&](int patch, int search, float strength) {
    DenoiseOptions options;
    options.patch = patch;
    options.search = search;
    options.strength = strength;
    EXPECT_THROW((void)backend->apply(gray, options), Error) << patch << " " << search << " " << strength;
  };
  rejected(0, 3, 1.0F);
  rejected(4, 3, 1.0F);
  rejected(103, 3, 1.0F);
  rejected(3, -1, 1.0F);
  rejected(3, 2, 1.0F);
  rejected(3, 2903, 1.0F);
  rejected(3, 3, -1.0F);
  rejected(3, 3, std::numeric_limits<float>::quiet_NaN());
  rejected(3, 3, std::numeric_limits<float>::infinity());
}

}  // namespace
}  // namespace gpuimg::test_denoise
