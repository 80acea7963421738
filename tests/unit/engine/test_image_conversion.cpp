// Flattening and changes of depth, compared with plain fractions for all 8-bit values, and the color notations of
// options.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "engine/image_conversion.hpp"
#include "gpuimg/error.hpp"
#include "support/test_images.hpp"

namespace gpuimg::test_image_conversion {
namespace {

using namespace test;

constexpr RgbColor kWhite{{255, 255, 255}};
constexpr RgbColor kOrange{{255, 165, 0}};

/// (c·a + C·(V − a)) / V rounded half up: a half is added to the fraction, with the common denominator 2V.
std::uint32_t flattened(std::uint64_t color, std::uint64_t alpha, std::uint64_t background, std::uint64_t most) {
  const std::uint64_t sum = color * alpha + background * (most - alpha);
  return static_cast<std::uint32_t>((2 * sum + most) / (2 * most));
}

/// Converts a level from the maximum `from` to the maximum `to`, rounded to nearest. Ties cannot occur.
std::uint32_t nearest_level(std::uint32_t level, std::uint32_t from, std::uint32_t to) {
  return static_cast<std::uint32_t>((std::uint64_t{2} * level * to + from) / (std::uint64_t{2} * from));
}

std::uint32_t deep(std::uint32_t level) { return level << 8 | level; }

TEST(ImageConversion, FlattensAllLevelsOf8Bits) {
  const Image all = image_of_pixels(256, 256, {Sample::u8, 2}, [](std::size_t i) {
    return std::vector<std::uint32_t>{static_cast<std::uint32_t>(i / 256), static_cast<std::uint32_t>(i % 256)};
  });
  for (int level = 0; level < 256; ++level) {
    const auto background = static_cast<std::uint8_t>(level);
    const Image flat = convert(all.clone(), {.background = RgbColor{{background, background, background}}});
    ASSERT_EQ(flat.format(), (PixelFormat{Sample::u8, 1}));
    for (int color = 0; color < 256; ++color) {
      for (int alpha = 0; alpha < 256; ++alpha) {
        ASSERT_EQ(flat.view().row<std::uint8_t>(color)[alpha],
                  flattened(static_cast<std::uint64_t>(color), static_cast<std::uint64_t>(alpha), background, 255))
            << color << " with alpha " << alpha << " on " << level;
      }
    }
  }
}

TEST(ImageConversion, FlattensEveryFormat) {
  Random random;
  SCOPED_TRACE(random.trace());
  for (const PixelFormat format : photographic_formats()) {
    for (const RgbColor& background : {kWhite, kOrange}) {
      const Image image = random_image(random, 61, 83, format);
      const Image flat = convert(image.clone(), {.background = background});
      if (!format.has_alpha()) {
        EXPECT_TRUE(same_pixels(flat.view(), image.view()));
        continue;
      }
      const bool stays_gray = format.channels == 2 && background == kWhite;
      ASSERT_EQ(flat.format(), (PixelFormat{format.sample, stays_gray ? 1 : 3})) << name_of(format);
      for (int y = 0; y < image.height(); ++y) {
        for (int x = 0; x < image.width(); ++x) {
          const std::uint32_t alpha = sample_at(image.view(), x, y, format.channels - 1);
          for (int c = 0; c < flat.format().channels; ++c) {
            const std::uint32_t behind = background.channels[static_cast<std::size_t>(c)];
            const std::uint32_t color = sample_at(image.view(), x, y, format.channels == 2 ? 0 : c);
            ASSERT_EQ(sample_at(flat.view(), x, y, c),
                      flattened(color, alpha, format.sample == Sample::u8 ? behind : deep(behind), format.max_value()))
                << name_of(format) << " at " << x << "," << y;
          }
        }
      }
    }
  }
}

TEST(ImageConversion, FlattensExtremesOf16BitsExactly) {
  for (const std::uint32_t alpha : {0U, 1U, 32767U, 32768U, 65534U, 65535U}) {
    const Image image = image_of_pixels(65536, 1, {Sample::u16, 2}, [&](std::size_t i) {
      return std::vector<std::uint32_t>{static_cast<std::uint32_t>(i), alpha};
    });
    const Image flat = convert(image.clone(), {.background = kWhite});
    for (std::uint32_t level = 0; level < 65536; ++level) {
      const std::uint32_t result = sample_at(flat.view(), static_cast<int>(level), 0, 0);
      ASSERT_EQ(result, flattened(level, alpha, 65535, 65535)) << level << " with alpha " << alpha;
      ASSERT_TRUE(alpha != 0 || result == 65535) << "transparent is the background";
      ASSERT_TRUE(alpha != 65535 || result == level) << "opaque is the color";
    }
  }
}

TEST(ImageConversion, DepthChangesRoundEveryLevelToTheNearest) {
  const Image deep_levels = image_of_pixels(65536, 1, {Sample::u16, 1}, [](std::size_t i) {
    return std::vector<std::uint32_t>{static_cast<std::uint32_t>(i)};
  });
  const Image narrow = convert(deep_levels.clone(), {.depth = Sample::u8});
  ASSERT_EQ(narrow.format(), (PixelFormat{Sample::u8, 1}));
  for (std::uint32_t level = 0; level < 65536; ++level) {
    ASSERT_EQ(sample_at(narrow.view(), static_cast<int>(level), 0, 0), nearest_level(level, 65535, 255)) << level;
  }
  const Image levels = image_of_pixels(
      256, 1, {Sample::u8, 1}, [](std::size_t i) { return std::vector<std::uint32_t>{static_cast<std::uint32_t>(i)}; });
  const Image wide = convert(levels.clone(), {.depth = Sample::u16});
  ASSERT_EQ(wide.format(), (PixelFormat{Sample::u16, 1}));
  for (std::uint32_t level = 0; level < 256; ++level) {
    ASSERT_EQ(sample_at(wide.view(), static_cast<int>(level), 0, 0), nearest_level(level, 255, 65535)) << level;
  }
  EXPECT_TRUE(same_pixels(convert(wide.clone(), {.depth = Sample::u8}).view(), levels.view()));
}

TEST(ImageConversion, DepthChangesConvertEverySample) {
  Random random;
  SCOPED_TRACE(random.trace());
  for (const PixelFormat format : photographic_formats()) {
    const Sample other = format.sample == Sample::u8 ? Sample::u16 : Sample::u8;
    const Image image = random_image(random, 37, 11, format);
    EXPECT_TRUE(same_pixels(convert(image.clone(), {.depth = format.sample}).view(), image.view()));
    const Image result = convert(image.clone(), {.depth = other});
    ASSERT_EQ(result.format(), (PixelFormat{other, format.channels}));
    for (int y = 0; y < image.height(); ++y) {
      for (int x = 0; x < image.width(); ++x) {
        for (int c = 0; c < format.channels; ++c) {
          ASSERT_EQ(sample_at(result.view(), x, y, c),
                    nearest_level(sample_at(image.view(), x, y, c), format.max_value(), result.format().max_value()));
        }
      }
    }
  }
}

/// The other order would give 163.
TEST(ImageConversion, FlattensBeforeTheDepthChanges) {
  const Image image = image_of_pixels(1, 1, {Sample::u16, 2}, [](std::size_t) {
    return std::vector<std::uint32_t>{0x1382, 0x62FC};
  });
  const Image result = convert(image.clone(), {.background = kWhite, .depth = Sample::u8});
  EXPECT_EQ(result.format(), (PixelFormat{Sample::u8, 1}));
  EXPECT_EQ(sample_at(result.view(), 0, 0, 0), 164U);
}

TEST(ImageConversion, PredictsTheFormatOfItsResult) {
  for (const PixelFormat format : photographic_formats()) {
    for (const ImageConversion& conversion :
         {ImageConversion{}, ImageConversion{.background = kWhite}, ImageConversion{.background = kOrange},
          ImageConversion{.depth = Sample::u8}, ImageConversion{.background = kOrange, .depth = Sample::u16}}) {
      const Image result = convert(constant_image(3, 2, format, 7), conversion);
      EXPECT_EQ(converted_format(format, conversion), result.format()) << name_of(format);
      if (result.format() != format) {
        EXPECT_LE(result.format().bytes_per_pixel(), converted_bytes(format.bytes_per_pixel(), conversion));
      }
    }
  }
  EXPECT_EQ(converted_bytes(4, {}), 0U);
  EXPECT_EQ(converted_bytes(3, {.depth = Sample::u16}), 6U);
  EXPECT_EQ(converted_bytes(2, {.background = kOrange}), 3U) << "gray with alpha";
}

TEST(RgbColor, IsReadInEveryNotation) {
  const std::vector<std::pair<std::string, RgbColor>> colors = {
      {"white", kWhite},
      {"Black", {}},
      {"orange", kOrange},
      {"green", {{0, 128, 0}}},
      {"fff", kWhite},
      {"#fff", kWhite},
      {"#FFA500", kOrange},
      {"ffa500", kOrange},
      {"255,165,0", kOrange},
      {"0,0,0", {}},
      {"#1a2", {{0x11, 0xAA, 0x22}}},
  };
  for (const auto& [text, color] : colors) {
    EXPECT_EQ(parse_color("--background", text), color) << text;
  }
}

TEST(RgbColor, RejectsInvalidText) {
  for (const std::string text :
       {"",        "#",      "whit",   "12",     "ff",   "fffff", "fffffff",  "##fff", "1,2",    "1,2,3,4",
        "1,2,256", "1, 2,3", "-1,2,3", "+1,2,3", "1,,3", ",,",    "0xffffff", "ggg",   "#1,2,3", "white "}) {
    try {
      (void)parse_color("--background", text);
      ADD_FAILURE() << "took '" << text << "'";
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::usage);
      EXPECT_TRUE(std::string(error.what()).starts_with("--background: '" + text + "' is not a color")) << error.what();
    }
  }
}

}  // namespace
}  // namespace gpuimg::test_image_conversion
