// Metadata of JPEG: profiles in parts, damage, and units of density.
#include <gtest/gtest.h>

#include <vector>

#include "files/metadata.hpp"
#include "support/icc_maker.hpp"
#include "support/jpeg_maker.hpp"
#include "support/test_images.hpp"

namespace gpuimg {
namespace {

using namespace test;

constexpr PixelFormat kRgb{Sample::u8, 3};

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

}  // namespace
}  // namespace gpuimg
