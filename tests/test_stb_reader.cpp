// BMP, TGA, GIF, PSD and PNM in: known pixels, every prefix refused, and broken headers never reaching stb_image.
#include <gtest/gtest.h>

#include <array>

#include "support/small_formats.hpp"
#include "support/test_images.hpp"

namespace gpuimg {
namespace {

using namespace test;

using Values = std::vector<std::uint32_t>;

Values random_values(Random& random, std::size_t count, std::uint32_t bound) {
  Values values(count);
  for (std::uint32_t& value : values) {
    value = random.below(bound);
  }
  return values;
}

constexpr PixelFormat kRgb{Sample::u8, 3};
constexpr PixelFormat kRgba{Sample::u8, 4};

void expect_pixels(const FileBytes& file, const Image& expected, const std::string& type, const std::string& name) {
  const DecodedImage decoded = decode(file, name);
  EXPECT_EQ(decoded.file_type, type);
  EXPECT_TRUE(same_pixels(decoded.image.view(), expected.view()));
}

TEST(BmpReader, ReadsPalettes) {
  Random random;
  SCOPED_TRACE(random.trace());
  for (const int bits : {1, 4, 8}) {
    for (const int header_bytes : {12, 40, 108, 124}) {
      for (int round = 0; round < 8; ++round) {
        const int width = random.between(1, 20);
        const int height = random.between(1, 9);
        const std::uint32_t colors = round % 2 == 0 ? 1U << bits : random.below((1U << bits) - 1) + 1;
        BmpChoices choices;
        choices.header_bytes = header_bytes;
        choices.palette = random_values(random, colors, 1U << 24);
        choices.top_down = header_bytes != 12 && random.below(2) == 1;
        choices.colors_used = random.below(2) * colors;
        const Values values = random_values(random, static_cast<std::size_t>(width * height), colors);
        expect_pixels(
            make_bmp(width, height, bits, values, choices),
            image_of_pixels(width, height, kRgb, [&](std::size_t i) { return rgb_of(choices.palette[values[i]]); }),
            "BMP", "palette.bmp");
        if (colors < 1U << bits) {
          Values beyond = values;
          beyond.back() = colors;
          EXPECT_TRUE(refuses(make_bmp(width, height, bits, beyond, choices), ErrorKind::decode, "palette of"));
        }
      }
    }
  }
}

TEST(BmpReader, ReadsDirectColor) {
  Random random;
  SCOPED_TRACE(random.trace());
  for (const int header_bytes : {12, 40, 56, 108, 124}) {
    for (const std::uint32_t gap : {0U, 7U}) {
      const int width = random.between(1, 9);
      const int height = random.between(1, 9);
      BmpChoices choices;
      choices.header_bytes = header_bytes;
      choices.gap = gap;
      const Values values = random_values(random, static_cast<std::size_t>(width * height), 1U << 24);
      expect_pixels(make_bmp(width, height, 24, values, choices),
                    image_of_pixels(width, height, kRgb, [&](std::size_t i) { return rgb_of(values[i]); }), "BMP",
                    "c.bmp");
    }
  }
  const Values five = random_values(random, 35, 1U << 15);
  const auto widened = [](std::uint32_t v) { return (v << 3) | (v >> 2); };
  expect_pixels(
      make_bmp(7, 5, 16, five),
      image_of_pixels(7, 5, kRgb,
                      [&](std::size_t i) {
                        return Values{widened(five[i] >> 10), widened((five[i] >> 5) & 31U), widened(five[i] & 31U)};
                      }),
      "BMP", "16.bmp");
}

TEST(BmpReader, KeepsAlphaOnlyIfItIsDeclaredOrUsed) {
  Random random;
  SCOPED_TRACE(random.trace());
  Values values = random_values(random, 12, 1U << 24);
  const Image rgb = image_of_pixels(4, 3, kRgb, [&](std::size_t i) { return rgb_of(values[i]); });
  expect_pixels(make_bmp(4, 3, 32, values), rgb, "BMP", "zero.bmp");
  BmpChoices declared;
  declared.header_bytes = 108;
  declared.compression = 3;
  declared.masks = {0xFF0000, 0xFF00, 0xFF, 0xFF000000};
  const auto rgba = [&] { return image_of_pixels(4, 3, kRgba, [&](std::size_t i) { return argb_of(values[i]); }); };
  expect_pixels(make_bmp(4, 3, 32, values, declared), rgba(), "BMP", "declared.bmp");
  for (std::uint32_t& value : values) {
    value |= 0xFF000000U;
  }
  expect_pixels(make_bmp(4, 3, 32, values), rgb, "BMP", "opaque.bmp");
  expect_pixels(make_bmp(4, 3, 32, values, declared), rgba(), "BMP", "declared.bmp");
  values[5] = 0x80123456;
  expect_pixels(make_bmp(4, 3, 32, values), rgba(), "BMP", "used.bmp");
}

TEST(BmpReader, ReadsMasksWhereverTheyStand) {
  Random random;
  SCOPED_TRACE(random.trace());
  const Values values = random_values(random, 12, 0xFFFFFFFF);
  for (const int header_bytes : {40, 52, 56, 108, 124}) {
    BmpChoices choices;
    choices.header_bytes = header_bytes;
    choices.compression = 3;
    choices.masks = {0xFF, 0xFF00, 0xFF0000};  // red first: not the usual order
    expect_pixels(make_bmp(4, 3, 32, values, choices),
                  image_of_pixels(4, 3, kRgb,
                                  [&](std::size_t i) {
                                    return Values{values[i] & 255U, (values[i] >> 8) & 255U, (values[i] >> 16) & 255U};
                                  }),
                  "BMP", "masks.bmp");
    choices.masks = {0x3FF, 0xFFC00, 0x3FF00000};
    EXPECT_TRUE(refuses(make_bmp(4, 3, 32, values, choices), ErrorKind::unsupported, "8 bits a channel"));
    choices.masks = {0xFF, 0, 0xFF0000};
    EXPECT_TRUE(refuses(make_bmp(4, 3, 32, values, choices), ErrorKind::decode, "no bits"));
  }
}

TEST(BmpReader, NamesWhatItDoesNotRead) {
  BmpChoices choices;
  choices.palette = Values(256, 5);
  for (const std::uint32_t compression : {1U, 2U, 4U, 5U, 9U}) {
    choices.compression = compression;
    EXPECT_TRUE(refuses(make_bmp(2, 2, 8, Values(4, 0), choices), ErrorKind::unsupported, "BMP"));
  }
  choices.compression = 0;
  EXPECT_TRUE(refuses(make_bmp(2, 2, 64, Values(4, 0), {}), ErrorKind::unsupported, "64 bits"));
  EXPECT_TRUE(refuses(make_bmp(0, 2, 24, {}, {}), ErrorKind::decode, "0x2"));
  EXPECT_TRUE(refuses(make_bmp(-5, 2, 24, {}, {}), ErrorKind::decode, "negative"));
  FileBytes huge = make_bmp(1, 1, 24, {0});
  huge[20] = huge[24] = std::byte{1};  // 65537 × 65537
  EXPECT_TRUE(refuses(huge, ErrorKind::unsupported, "65537x65537"));
}

TEST(TgaReader, ReadsAllSixKinds) {
  Random random;
  SCOPED_TRACE(random.trace());
  for (int round = 0; round < 40; ++round) {
    const int width = random.between(1, 20);
    const int height = random.between(1, 9);
    const auto count = static_cast<std::size_t>(width * height);
    TgaChoices choices;
    choices.run_length = random.below(2) == 1;
    choices.top_down = random.below(2) == 1;
    choices.right_to_left = random.below(2) == 1;
    choices.id = std::string(random.below(5), 'i');
    const Values gray = random_values(random, count, 3);
    expect_pixels(make_tga(3, width, height, 8, gray, choices),
                  image_of_pixels(width, height, {Sample::u8, 1}, [&](std::size_t i) { return Values{gray[i]}; }),
                  "TGA", "gray.TGA");
    const Values color = random_values(random, count, 1U << 24);
    expect_pixels(make_tga(2, width, height, 24, color, choices),
                  image_of_pixels(width, height, kRgb, [&](std::size_t i) { return rgb_of(color[i]); }), "TGA",
                  "c.tga");
    choices.map = random_values(random, 5, 1U << 24);
    choices.map_start = random.between(0, 9);
    const Values colors = random_values(random, count, 5);
    Values indices;
    for (const std::uint32_t i : colors) {
      indices.push_back(i + static_cast<std::uint32_t>(choices.map_start));
    }
    expect_pixels(make_tga(1, width, height, 8, indices, choices),
                  image_of_pixels(width, height, kRgb, [&](std::size_t i) { return rgb_of(choices.map[colors[i]]); }),
                  "TGA", "map.tga");
    indices.back() += 5;
    EXPECT_TRUE(refuses(make_tga(1, width, height, 8, indices, choices), ErrorKind::decode, "color map", "map.tga"));
  }
}

TEST(TgaReader, KeepsAlphaOnlyIfItIsDeclaredOrUsed) {
  Random random;
  SCOPED_TRACE(random.trace());
  Values values = random_values(random, 12, 1U << 24);
  const auto rgba = [&] { return image_of_pixels(4, 3, kRgba, [&](std::size_t i) { return argb_of(values[i]); }); };
  TgaChoices declared;
  declared.alpha_bits = 8;
  expect_pixels(make_tga(2, 4, 3, 32, values, declared), rgba(), "TGA", "a.tga");
  expect_pixels(make_tga(2, 4, 3, 32, values),
                image_of_pixels(4, 3, kRgb, [&](std::size_t i) { return rgb_of(values[i]); }), "TGA", "a.tga");
  values[3] |= 0x40000000U;
  expect_pixels(make_tga(2, 4, 3, 32, values), rgba(), "TGA", "a.tga");
}

TEST(TgaReader, BelievesTheNameOrTheFooter) {
  FileBytes file = make_tga(2, 2, 2, 24, Values(4, 0x102030));
  EXPECT_TRUE(refuses(file, ErrorKind::decode, "known kind", "picture"));
  EXPECT_NO_THROW(decode(file, "picture.tga"));
  file.resize(file.size() + 8);
  add_text(file, "TRUEVISION-XFILE.");
  add_le(file, 0, 1);
  EXPECT_NO_THROW(decode(file, "picture"));
  EXPECT_TRUE(refuses(bytes_of("Just some words, long enough.\n"), ErrorKind::decode, "text", "words.tga"));
}

TEST(TgaReader, RefusesRunsBeyondTheEnd) {
  TgaChoices choices;
  choices.run_length = true;
  FileBytes file = make_tga(3, 3, 1, 8, Values(3, 9), choices);
  file[18] = std::byte{0x83};
  EXPECT_TRUE(refuses(file, ErrorKind::decode, "run", "run.tga"));
}

const Values kFour = {0x112233, 0x445566, 0x778899, 0xAABBCC};

TEST(GifReader, ReadsTheFirstFrame) {
  Random random;
  SCOPED_TRACE(random.trace());
  for (int round = 0; round < 40; ++round) {
    GifFrame frame;
    frame.width = random.between(1, 90);
    frame.height = random.between(1, 90);
    frame.packed = random.below(2) == 1;
    const std::uint32_t colors = 2U << random.below(8);
    const Values table = random_values(random, colors, 1U << 24);
    frame.indices = random_values(random, static_cast<std::size_t>(frame.width * frame.height), colors);
    if (random.below(2) == 1) {
      frame.own_colors = random_values(random, colors, 1U << 24);
    }
    const Values& used = frame.own_colors.empty() ? table : frame.own_colors;
    const Image opaque =
        image_of_pixels(frame.width, frame.height, kRgb, [&](std::size_t i) { return rgb_of(used[frame.indices[i]]); });
    expect_pixels(make_gif(frame.width, frame.height, table, {frame}), opaque, "GIF", "one.gif");
    frame.transparent = static_cast<int>(frame.indices[0]);
    const Image rgba = image_of_pixels(frame.width, frame.height, kRgba, [&](std::size_t i) {
      Values pixel = rgb_of(used[frame.indices[i]]);
      pixel.push_back(255);
      return frame.indices[i] == frame.indices[0] ? Values{0, 0, 0, 0} : pixel;
    });
    expect_pixels(make_gif(frame.width, frame.height, table, {frame}), rgba, "GIF", "two.gif");
  }
}

TEST(GifReader, LeavesUncoveredPixelsTransparentAndNotesAnimation) {
  GifFrame frame;
  frame.x = 1;
  frame.y = 1;
  frame.indices = {2};
  const DecodedImage decoded = decode(make_gif(3, 2, kFour, {frame, frame}, 1), "a.gif");
  const Image expected = image_of_pixels(3, 2, kRgba, [](std::size_t i) {
    return i == 4 ? Values{0x77, 0x88, 0x99, 255} : Values{0, 0, 0, 0};
  });
  EXPECT_TRUE(same_pixels(decoded.image.view(), expected.view()));
  ASSERT_EQ(decoded.notes.size(), 1U);
  EXPECT_NE(decoded.notes[0].find("first frame only"), std::string::npos);
}

TEST(GifReader, RefusesDamagedFrames) {
  GifFrame frame;
  frame.width = 4;
  frame.height = 3;
  frame.indices = Values(11, 1);
  EXPECT_TRUE(refuses(make_gif(4, 3, kFour, {frame}), ErrorKind::decode, "fewer pixels"));
  frame.indices = Values(12, 1);
  EXPECT_NO_THROW(decode(make_gif(4, 3, kFour, {frame})));
  EXPECT_TRUE(refuses(make_gif(3, 3, kFour, {frame}), ErrorKind::decode, "inside"));
  EXPECT_TRUE(refuses(make_gif(4, 3, {}, {frame}), ErrorKind::decode, "color table"));
  EXPECT_TRUE(refuses(make_gif(4, 3, kFour, {}), ErrorKind::decode, "no image"));
  EXPECT_TRUE(refuses(make_gif(0, 3, kFour, {frame}), ErrorKind::decode, "0x3"));
  frame.indices[5] = 3;
  EXPECT_TRUE(refuses(make_gif(4, 3, {1, 2}, {frame}), ErrorKind::decode, "color 3"));
}

TEST(PsdReader, ReadsTheMergedImage) {
  Random random;
  SCOPED_TRACE(random.trace());
  for (const int bits : {8, 16}) {
    for (int channels = 3; channels <= 5; ++channels) {
      for (const bool run_length : {false, true}) {
        const int width = random.between(1, 30);
        const int height = random.between(1, 9);
        const auto count = static_cast<std::size_t>(width * height);
        const Values planes =
            random_values(random, count * static_cast<std::size_t>(channels), run_length ? 3 : 1U << bits);
        const FileBytes file = make_psd(width, height, channels, bits, planes, run_length);
        if (bits == 16 && run_length) {
          EXPECT_TRUE(refuses(file, ErrorKind::unsupported, "16-bit PSD"));
          continue;
        }
        const PixelFormat format{bits == 16 ? Sample::u16 : Sample::u8, 3};
        expect_pixels(file,
                      image_of_pixels(width, height, format,
                                      [&](std::size_t i) {
                                        return Values{planes[i], planes[count + i], planes[2 * count + i]};
                                      }),
                      "PSD", "merged.psd");
        EXPECT_EQ(decode(file).notes.size(), channels > 3 ? 1U : 0U);
      }
    }
  }
}

TEST(PsdReader, NamesWhatItDoesNotRead) {
  EXPECT_TRUE(refuses(make_psd(1, 1, 3, 32, Values(3, 0), false), ErrorKind::unsupported, "32-bit PSD"));
  EXPECT_TRUE(refuses(make_psd(1, 1, 4, 8, Values(4, 0), false, 4), ErrorKind::unsupported, "CMYK"));
  EXPECT_TRUE(refuses(make_psd(1, 1, 1, 8, Values(1, 0), false, 1), ErrorKind::unsupported, "grayscale"));
  EXPECT_TRUE(refuses(make_psd(1, 1, 2, 8, Values(2, 0), false), ErrorKind::decode, "2 channels"));
  FileBytes large = make_psd(1, 1, 3, 8, Values(3, 0), false);
  large[5] = std::byte{2};
  EXPECT_TRUE(refuses(large, ErrorKind::unsupported, "PSB"));
}

TEST(PnmReader, ReadsGrayAndColorWithAnyLargestValue) {
  Random random;
  SCOPED_TRACE(random.trace());
  for (const std::uint32_t largest : {1U, 2U, 100U, 254U, 255U, 256U, 1023U, 4095U, 65534U, 65535U}) {
    for (const int channels : {1, 3}) {
      const int width = random.between(1, 9);
      const int height = random.between(1, 9);
      const auto each = static_cast<std::size_t>(channels);
      const Values values = random_values(random, static_cast<std::size_t>(width * height) * each, largest + 1);
      const std::string header = std::string(channels == 3 ? "P6" : "P5") + "\n# a comment\n" + std::to_string(width) +
                                 " " + std::to_string(height) + "#another\n \t" + std::to_string(largest) + "\n";
      const PixelFormat format{largest > 255 ? Sample::u16 : Sample::u8, channels};
      const std::uint64_t full = format.max_value();
      const int bytes_each = largest > 255 ? 2 : 1;
      expect_pixels(make_pnm(header, values, bytes_each),
                    image_of_pixels(width, height, format,
                                    [&](std::size_t i) {
                                      Values pixel;
                                      for (std::size_t c = 0; c < each; ++c) {
                                        pixel.push_back(static_cast<std::uint32_t>(
                                            (values[i * each + c] * full * 2 + largest) / (2 * largest)));
                                      }
                                      return pixel;
                                    }),
                    "PNM", "any.pnm");
      if (largest != 255 && largest != 65535) {
        Values beyond = values;
        beyond.back() = largest + 1;
        if (largest + 1 < 256 || bytes_each == 2) {
          EXPECT_TRUE(refuses(make_pnm(header, beyond, bytes_each), ErrorKind::decode, "largest"));
        }
      }
    }
  }
}

TEST(PnmReader, RefusesBrokenHeaders) {
  for (const char* header : {"P5\n0 1\n255\n", "P5\n1 0\n255\n", "P5\n1 1\n0\n", "P5\n1 1\n65536\n", "P5\nx 1\n255\n",
                             "P5\n-1 1\n255\n", "P5\n99999999999999999999 1\n255\n", "P5\n1 1\n255x"}) {
    EXPECT_TRUE(refuses(make_pnm(header, {1, 2, 3, 4}, 1), ErrorKind::decode)) << header;
  }
  EXPECT_TRUE(refuses(make_pnm("P5\n40000 40000\n255\n", {1}, 1), ErrorKind::unsupported, "--max-pixels"));
}

struct SmallFile {
  std::string name;
  FileBytes bytes;
};

std::vector<SmallFile> small_files() {
  Random random;
  const Values six = random_values(random, 6, 2);
  BmpChoices palette;
  palette.palette = {5, 6};
  BmpChoices masks;
  masks.header_bytes = 124;
  masks.compression = 3;
  masks.masks = {0xFF, 0xFF00, 0xFF0000, 0xFF000000};
  TgaChoices runs;
  runs.run_length = true;
  TgaChoices map;
  map.map = {1, 2, 3};
  map.run_length = true;
  GifFrame frame;
  frame.width = 20;
  frame.height = 20;
  frame.indices = random_values(random, 400, 4);
  return {{"a.bmp", make_bmp(3, 2, 24, six)},
          {"b.bmp", make_bmp(3, 2, 1, six, palette)},
          {"c.bmp", make_bmp(3, 2, 32, six, masks)},
          {"a.tga", make_tga(2, 3, 2, 24, six)},
          {"b.tga", make_tga(3, 3, 2, 8, six, runs)},
          {"c.tga", make_tga(1, 3, 2, 8, six, map)},
          {"d.tga", make_tga(2, 3, 2, 16, six, runs)},
          {"a.gif", make_gif(20, 20, kFour, {frame})},
          {"b.gif", make_gif(20, 20, kFour, {frame, frame})},
          {"a.psd", make_psd(3, 2, 3, 8, random_values(random, 18, 256), false)},
          {"b.psd", make_psd(3, 2, 3, 8, random_values(random, 18, 2), true)},
          {"c.psd", make_psd(3, 2, 4, 16, random_values(random, 24, 65536), false)},
          {"a.pgm", make_pnm("P5\n3 2\n255\n", six, 1)},
          {"b.ppm", make_pnm("P6\n1 2\n65535\n", six, 2)}};
}

TEST(SmallFormats, RefuseEveryPrefix) {
  for (const SmallFile& file : small_files()) {
    SCOPED_TRACE(file.name);
    expect_prefixes_refused(file.bytes, ~std::size_t{0}, file.name);
  }
}

TEST(SmallFormats, AreSaneOnMutants) {
  Random random;
  SCOPED_TRACE(random.trace());
  for (const SmallFile& file : small_files()) {
    SCOPED_TRACE(file.name);
    expect_sane_when_mutated(file.bytes, file.name, random, 1500);
  }
}

}  // namespace
}  // namespace gpuimg
