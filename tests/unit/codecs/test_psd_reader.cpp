// Reading PSD: row lengths locate run-length coded rows, and a negative number of layers declares transparency. The
// catalogue covers the kinds of files.
#include <gtest/gtest.h>

#include "support/small_format_checks.hpp"

namespace gpuimg::test_psd_reader {
namespace {

using namespace test;

TEST(PsdReader, FindsRowsByTheirLengths) {
  Random random;
  SCOPED_TRACE(random.trace());
  for (int round = 0; round < 40; ++round) {
    const int width = random.between(1, 300);
    const int height = random.between(1, 9);
    const int bits = random.below(2) == 0 ? 8 : 16;
    const auto count = static_cast<std::size_t>(width * height);
    const Values planes = random_values(random, count * 3, random.below(2) == 0 ? 2 : 1U << bits);
    PsdChoices choices;
    choices.run_length = true;
    choices.is_large = random.below(2) == 0;
    choices.row_spare = random.below(5);
    expect_pixels(make_psd(width, height, 3, bits, planes, choices),
                  image_of_pixels(width, height, {bits == 8 ? Sample::u8 : Sample::u16, 3},
                                  [&](std::size_t i) {
                                    return Values{planes[i], planes[count + i], planes[2 * count + i]};
                                  }),
                  "PSD", "runs.psd");
  }
}

TEST(PsdReader, KeepsAlphaOnlyIfItIsDeclared) {
  const Values planes = {255, 191, 127, 10, 127, 64, 128, 0};
  PsdChoices choices;
  choices.transparent = true;
  expect_pixels(make_psd(2, 1, 4, 8, planes, choices),
                image_of_pixels(2, 1, kRgba,
                                [](std::size_t i) {
                                  return i == 0 ? Values{255, 127, 127, 128} : Values{191, 10, 64, 0};
                                }),
                "PSD", "transparent.psd");
  choices.transparent = false;
  EXPECT_EQ(decode(make_psd(2, 1, 4, 8, planes, choices)).image.format(), kRgb);
}

TEST(PsdReader, NamesUnsupportedFeatures) {
  EXPECT_TRUE(rejects(make_psd(1, 1, 3, 32, Values(3, 0)), ErrorKind::unsupported, "32-bit PSD"));
  EXPECT_TRUE(rejects(make_psd(1, 1, 3, 8, Values(3, 0), {.mode = 9}), ErrorKind::unsupported, "Lab"));
  EXPECT_TRUE(rejects(make_psd(1, 1, 2, 8, Values(2, 0)), ErrorKind::decode, "2 channels"));
}

}  // namespace
}  // namespace gpuimg::test_psd_reader
