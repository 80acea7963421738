// CLAHE against an oracle in plain loops: every format and color mode, regions, masks, transparency, small images and
// tables given for a part. tests/live/compare_clahe.py compares with OpenCV.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "gpuimg/backend.hpp"
#include "support/oracle_of_options.hpp"
#include "support/test_images.hpp"

namespace gpuimg {
namespace {

using oracle::Pixel;

int reflected(int at, int size) {
  while (at >= size) {
    at = size == 1 ? 0 : std::abs(2 * (size - 1) - at);
  }
  return at;
}

/// The table of one tile, as docs/operations.md has it.
oracle::Table tile_table(std::vector<std::uint64_t> counts, double clip) {
  const std::uint64_t levels = counts.size();
  std::uint64_t counted = 0;
  for (const std::uint64_t count : counts) {
    counted += count;
  }
  oracle::Table table(levels);
  std::uint64_t cut = 0;
  if (clip > 0) {
    const auto limit = std::max<std::uint64_t>(
        1, static_cast<std::uint64_t>(clip * static_cast<double>(counted) / static_cast<double>(levels)));
    for (std::uint64_t& count : counts) {
      cut += count - std::min(count, limit);
      count = std::min(count, limit);
    }
  }
  const std::uint64_t rest = cut % levels;
  for (std::uint64_t k = 0; k < rest; ++k) {
    ++counts[k * (levels / rest)];
  }
  std::uint64_t sum = 0;
  for (std::uint64_t v = 0; v < levels; ++v) {
    sum += counts[v] + cut / levels;
    const float scale = static_cast<float>(levels - 1) / static_cast<float>(counted);
    const float level = std::nearbyint(static_cast<float>(sum) * scale);
    table[v] = static_cast<std::uint16_t>(
        counted == 0 ? v : static_cast<std::uint64_t>(std::min(level, static_cast<float>(levels - 1))));
  }
  return table;
}

struct Oracle {
  ConstView pixels;
  ClaheOptions options;
  const Image* mask;
  int tile_width = 0;
  int tile_height = 0;

  [[nodiscard]] bool counts(int x, int y) const {
    const Rect r = options.selection.region.value_or(Rect{0, 0, pixels.width, pixels.height});
    const bool inside = x >= r.x && x < r.x + r.width && y >= r.y && y < r.y + r.height;
    const bool shows = mask == nullptr || mask->view().row<std::uint8_t>(y)[x] != 0;
    return inside && shows &&
           (options.selection.count_transparent || !pixels.format.has_alpha() || oracle::pixel_at(pixels, x, y).a != 0);
  }

  [[nodiscard]] std::vector<oracle::Table> tables(const oracle::LevelFunction& level) const {
    std::vector<oracle::Table> all;
    for (int j = 0; j < options.tiles_y; ++j) {
      for (int i = 0; i < options.tiles_x; ++i) {
        std::vector<std::uint64_t> histogram(pixels.format.max_value() + std::size_t{1});
        for (int y = j * tile_height; y < (j + 1) * tile_height; ++y) {
          for (int x = i * tile_width; x < (i + 1) * tile_width; ++x) {
            const int from_x = reflected(x, pixels.width);
            const int from_y = reflected(y, pixels.height);
            if (counts(from_x, from_y)) {
              ++histogram[level(oracle::pixel_at(pixels, from_x, from_y))];
            }
          }
        }
        all.push_back(tile_table(std::move(histogram), options.clip));
      }
    }
    return all;
  }

  [[nodiscard]] std::uint16_t level_at(int x, int y, std::uint32_t level, const std::vector<oracle::Table>& all) const {
    const float xf = static_cast<float>(x) * (1.0F / static_cast<float>(tile_width)) - 0.5F;
    const float yf = static_cast<float>(y) * (1.0F / static_cast<float>(tile_height)) - 0.5F;
    const float xa = xf - std::floor(xf);
    const float ya = yf - std::floor(yf);
    const auto entry = [&](int right, int below) {
      const int i = std::clamp(static_cast<int>(std::floor(xf)) + right, 0, options.tiles_x - 1);
      const int j = std::clamp(static_cast<int>(std::floor(yf)) + below, 0, options.tiles_y - 1);
      return static_cast<float>(all[static_cast<std::size_t>(j * options.tiles_x + i)][level]);
    };
    const float upper = entry(0, 0) * (1.0F - xa) + entry(1, 0) * xa;
    const float lower = entry(0, 1) * (1.0F - xa) + entry(1, 1) * xa;
    const float mapped = std::nearbyint(upper * (1.0F - ya) + lower * ya);
    return static_cast<std::uint16_t>(std::min(mapped, static_cast<float>(pixels.format.max_value())));
  }

  Image result() {
    const bool divides = pixels.width % options.tiles_x == 0 && pixels.height % options.tiles_y == 0;
    tile_width = pixels.width / options.tiles_x + (divides ? 0 : 1);
    tile_height = pixels.height / options.tiles_y + (divides ? 0 : 1);
    const oracle::ColorMode mode = oracle::mode_of(options.color, options.luma, pixels.format);
    std::vector<std::vector<oracle::Table>> all;
    for (const auto& level : mode.levels) {
      all.push_back(tables(level));
    }
    oracle::Tables here(all.size(), oracle::Table(pixels.format.max_value() + std::size_t{1}));
    Image out = copy_of(pixels);
    for (int y = 0; y < pixels.height; ++y) {
      for (int x = 0; x < pixels.width; ++x) {
        if (mask != nullptr && mask->view().row<std::uint8_t>(y)[x] == 0) {
          continue;
        }
        const Pixel from = oracle::pixel_at(pixels, x, y);
        for (std::size_t p = 0; p < all.size(); ++p) {
          const std::uint32_t level = mode.levels[p](from);
          here[p][level] = level_at(x, y, level, all[p]);
        }
        const Pixel to = mode.map(from, here);
        const auto mixed = [&](std::uint32_t a, std::uint32_t b) {
          const double step = options.strength * (static_cast<double>(b) - static_cast<double>(a));
          return static_cast<std::uint32_t>(std::floor(static_cast<double>(a) + step + 0.5));
        };
        test::set_sample(out.view(), x, y, 0, mixed(from.r, to.r));
        if (pixels.format.color_channels() == 3) {
          test::set_sample(out.view(), x, y, 1, mixed(from.g, to.g));
          test::set_sample(out.view(), x, y, 2, mixed(from.b, to.b));
        }
      }
    }
    return out;
  }
};

TEST(Clahe, EqualToTheOracle) {
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
        const Image expected = Oracle{image.view(), options, is_masked ? &mask : nullptr}.result();
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

/// 16-bit tables of more tiles than the CPU keeps at once, against tables made tile by tile and given.
TEST(Clahe, ManyTilesOfSixteenBitsInBands) {
  test::Random random;
  SCOPED_TRACE(random.trace());
  const auto backend = make_cpu_backend(2);
  const Image image = test::any_image(random, random.between(100, 200), random.between(60, 200), {Sample::u16, 1});
  ClaheOptions options;
  options.tiles_x = 64;
  options.tiles_y = random.between(12, 18);  // eight rows of tiles fit
  options.clip = random.below(40);
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
    clahe_map(counts.data(), 65536, options.clip, tables.maps.data() + tile * 65536);
  }
  const Picture picture = backend->upload(image.view());
  const Image found = backend->download(backend->apply(picture, options));
  options.tables = &tables;
  const Image expected = backend->download(backend->apply(picture, options));
  EXPECT_TRUE(test::same_pixels(found.view(), expected.view()));
}

/// Tiles of more than 65536 pixels, whose tables the CPU joins.
TEST(Clahe, LargeTilesOfSixteenBits) {
  test::Random random;
  SCOPED_TRACE(random.trace());
  const auto backend = make_cpu_backend(2);
  for (const int channels : {1, 2}) {
    const Image image = test::any_image(random, 701, 403, {Sample::u16, channels});
    ClaheOptions options;
    options.tiles_x = random.between(1, 2);
    options.tiles_y = 1;
    options.clip = random.below(90);
    const Image expected = Oracle{image.view(), options, nullptr}.result();
    const Image found = backend->download(backend->apply(backend->upload(image.view()), options));
    ASSERT_TRUE(test::same_pixels(found.view(), expected.view())) << "clip " << options.clip;
  }
}

TEST(Clahe, RoundsAsRint) {
  test::Random random;
  SCOPED_TRACE(random.trace());
  for (int i = 0; i < 131072; ++i) {
    const float half = static_cast<float>(i) * 0.5F;
    for (const float x : {half, std::nextafter(half, 0.0F), std::nextafter(half, 1e9F)}) {
      ASSERT_EQ(rounded_to_even(x), std::nearbyint(x)) << x;
    }
  }
}

TEST(Clahe, RefusesWhatDoesNotFit) {
  const auto backend = make_cpu_backend(1);
  const Picture gray = backend->upload(test::constant_image(3, 3, {Sample::u8, 1}, 7));
  const auto refused = [&](const auto& change) {
    ClaheOptions options;
    change(options);
    EXPECT_THROW((void)backend->apply(gray, options), Error);
  };
  refused([](ClaheOptions& options) { options.tiles_x = 0; });
  refused([](ClaheOptions& options) { options.tiles_y = 65; });
  refused([](ClaheOptions& options) { options.clip = INFINITY; });
  refused([](ClaheOptions& options) { options.strength = 1.5; });
  refused([](ClaheOptions& options) { options.color = EqualizeColor::joint; });
  const ClaheTables other{tile_grid(3, 4, 8, 8), 2, std::vector<std::uint16_t>(64 * 256)};
  refused([&](ClaheOptions& options) { options.tables = &other; });
}

}  // namespace
}  // namespace gpuimg
