// Reading GIF: the first frame, uncovered pixels, and damage.
#include <gtest/gtest.h>

#include <algorithm>

#include "support/small_format_checks.hpp"

namespace gpuimg::test_gif_reader {
using namespace codecs;

namespace {

using namespace test;

TEST(GifReader, ReadsTheFirstFrame) {
  Random random;
  SCOPED_TRACE(random.trace());
  for (int round = 0; round < 40; ++round) {
    GifFrame frame;
    frame.width = random.between(1, 90);
    frame.height = random.between(1, 90);
    frame.packing = {random.below(2) == 1, random.below(2) == 1, random.below(2) == 1, random.below(2) * 100};
    const std::uint32_t colors = 2U << random.below(8);
    frame.spare_bits = colors == 2 ? -1 : 0;  // with two colors, the minimum code size can be 1
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

TEST(GifReader, MakesUncoveredPixelsTransparentAndNotesAnimation) {
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

TEST(GifReader, KeepsAFullCodeTableUntilCleared) {
  Random random;
  SCOPED_TRACE(random.trace());
  GifFrame frame;
  frame.width = 400;
  frame.height = 300;
  const Values table = random_values(random, 256, 1U << 24);
  frame.indices = random_values(random, 400 * 300, 256);
  std::fill_n(frame.indices.begin(), 30000, 7);
  std::fill_n(frame.indices.end() - 30000, 30000, 7);
  const Image expected =
      image_of_pixels(400, 300, kRgb, [&](std::size_t i) { return rgb_of(table[frame.indices[i]]); });
  for (const std::size_t clears_every : {0, 5000, 10000}) {
    frame.packing = {.runs = true, .clears_when_full = false, .clears_every = clears_every};
    expect_pixels(make_gif(400, 300, table, {frame}), expected, "GIF", "full.gif");
  }
}

TEST(GifReader, IgnoresExtraPixels) {
  GifFrame frame;
  frame.packing.runs = true;
  // The codes represent 1, 1, 1, 2, 2, 2, 3, 4 … pixels, so most of these widths end within a code.
  for (int width = 1; width <= 40; ++width) {
    for (const int more : {1, 2, 5, 70000}) {
      frame.width = width;
      frame.indices.clear();
      for (int i = 0; i < width + more; ++i) {
        frame.indices.push_back(static_cast<std::uint32_t>(i) % 3);
      }
      const Image expected = image_of_pixels(width, 1, kRgb, [](std::size_t i) { return rgb_of(kFour[i % 3]); });
      expect_pixels(make_gif(width, 1, kFour, {frame}), expected, "GIF", "more.gif");
    }
  }
}

TEST(GifReader, RejectsDamagedFrames) {
  GifFrame frame;
  frame.width = 4;
  frame.height = 3;
  frame.indices = Values(11, 1);
  EXPECT_TRUE(rejects(make_gif(4, 3, kFour, {frame}), ErrorKind::decode, "fewer pixels"));
  frame.indices = Values(12, 1);
  EXPECT_NO_THROW(decode(make_gif(4, 3, kFour, {frame})));
  EXPECT_TRUE(rejects(make_gif(4, 3, {}, {frame}), ErrorKind::decode, "color table"));
  EXPECT_TRUE(rejects(make_gif(4, 3, kFour, {}), ErrorKind::decode, "no image"));
  frame.indices[5] = 3;
  EXPECT_TRUE(rejects(make_gif(4, 3, {1, 2}, {frame}), ErrorKind::decode, "color index 3"));
}

/// 35 bytes that would take gigabytes of memory.
TEST(GifReader, RejectsLargeScreensThatAreAlmostEmpty) {
  GifFrame frame;
  frame.indices = {1};
  const FileBytes bomb = make_gif(32767, 32767, {1, 2}, {frame});
  EXPECT_TRUE(rejects(bomb, ErrorKind::unsupported, "if you trust the file, use --max-pixels 1073676289"));
  EXPECT_TRUE(rejects(make_gif(8193, 8192, {1, 2}, {frame}), ErrorKind::unsupported, "covers at most 1;"));
  EXPECT_EQ(decode(make_gif(4000, 4000, {1, 2}, {frame})).image.width(), 4000);
  const FileBytes small = make_gif(40, 40, {1, 2}, {frame});
  const ReadOptions tight{.max_sparse_pixels = 1599};
  EXPECT_TRUE(rejects(small, ErrorKind::unsupported, "--max-pixels", "small.gif", tight));
  EXPECT_NO_THROW(decode(small, "small.gif", {.max_sparse_pixels = 1600}));
  frame.width = 10;
  frame.height = 10;
  frame.indices = Values(100, 1);
  EXPECT_NO_THROW(decode(make_gif(40, 40, {1, 2}, {frame}), "covered.gif", tight)) << "a sixteenth";
}

}  // namespace
}  // namespace gpuimg::test_gif_reader
