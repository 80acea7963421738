// The files that the fast path for PNG accepts.
#include <gtest/gtest.h>

#include <array>

#include "codecs/png/simple_png.hpp"
#include "support/png_maker.hpp"
#include "support/png_paths.hpp"

namespace gpuimg::test_simple_png {
using namespace codecs;
using namespace codecs::png;

namespace {

using namespace test;

TEST(PngFast, LeavesFilesWithoutALeadingHeaderToLibpng) {
  PngPicture picture;
  picture.kind = {2, 8};
  picture.width = 5;
  picture.height = 4;
  picture.samples.assign(std::size_t{3} * picture.width * picture.height, 7);
  const std::vector<PngChunk> sound = png_chunks(picture);
  ASSERT_TRUE(parse_simple_png(assemble_png(sound), "file").has_value());
  std::vector<PngChunk> after_another = sound;
  after_another.insert(after_another.begin(), {"tEXt", bytes_of("Title")});
  std::vector<PngChunk> none = sound;  // has neither IHDR nor pixels
  none.front().name = "zHDR";
  const std::array<std::uint8_t, 11> nothing_deflated = {0x78, 0x01, 0x01, 0, 0, 0xFF, 0xFF, 0, 0, 0, 1};
  const auto bytes = std::as_bytes(std::span(nothing_deflated));
  std::erase_if(none, [](const PngChunk& chunk) { return chunk.name == "IDAT"; });
  none.insert(none.end() - 1, {"IDAT", FileBytes(bytes.begin(), bytes.end())});
  for (const auto& chunks : {after_another, none}) {
    const FileBytes file = assemble_png(chunks);
    EXPECT_FALSE(parse_simple_png(file, "file").has_value());
    EXPECT_EQ(difference_of_png_paths(file), "");
  }
}

}  // namespace
}  // namespace gpuimg::test_simple_png
