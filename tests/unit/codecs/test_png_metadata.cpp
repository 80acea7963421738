// Damaged, misplaced or repeated metadata in PNG: gpuimg drops only the affected metadata and keeps the pixels.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "codecs/metadata/iptc.hpp"
#include "codecs/metadata/xmp.hpp"
#include "support/metadata_maker.hpp"
#include "support/png_maker.hpp"
#include "support/test_images.hpp"

namespace gpuimg::test_png_metadata {
using namespace codecs;

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

/// A 1x1 RGB picture with extra chunks after the header.
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

TEST(PngMetadata, LeavesOutDamagedChunksWithANote) {
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
      {"cHRM", numbers({31270, 4, 64000, 33000, 30000, 60000, 15000, 6000})},
      {"cHRM", numbers({31270, 32900, 64000, 36001, 30000, 60000, 15000, 6000})},
      {"cHRM", numbers({31270, 32900, 100001, 0, 30000, 60000, 15000, 6000})},
      {"cHRM", numbers({31270, 32900, 10000, 10000, 20000, 20000, 30000, 30000})},
      {"cHRM", numbers({0, 0, 0, 0, 0, 0, 0, 0})},
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

TEST(PngMetadata, TreatsAWrongChecksumAsDamage) {
  Random random;
  const FileBytes png = written(any_image(random, 3, 3, kRgb), FileFormat::png, full_metadata(kRgb));
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

TEST(PngMetadata, ChecksOrderAndRepetition) {
  std::vector<PngChunk> chunks = chunks_with({{"gAMA", numbers({5})}, {"gAMA", numbers({6})}, {"tIME", FileBytes(7)}});
  chunks.insert(chunks.end() - 1, {"eXIf", exif_with(1, false)});
  chunks.insert(chunks.end() - 1, {"sRGB", bytes_of(std::string_view("\0", 1))});
  const DecodedImage found = decode(assemble_png(chunks));
  EXPECT_EQ(found.metadata.gama, 5U);
  EXPECT_EQ(found.metadata.exif, exif_with(1, false));
  EXPECT_EQ(found.metadata.srgb, std::nullopt);
  EXPECT_EQ(found.details, std::vector<std::string>{"its sRGB chunk follows the image data and is left out"});
}

TEST(PngMetadata, AProfileReplacesSrgb) {
  using namespace std::string_literals;
  const DecodedImage found =
      decode(assemble_png(chunks_with({{"sRGB", bytes_of("\1")}, {"iCCP", iccp("n\0\0"s, zlib_stored(make_icc()))}})));
  EXPECT_EQ(found.metadata.icc, make_icc());
  EXPECT_EQ(found.metadata.srgb, std::nullopt);
  EXPECT_EQ(found.details, std::vector<std::string>{"its sRGB chunk is left out because the file has an ICC profile"});
}

FileBytes text_of(std::string_view beginning, const FileBytes& text) {
  FileBytes data = bytes_of(beginning);
  add_bytes(data, text);
  return data;
}

TEST(PngMetadata, TextsAreReadFromAllKindsOfChunks) {
  using namespace std::string_view_literals;
  const FileBytes packed_xmp = zlib_stored(xmp_packet());
  const FileBytes packed_iptc = zlib_stored(iptc_text(iptc_data()));
  for (const PngChunk& xmp : {PngChunk{"iTXt", text_of("XML:com.adobe.xmp\0\0\0\0\0"sv, xmp_packet())},
                              PngChunk{"iTXt", text_of("XML:com.adobe.xmp\0\0\0en\0XMP\0"sv, xmp_packet())},
                              PngChunk{"iTXt", text_of("XML:com.adobe.xmp\0\1\0\0\0"sv, packed_xmp)}}) {
    for (const PngChunk& iptc : {PngChunk{"tEXt", text_of("Raw profile type iptc\0"sv, iptc_text(iptc_data()))},
                                 PngChunk{"zTXt", text_of("Raw profile type iptc\0\0"sv, packed_iptc)}}) {
      std::vector<PngChunk> chunks = chunks_with({xmp});
      chunks.insert(chunks.end() - 1, iptc);  // after the image data
      const DecodedImage found = decode(assemble_png(chunks));
      EXPECT_EQ(found.metadata.xmp, xmp_packet());
      EXPECT_EQ(found.metadata.iptc, iptc_data());
      EXPECT_TRUE(found.details.empty());
      EXPECT_TRUE(found.metadata.not_kept.empty());
    }
  }
}

FileBytes raw_profile(const FileBytes& profile) {
  std::string text = "\ngeneric profile\n    " + std::to_string(profile.size());
  for (std::size_t i = 0; i < profile.size(); ++i) {
    constexpr std::string_view kDigits = "0123456789abcdef";
    const auto value = std::to_integer<unsigned>(profile[i]);
    text += i % 36 == 0 ? "\n" : "";
    text += {kDigits[value / 16], kDigits[value % 16]};
  }
  return bytes_of(text + "\n");
}

TEST(PngMetadata, RawProfilesAreUsedOnlyWithoutADedicatedChunk) {
  using namespace std::string_view_literals;
  FileBytes exif = bytes_of("Exif\0\0"sv);
  add_bytes(exif, exif_with(6, true));
  FileBytes xmp = bytes_of("http://ns.adobe.com/xap/1.0/\0"sv);
  add_bytes(xmp, xmp_packet());
  const ReadOptions as_stored{.auto_orient = false};
  const auto read = [&](const std::vector<PngChunk>& more) {
    return decode(assemble_png(chunks_with(more)), "t.png", as_stored);
  };
  for (const std::string_view keyword : {"Raw profile type exif\0"sv, "Raw profile type APP1\0"sv}) {
    const PngChunk text{"tEXt", text_of(keyword, raw_profile(exif))};
    EXPECT_EQ(read({text}).metadata.exif, exif_with(6, true));
    EXPECT_TRUE(read({text}).details.empty());
    EXPECT_TRUE(read({text}).metadata.not_kept.empty());
    EXPECT_EQ(read({text, {"eXIf", exif_with(3, false)}}).metadata.exif, exif_with(3, false));
    EXPECT_EQ(read({{"tEXt", text_of(keyword, raw_profile(exif_with(6, true)))}}).metadata.exif, exif_with(6, true));
    EXPECT_EQ(read({{"tEXt", text_of(keyword, raw_profile(bytes_of("nonsense")))}}).details.size(), 1U);
  }
  EXPECT_EQ(read({{"tEXt", text_of("Raw profile type APP1\0"sv, raw_profile(xmp))}}).metadata.xmp, xmp_packet());
  EXPECT_EQ(read({{"tEXt", text_of("Raw profile type xmp\0"sv, raw_profile(xmp_packet()))}}).metadata.xmp,
            xmp_packet());
  const FileBytes packed = zlib_stored(raw_profile(make_icc()));
  EXPECT_EQ(read({{"zTXt", text_of("Raw profile type icc\0\0"sv, packed)}}).metadata.icc, make_icc());
  EXPECT_EQ(read({{"zTXt", text_of("Raw profile type icm\0\0"sv, packed)}}).metadata.icc, make_icc());
  EXPECT_EQ(read({{"tEXt", text_of("Raw profile type 8bim\0"sv, iptc_text(iptc_data()))}}).metadata.iptc, iptc_data());
}

TEST(PngMetadata, LeavesOutDamagedTextsWithANote) {
  using namespace std::string_view_literals;
  FileBytes cut = zlib_stored(xmp_packet());
  cut.pop_back();
  const std::string xmp = "its XMP is damaged and is left out";
  const std::string iptc = "its IPTC data is damaged and is left out";
  const std::vector<std::pair<PngChunk, std::string>> broken = {
      {{"iTXt", bytes_of("XML:com.adobe.xmp\0"sv)}, xmp},
      {{"iTXt", bytes_of("XML:com.adobe.xmp\0\0\0"sv)}, xmp},
      {{"iTXt", bytes_of("XML:com.adobe.xmp\0\0\0\0"sv)}, xmp},
      {{"iTXt", bytes_of("XML:com.adobe.xmp\0\0\0\0\0"sv)}, xmp},
      {{"iTXt", bytes_of("XML:com.adobe.xmp\0\0\0\0\0no markup"sv)}, xmp},
      {{"iTXt", text_of("XML:com.adobe.xmp\0\2\0\0\0"sv, xmp_packet())}, xmp},
      {{"iTXt", text_of("XML:com.adobe.xmp\0\1\1\0\0"sv, zlib_stored(xmp_packet()))}, xmp},
      {{"iTXt", text_of("XML:com.adobe.xmp\0\1\0\0\0"sv, xmp_packet())}, xmp},
      {{"iTXt", text_of("XML:com.adobe.xmp\0\1\0\0\0"sv, cut)}, xmp},
      {{"tEXt", bytes_of("Raw profile type iptc\0"sv)}, iptc},
      {{"tEXt", bytes_of("Raw profile type iptc\0nonsense"sv)}, iptc},
      {{"zTXt", bytes_of("Raw profile type iptc\0"sv)}, iptc},
      {{"zTXt", text_of("Raw profile type iptc\0\1"sv, zlib_stored(iptc_text(iptc_data())))}, iptc},
      {{"zTXt", text_of("Raw profile type iptc\0\0"sv, iptc_text(iptc_data()))}, iptc},
  };
  for (const auto& [chunk, clause] : broken) {
    const DecodedImage found = decode(assemble_png(chunks_with({chunk})));
    EXPECT_EQ(found.metadata, Metadata{});
    EXPECT_EQ(found.details, std::vector<std::string>{clause});
  }
}

TEST(PngMetadata, InflatedTextIsBounded) {
  using namespace std::string_view_literals;
  for (const std::size_t over : {0U, 1U}) {
    FileBytes packet(kMaxXmpBytes + over, std::byte{' '});
    packet[0] = std::byte{'<'};
    const PngChunk chunk{"iTXt", text_of("XML:com.adobe.xmp\0\1\0\0\0"sv, zlib_stored(packet))};
    EXPECT_EQ(decode(assemble_png(chunks_with({chunk}))).metadata.xmp.size(), over == 0 ? kMaxXmpBytes : 0U);
  }
}

TEST(PngMetadata, UsesTheFirstTextOfAKeywordAndNamesTheOthers) {
  using namespace std::string_view_literals;
  const PngChunk xmp{"iTXt", text_of("XML:com.adobe.xmp\0\0\0\0\0"sv, xmp_packet())};
  const PngChunk again{"iTXt", text_of("XML:com.adobe.xmp\0\0\0\0\0"sv, xmp_packet(9))};
  const PngChunk comment{"tEXt", bytes_of("Comment\0text"sv)};
  const DecodedImage found = decode(
      assemble_png(chunks_with({comment, xmp, again, comment, {"tEXt", bytes_of("no NUL")}, {"tIME", FileBytes(7)}})));
  EXPECT_EQ(found.metadata.xmp, xmp_packet());
  EXPECT_EQ(found.metadata.not_kept, (std::vector<std::string>{"the tEXt chunk", "the iTXt chunk", "the tIME chunk"}));
  EXPECT_TRUE(found.details.empty());
}

TEST(PngMetadata, NamesAtMost16OtherChunks) {
  std::vector<PngChunk> others;
  for (char a = 'a'; a <= 'z'; ++a) {
    others.push_back({std::string("ab") + 'Z' + a, {}});
  }
  EXPECT_EQ(decode(assemble_png(chunks_with(others))).metadata.not_kept.size(), 16U);
}

}  // namespace
}  // namespace gpuimg::test_png_metadata
