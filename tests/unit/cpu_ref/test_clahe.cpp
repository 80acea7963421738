// CLAHE compared with its oracle: every format and color mode, regions, masks, transparency, small images, and tables
// supplied for a part. tests/live/compare_clahe.py compares with OpenCV.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "gpuimg/backend.hpp"
#include "ops/clahe.hpp"
#include "support/oracle_clahe.hpp"
#include "support/test_images.hpp"

namespace gpuimg::test_clahe {
namespace {

TEST(Clahe, MatchesTheOracle) {
  constexpr EqualizeColor kModes[] = {EqualizeColor::luma, EqualizeColor::rgb, EqualizeColor::ycbcr,
                                      EqualizeColor::hsl};
  test::Random random;
  SCOPED_TRACE(random.trace());
  const auto backend = make_cpu_backend(2);
  for (const PixelFormat format : test::photographic_formats()) {
    for (const EqualizeColor color : kModes) {
      for (int round = 0; round < 6; ++round) {
        const int longest = round % 2 == 0 ? 9 : 70;
        const Image image = test::any_image(random, random.between(1, longest), random.between(1, longest), format);
        ClaheOptions options;
        options.color = color;
        options.luma = static_cast<Luma>(random.below(4));
        options.tiles_x = random.between(1, format.sample == Sample::u8 ? 12 : 3);
        options.tiles_y = random.between(1, format.sample == Sample::u8 ? 12 : 3);
        options.clip = random.below(4) == 0 ? 0.0 : random.below(400) / 10.0;
        options.full_bins = random.below(2) == 0;
        options.strength = random.below(2) == 0 ? 1.0 : random.below(1001) / 1000.0;
        options.selection.count_transparent = random.below(2) == 0;
        if (random.below(2) == 0) {
          const int x = random.between(0, image.width() - 1);
          const int y = random.between(0, image.height() - 1);
          options.selection.region =
              Rect{x, y, random.between(1, image.width() - x), random.between(1, image.height() - y)};
        }
        const bool is_masked = random.below(2) == 0;
        const Image mask = test::random_mask(random, image.width(), image.height());
        const Image expected = oracle::clahe(image.view(), options, is_masked ? &mask : nullptr);
        const Picture mask_picture = backend->upload(mask.view());
        options.selection.mask = is_masked ? &mask_picture : nullptr;
        const Image actual = backend->download(backend->apply(backend->upload(image.view()), options));
        ASSERT_TRUE(test::same_pixels(actual.view(), expected.view()))
            << test::name_of(format) << ", mode " << static_cast<int>(color) << ", " << image.width() << "x"
            << image.height() << " in " << options.tiles_x << "x" << options.tiles_y << ", clip " << options.clip;
      }
    }
  }
}

/// Compares 16-bit tables for more tiles than the CPU keeps in memory with tables that the test makes tile by tile and
/// supplies as an option.
TEST(Clahe, SixteenBitTilesInBandsMatchSuppliedTables) {
  test::Random random;
  SCOPED_TRACE(random.trace());
  const auto backend = make_cpu_backend(2);
  const Image image = test::any_image(random, random.between(100, 200), random.between(60, 200), {Sample::u16, 1});
  ClaheOptions options;
  options.tiles_x = 64;
  options.tiles_y = random.between(12, 18);  // eight rows of tiles fit in memory
  options.clip = random.below(40);
  options.full_bins = random.below(2) == 0;
  ClaheTables tables{tile_grid(image.width(), image.height(), options.tiles_x, options.tiles_y), 0, {}};
  tables.maps.resize(tables.grid.tiles() * 65536);
  std::vector<std::uint64_t> counts(65536);
  for (std::size_t tile = 0; tile < tables.grid.tiles(); ++tile) {
    std::fill(counts.begin(), counts.end(), 0U);
    for (const Rect& part : sources_of_tile(tables.grid, tile)) {
      for (int y = part.y; y < part.y + part.height; ++y) {
        for (int x = part.x; x < part.x + part.width; ++x) {
          ++counts[image.view().row<std::uint16_t>(y)[x]];
        }
      }
    }
    clahe_map(counts.data(), 65536, options, tables.maps.data() + tile * 65536);
  }
  const Picture picture = backend->upload(image.view());
  const Image found = backend->download(backend->apply(picture, options));
  options.tables = &tables;
  const Image expected = backend->download(backend->apply(picture, options));
  EXPECT_TRUE(test::same_pixels(found.view(), expected.view()));
}

/// Tiles of more than 65536 pixels, whose counts the CPU computes in parts.
TEST(Clahe, LargeSixteenBitTilesMatchTheOracle) {
  test::Random random;
  SCOPED_TRACE(random.trace());
  const auto backend = make_cpu_backend(2);
  for (const int channels : {1, 2}) {
    const Image image = test::any_image(random, 701, 403, {Sample::u16, channels});
    ClaheOptions options;
    options.tiles_x = random.between(1, 2);
    options.tiles_y = 1;
    options.clip = random.below(90);
    options.full_bins = channels == 2;
    const Image expected = oracle::clahe(image.view(), options);
    const Image found = backend->download(backend->apply(backend->upload(image.view()), options));
    ASSERT_TRUE(test::same_pixels(found.view(), expected.view())) << "clip " << options.clip;
  }
}

/// One half of the pixels is black, the other half white. Tests the clipped counts of 256 bins. The table interpolates
/// between centers and is constant beyond the outermost ones.
TEST(Clahe, ClipsAndInterpolatesSixteenBitBins) {
  std::vector<std::uint64_t> counts(65536);
  counts[0] = counts[65535] = 512;
  std::vector<std::uint16_t> map(65536);
  ClaheOptions options;
  options.clip = 0.0;
  clahe_map(counts.data(), 65536, options, map.data());
  EXPECT_EQ(map[0], 32768);
  EXPECT_EQ(map[65279], 49088);  // 127.5 levels after the center of bin 254: 32768 + 32767 · 255/512
  EXPECT_EQ(map[65535 - 127], 65535);
  EXPECT_EQ(map[65535], 65535);
  options.clip = 2.0;  // limit 8 per bin; the clipped 1008 counts give 3 to each bin, and one more to 240 bins
  clahe_map(counts.data(), 65536, options, map.data());
  EXPECT_EQ(map[0], 768);     // 12 of 1024
  EXPECT_EQ(map[383], 1024);  // 16 of 1024 at the center 383.5; level 383 is half a level before it
  options.full_bins = true;
  clahe_map(counts.data(), 65536, options, map.data());
  EXPECT_EQ(map[0], 128);  // 1 of the limit and 1 of the clipped counts
}

TEST(Clahe, RoundsLikeRint) {
  test::Random random;
  SCOPED_TRACE(random.trace());
  for (int i = 0; i < 131072; ++i) {
    const float half = static_cast<float>(i) * 0.5F;
    for (const float x : {half, std::nextafter(half, 0.0F), std::nextafter(half, 1e9F)}) {
      ASSERT_EQ(rounded_to_even(x), std::nearbyint(x)) << x;
    }
  }
}

TEST(Clahe, RejectsInvalidArguments) {
  const auto backend = make_cpu_backend(1);
  const Picture gray = backend->upload(test::constant_image(3, 3, {Sample::u8, 1}, 7));
  const auto rejected = [&](const auto& change) {
    ClaheOptions options;
    change(options);
    EXPECT_THROW((void)backend->apply(gray, options), Error);
  };
  rejected([](ClaheOptions& options) { options.tiles_x = 0; });
  rejected([](ClaheOptions& options) { options.tiles_y = 65; });
  rejected([](ClaheOptions& options) { options.clip = INFINITY; });
  rejected([](ClaheOptions& options) { options.strength = 1.5; });
  rejected([](ClaheOptions& options) { options.color = EqualizeColor::joint; });
  const ClaheTables other{tile_grid(3, 4, 8, 8), 2, std::vector<std::uint16_t>(64 * 256)};
  rejected([&](ClaheOptions& options) { options.tables = &other; });
}

}  // namespace
}  // namespace gpuimg::test_clahe
