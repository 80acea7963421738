// Reading TGA: its six kinds, its detection, alpha, and damaged runs.
#include <gtest/gtest.h>

#include "support/small_format_checks.hpp"

namespace gpuimg::test_tga_reader {
namespace {

using namespace test;

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
    EXPECT_TRUE(rejects(make_tga(1, width, height, 8, indices, choices), ErrorKind::decode, "color map", "map.tga"));
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

TEST(TgaReader, RequiresTheNameOrTheFooter) {
  FileBytes file = make_tga(2, 2, 2, 24, Values(4, 0x102030));
  EXPECT_TRUE(rejects(file, ErrorKind::decode, "known image format", "picture"));
  EXPECT_NO_THROW(decode(file, "picture.tga"));
  file.resize(file.size() + 8);
  add_text(file, "TRUEVISION-XFILE.");
  add_le(file, 0, 1);
  EXPECT_NO_THROW(decode(file, "picture"));
  EXPECT_TRUE(rejects(bytes_of("Just some words, long enough.\n"), ErrorKind::decode, "text", "words.tga"));
}

TEST(TgaReader, RejectsRunsPastTheEnd) {
  TgaChoices choices;
  choices.run_length = true;
  FileBytes file = make_tga(3, 3, 1, 8, Values(3, 9), choices);
  file[18] = std::byte{0x83};
  EXPECT_TRUE(rejects(file, ErrorKind::decode, "run", "run.tga"));
}

}  // namespace
}  // namespace gpuimg::test_tga_reader
