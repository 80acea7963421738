// Metadata through files: PNG and JPEG in all four directions, the orientation reset, units of density, what a format
// or the pixels have no place for, and damage, which never costs more than the metadata.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "files/carried_metadata.hpp"
#include "files/exif_orientation.hpp"
#include "files/image_writer.hpp"
#include "files/metadata.hpp"
#include "support/icc_maker.hpp"
#include "support/jpeg_maker.hpp"
#include "support/png_maker.hpp"
#include "support/test_images.hpp"

namespace gpuimg {
namespace {

using namespace test;

constexpr PixelFormat kGray{Sample::u8, 1};
constexpr PixelFormat kRgb{Sample::u8, 3};

bool is_color(PixelFormat format) { return format.color_channels() == 3; }

Metadata full_metadata(PixelFormat format, std::size_t icc_size = 0) {
  Metadata metadata;
  metadata.icc = make_icc({.color_space = is_color(format) ? "RGB " : "GRAY", .size = icc_size});
  metadata.exif = exif_with(1, true);
  metadata.cicp = {std::byte{9}, std::byte{16}, std::byte{0}, std::byte{1}};
  metadata.gama = 55555;
  metadata.chrm = {1, 2, 3, 4, 5, 6, 7, 80000};
  metadata.density = PixelDensity{11811, 2835, DensityUnit::meter};
  return metadata;
}

/// As save_image does it.
FileBytes written(const Image& image, ImageFileType type, const Metadata& metadata) {
  WriteOptions options;
  options.metadata = carried_metadata(metadata, type, image.format()).metadata;
  return encode_image(image.view(), type, "t", options);
}

std::vector<std::string> left_out(const Metadata& metadata, ImageFileType type, PixelFormat format) {
  return carried_metadata(metadata, type, format).left_out;
}

TEST(Metadata, AllOfItComesThroughPng) {
  Random random;
  SCOPED_TRACE(random.trace());
  for (const PixelFormat format : photographic_formats()) {
    const Image image = any_image(random, 13, 7, format);
    Metadata metadata = full_metadata(format);
    for (const bool with_profile : {true, false}) {
      const DecodedImage found = decode(written(image, ImageFileType::png, metadata));
      EXPECT_TRUE(same_pixels(found.image.view(), image.view()));
      EXPECT_EQ(found.metadata, metadata) << with_profile;
      EXPECT_TRUE(found.details.empty());
      metadata.icc.clear();
      metadata.srgb = 2;
    }
  }
}

TEST(Metadata, ProfileAndExifComeThroughJpeg) {
  Random random;
  SCOPED_TRACE(random.trace());
  for (const PixelFormat format : {kGray, kRgb}) {
    const Image image = any_image(random, 13, 7, format);
    for (const std::size_t size : {0U, 65518U, 65519U, 65520U, 131038U, 131039U, 1000000U}) {
      const Metadata metadata = full_metadata(format, size);
      const DecodedImage found = decode(written(image, ImageFileType::jpeg, metadata));
      EXPECT_EQ(found.metadata.icc, metadata.icc) << size;
      EXPECT_EQ(found.metadata.exif, metadata.exif);
      EXPECT_EQ(found.metadata.density, (PixelDensity{300, 72, DensityUnit::inch}));
      EXPECT_TRUE(found.details.empty());
      const DecodedImage png = decode(written(found.image, ImageFileType::png, found.metadata));
      EXPECT_EQ(png.metadata.icc, metadata.icc) << size;
      EXPECT_EQ(png.metadata.exif, metadata.exif);
      EXPECT_EQ(png.metadata.density, metadata.density);
    }
  }
  const Metadata largest = full_metadata(kGray, kMaxIccBytes);
  EXPECT_EQ(decode(written(constant_image(1, 1, kGray, 3), ImageFileType::jpeg, largest)).metadata.icc, largest.icc);
}

TEST(Metadata, ThePixelsOfAJpegDoNotDependOnIt) {
  Random random;
  const Image image = any_image(random, 40, 30, kRgb);
  const DecodedImage plain = decode(written(image, ImageFileType::jpeg, {}));
  const DecodedImage tagged = decode(written(image, ImageFileType::jpeg, full_metadata(kRgb)));
  EXPECT_TRUE(same_pixels(tagged.image.view(), plain.image.view()));
  EXPECT_EQ(plain.metadata, Metadata{});
}

TEST(Metadata, OrientedPixelsSayThatTheyAre) {
  Random random;
  SCOPED_TRACE(random.trace());
  for (const PixelFormat format : photographic_formats()) {
    const bool fits_jpeg = format.sample == Sample::u8 && !format.has_alpha();
    for (int orientation = 1; orientation <= 8; ++orientation) {
      for (const ImageFileType type : {ImageFileType::png, ImageFileType::jpeg}) {
        if (type == ImageFileType::jpeg && !fits_jpeg) {
          continue;
        }
        const bool big_endian = random.below(2) == 1;
        Metadata metadata;
        metadata.exif = exif_with(orientation, big_endian);
        metadata.density = PixelDensity{30, 70, DensityUnit::none};
        const FileBytes file = written(any_image(random, 23, 11, format), type, metadata);
        const DecodedImage stored = decode(file, "t", {.auto_orient = false});
        EXPECT_EQ(stored.metadata, metadata);
        const DecodedImage seen = decode(file);
        EXPECT_TRUE(same_pixels(seen.image.view(), apply_orientation(stored.image.clone(), orientation).view()));
        EXPECT_EQ(seen.metadata.exif, exif_with(1, big_endian));
        EXPECT_EQ(seen.metadata.density->x, orientation >= 5 ? 70U : 30U);
        EXPECT_EQ(seen.metadata.density->y, orientation >= 5 ? 30U : 70U);
      }
    }
  }
}

TEST(Metadata, DensityIsRoundedBetweenUnits) {
  const auto png = [](std::uint32_t value, DensityUnit unit) { return density_for_png({value, value, unit}).x; };
  EXPECT_EQ(png(72, DensityUnit::inch), 2835U);
  EXPECT_EQ(png(300, DensityUnit::inch), 11811U);
  EXPECT_EQ(png(65535, DensityUnit::inch), 2580118U);
  EXPECT_EQ(png(28, DensityUnit::centimeter), 2800U);
  EXPECT_EQ(png(5, DensityUnit::none), 5U);
  const auto jfif = [](std::uint32_t value, DensityUnit unit) { return density_for_jfif({value, value, unit}); };
  EXPECT_EQ(jfif(2835, DensityUnit::meter), (PixelDensity{72, 72, DensityUnit::inch}));
  EXPECT_EQ(jfif(2800, DensityUnit::meter), (PixelDensity{28, 28, DensityUnit::centimeter}));
  EXPECT_EQ(jfif(2834, DensityUnit::meter), (PixelDensity{72, 72, DensityUnit::inch}));
  EXPECT_EQ(jfif(19, DensityUnit::meter), std::nullopt);
  EXPECT_EQ(jfif(0x7FFFFFFF, DensityUnit::meter), std::nullopt);
  EXPECT_EQ(jfif(65536, DensityUnit::none), std::nullopt);
  for (std::uint32_t value = 1; value <= 65535; ++value) {
    for (const DensityUnit unit : {DensityUnit::none, DensityUnit::inch}) {
      const PixelDensity density{value, value, unit};
      ASSERT_EQ(density_for_jfif(density_for_png(density)), density);
    }
  }
}

TEST(Metadata, WhatJpegHasNoPlaceForIsNamed) {
  Metadata metadata = full_metadata(kRgb);
  metadata.srgb = 0;
  metadata.exif.resize(65528);
  metadata.density->x = 0x7FFFFFFF;
  EXPECT_EQ(left_out(metadata, ImageFileType::jpeg, kRgb),
            (std::vector<std::string>{
                "cICP is not carried: JPEG has no place for it", "sRGB is not carried: JPEG has no place for it",
                "gAMA is not carried: JPEG has no place for it", "cHRM is not carried: JPEG has no place for it",
                "the EXIF data is not carried: JPEG holds 65527 bytes of it",
                "the pixel density is not carried: JPEG holds 1 to 65535 pixels an inch"}));
  metadata.exif.resize(65527);
  const DecodedImage found = decode(written(constant_image(2, 2, kRgb, 9), ImageFileType::jpeg, metadata));
  EXPECT_EQ(found.metadata.exif, metadata.exif);
  EXPECT_EQ(found.metadata.density, std::nullopt);
}

TEST(Metadata, AProfileMustFitTheChannels) {
  for (const PixelFormat format : photographic_formats()) {
    for (const char* space : {"GRAY", "RGB ", "CMYK", "Lab "}) {
      Metadata metadata;
      metadata.icc = make_icc({.color_space = space});
      const bool fits = std::string(space) == (is_color(format) ? "RGB " : "GRAY");
      const CarriedMetadata carried = carried_metadata(metadata, ImageFileType::png, format);
      EXPECT_EQ(carried.metadata.icc.empty(), !fits) << space << " for " << name_of(format);
      EXPECT_EQ(carried.left_out.size(), fits ? 0U : 1U);
    }
  }
}

TEST(Metadata, BmpAndTgaGetNone) {
  for (const ImageFileType type : {ImageFileType::bmp, ImageFileType::tga}) {
    const CarriedMetadata carried = carried_metadata(full_metadata(kRgb), type, kRgb);
    EXPECT_EQ(carried.metadata, Metadata{});
    EXPECT_EQ(carried.left_out.size(), 6U);
    EXPECT_TRUE(left_out({}, type, kRgb).empty());
  }
}

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

FileBytes segment(std::uint32_t marker, const FileBytes& content) {
  FileBytes bytes;
  bytes.reserve(content.size() + 4);
  add_be(bytes, marker, 2);
  add_be(bytes, content.size() + 2, 2);
  add_bytes(bytes, content);
  return bytes;
}

FileBytes profile_part(int number, int count, std::span<const std::byte> part) {
  FileBytes content;
  content.reserve(part.size() + 14);
  add_text(content, std::string_view("ICC_PROFILE\0", 12));
  add_be(content, static_cast<std::uint64_t>(number), 1);
  add_be(content, static_cast<std::uint64_t>(count), 1);
  add_bytes(content, part);
  return segment(0xFFE2, content);
}

/// A JPEG with the segments behind its start.
DecodedImage jpeg_with(const std::vector<FileBytes>& segments) {
  const FileBytes jpeg = make_jpeg(constant_image(5, 4, kRgb, 77).view());
  FileBytes file(jpeg.begin(), jpeg.begin() + 2);
  for (const FileBytes& part : segments) {
    add_bytes(file, part);
  }
  add_bytes(file, std::span(jpeg).subspan(2));
  return decode(file);
}

TEST(JpegMetadata, PartsOfAProfileAreJoinedByNumber) {
  const FileBytes icc = make_icc({.size = 300});
  const auto part = [&](std::size_t from, std::size_t size) { return std::span(icc).subspan(from, size); };
  const FileBytes first = profile_part(1, 3, part(0, 100));
  const FileBytes second = profile_part(2, 3, part(100, 0));
  const FileBytes third = profile_part(3, 3, part(100, 200));
  EXPECT_EQ(jpeg_with({first, second, third}).metadata.icc, icc);
  EXPECT_EQ(jpeg_with({third, first, second}).metadata.icc, icc);
  const FileBytes foreign = segment(0xFFE2, bytes_of("MPF and more"));
  EXPECT_EQ(jpeg_with({third, foreign, first, second}).metadata.icc, icc);
  const std::vector<std::vector<FileBytes>> broken = {
      {first, third},
      {first, second, third, third},
      {first, second, second},
      {profile_part(1, 2, icc), profile_part(1, 2, icc)},
      {profile_part(0, 1, icc)},
      {profile_part(2, 1, icc)},
      {profile_part(1, 2, icc)},
      {profile_part(1, 0, icc)},
      {profile_part(1, 1, part(0, 299))},
      {profile_part(1, 1, part(4, 290))},
      {profile_part(1, 1, {})},
      std::vector<FileBytes>(300, profile_part(1, 255, {})),
  };
  for (const auto& segments : broken) {
    const DecodedImage found = jpeg_with(segments);
    EXPECT_TRUE(found.metadata.icc.empty());
    EXPECT_EQ(found.details, std::vector<std::string>{"its ICC profile is damaged and is left out"});
  }
}

TEST(JpegMetadata, DamagedExifIsLeftOut) {
  const FileBytes damaged = bytes_of(std::string_view("Exif\0\0II+\0\0\0\0\0", 14));
  const DecodedImage found = jpeg_with({segment(0xFFE1, damaged)});
  EXPECT_TRUE(found.metadata.exif.empty());
  EXPECT_EQ(found.details, std::vector<std::string>{"its EXIF data is damaged and is left out"});
}

TEST(JpegMetadata, DensityIsThatOfJfif) {
  const auto density = [](std::uint32_t unit, std::uint32_t x, std::uint32_t y) {
    FileBytes jfif = bytes_of(std::string_view("JFIF\0\1\1", 7));
    add_be(jfif, unit, 1);
    add_be(jfif, x, 2);
    add_be(jfif, y, 2);
    add_be(jfif, 0, 2);
    return jpeg_with({segment(0xFFE0, jfif)}).metadata.density;
  };
  EXPECT_EQ(density(1, 300, 72), (PixelDensity{300, 72, DensityUnit::inch}));
  EXPECT_EQ(density(2, 28, 28), (PixelDensity{28, 28, DensityUnit::centimeter}));
  EXPECT_EQ(density(0, 1, 2), (PixelDensity{1, 2, DensityUnit::none}));
  EXPECT_EQ(density(0, 1, 1), std::nullopt);
  EXPECT_EQ(density(1, 0, 72), std::nullopt);
  EXPECT_EQ(density(3, 72, 72), std::nullopt);
}

TEST(ExifOrientation, IsResetInPlace) {
  for (const bool big_endian : {false, true}) {
    for (const int type : {3, 4}) {
      for (int orientation = 1; orientation <= 9; ++orientation) {
        FileBytes exif = exif_with(orientation, big_endian);
        FileBytes upright = exif_with(1, big_endian);
        const auto as_long = [&](FileBytes& data, int value) {
          data[big_endian ? 13 : 12] = std::byte{4};
          FileBytes number;
          big_endian ? add_be(number, static_cast<unsigned>(value), 4)
                     : add_le(number, static_cast<unsigned>(value), 4);
          std::copy(number.begin(), number.end(), data.begin() + 18);
        };
        if (type == 4) {
          as_long(exif, orientation);
          as_long(upright, 1);
          EXPECT_EQ(exif_orientation(exif), orientation == 9 ? 1 : orientation);
        }
        reset_orientation(exif);
        EXPECT_EQ(exif, upright);
        EXPECT_EQ(exif_orientation(exif), 1);
      }
    }
  }
}

TEST(ExifOrientation, ResetsNothingElseInHostileData) {
  Random random;
  SCOPED_TRACE(random.trace());
  for (int round = 0; round < 20000; ++round) {
    FileBytes exif = exif_with(random.between(1, 8), random.below(2) == 1);
    for (int i = random.between(0, 3); i > 0; --i) {
      exif[random.below(static_cast<std::uint32_t>(exif.size()))] = static_cast<std::byte>(random.below(256));
    }
    exif.resize(random.below(static_cast<std::uint32_t>(exif.size()) + 1));
    FileBytes after(exif.begin(), exif.end());
    reset_orientation(after);
    ASSERT_EQ(exif_orientation(after), 1);
    for (std::size_t i = 0; i < exif.size(); ++i) {
      ASSERT_TRUE(after[i] == exif[i] || (i >= 18 && i < 22)) << i;
    }
  }
}

}  // namespace
}  // namespace gpuimg
