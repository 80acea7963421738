// Metadata of PNG that is damaged, out of place or repeated: it never costs more than the metadata.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "support/metadata_maker.hpp"
#include "support/png_maker.hpp"
#include "support/test_images.hpp"

namespace gpuimg {
namespace {

using namespace test;

constexpr PixelFormat kRgb{Sample::u8, 3};

FileBytes numbers(std::initializer_list<std::uint32_t> values) {
  FileBytes bytes;
  for (const std::uint32_t value : values) {
    add_be(bytes, value, 4);
  }
  return bytes;
}

/// A 1x1 RGB picture with chunks behind its header.
std::vector<PngChunk> chunks_with(const std::vector<PngChunk>& more) {
  PngPicture picture;
  picture.kind = {2, 8};
  picture.samples = {1, 2, 3};
  std::vector<PngChunk> chunks = png_chunks(picture);
  chunks.insert(chunks.begin() + 1, more.begin(), more.end());
  return chunks;
}

FileBytes iccp(const std::string& beginning, const FileBytes& stream) {
  FileBytes data = bytes_of(beginning);
  add_bytes(data, stream);
  return data;
}

TEST(PngMetadata, DamagedChunksAreLeftOutAndNamed) {
  using namespace std::string_literals;
  const FileBytes profile = zlib_stored(make_icc());
  FileBytes phys = numbers({1, 1});
  phys.push_back(std::byte{2});
  const std::vector<PngChunk> broken = {
      {"cICP", bytes_of("123")},
      {"iCCP", {}},
      {"iCCP", iccp("\0\0"s, profile)},
      {"iCCP", iccp(std::string(80, 'n') + "\0\0"s, profile)},
      {"iCCP", iccp("n\0\1"s, profile)},
      {"iCCP", bytes_of("name")},
      {"iCCP", bytes_of("name\0"s)},
      {"iCCP", bytes_of("name\0\0"s)},
      {"iCCP", iccp("n\0\0"s, zlib_stored(bytes_of("no profile")))},
      {"sRGB", bytes_of("\4")},
      {"sRGB", {}},
      {"gAMA", numbers({0})},
      {"gAMA", numbers({0x80000000})},
      {"gAMA", bytes_of("123")},
      {"cHRM", numbers({1, 2, 3, 4, 5, 6, 7})},
      {"cHRM", numbers({1, 2, 3, 4, 5, 6, 7, 0x80000000})},
      {"pHYs", numbers({1, 1})},
      {"pHYs", phys},
      {"pHYs", iccp("", numbers({0, 1, 0}))},
      {"eXIf", bytes_of("II*\0"s)},
      {"eXIf", bytes_of("XX*\0\0\0\0\0\0\0"s)},
  };
  for (const PngChunk& chunk : broken) {
    const DecodedImage found = decode(assemble_png(chunks_with({chunk})));
    EXPECT_EQ(found.metadata, Metadata{}) << chunk.name;
    EXPECT_EQ(found.details, std::vector<std::string>{"its " + chunk.name + " chunk is damaged and is left out"});
  }
}

TEST(PngMetadata, AWrongChecksumIsDamage) {
  Random random;
  const FileBytes png = written(any_image(random, 3, 3, kRgb), ImageFileType::png, full_metadata(kRgb));
  for (const char* name : {"cICP", "iCCP", "gAMA", "cHRM", "pHYs", "eXIf"}) {
    FileBytes damaged = png;
    const auto letters = bytes_of(name);
    const auto at = std::search(damaged.begin(), damaged.end(), letters.begin(), letters.end());
    at[-1] == std::byte{0} ? at[4] ^= std::byte{0x40} : at[5] ^= std::byte{0x40};
    const DecodedImage found = decode(damaged);
    EXPECT_EQ(found.details,
              std::vector<std::string>{std::string("its ") + name + " chunk is damaged and is left out"});
  }
}

TEST(PngMetadata, PlaceAndRepetition) {
  std::vector<PngChunk> chunks = chunks_with({{"gAMA", numbers({5})}, {"gAMA", numbers({6})}, {"tIME", FileBytes(7)}});
  chunks.insert(chunks.end() - 1, {"eXIf", exif_with(1, false)});
  chunks.insert(chunks.end() - 1, {"sRGB", bytes_of(std::string_view("\0", 1))});
  const DecodedImage found = decode(assemble_png(chunks));
  EXPECT_EQ(found.metadata.gama, 5U);
  EXPECT_EQ(found.metadata.exif, exif_with(1, false));
  EXPECT_EQ(found.metadata.srgb, std::nullopt);
  EXPECT_EQ(found.details, std::vector<std::string>{"its sRGB chunk stands behind the image data and is left out"});
}

TEST(PngMetadata, AProfileStandsAlone) {
  using namespace std::string_literals;
  const DecodedImage found =
      decode(assemble_png(chunks_with({{"sRGB", bytes_of("\1")}, {"iCCP", iccp("n\0\0"s, zlib_stored(make_icc()))}})));
  EXPECT_EQ(found.metadata.icc, make_icc());
  EXPECT_EQ(found.metadata.srgb, std::nullopt);
  EXPECT_EQ(found.details, std::vector<std::string>{"its sRGB chunk stands beside a profile and is left out"});
}

}  // namespace
}  // namespace gpuimg
