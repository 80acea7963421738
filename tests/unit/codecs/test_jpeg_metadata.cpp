// Metadata in JPEG: profiles in several parts, damage, and units of density.
#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "codecs/jpeg/jpeg_header.hpp"
#include "codecs/metadata/iptc.hpp"
#include "codecs/metadata/metadata.hpp"
#include "codecs/metadata/xmp.hpp"
#include "support/icc_maker.hpp"
#include "support/jpeg_maker.hpp"
#include "support/metadata_maker.hpp"
#include "support/test_images.hpp"

namespace gpuimg::test_jpeg_metadata {
using namespace codecs;
using namespace codecs::jpeg;

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

/// A JPEG file with these segments inserted after SOI.
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

FileBytes app1(std::string_view mark, const FileBytes& content) {
  FileBytes bytes = bytes_of(mark);
  add_bytes(bytes, content);
  return segment(0xFFE1, bytes);
}

constexpr std::string_view kGuid = "0123456789ABCDEF0123456789ABCDEF";

FileBytes packet_naming(std::string_view guid) {
  return bytes_of("<a xmpNote:HasExtendedXMP='" + std::string(guid) + "'/>");
}

FileBytes extension_part(std::string_view guid, std::size_t size, std::size_t offset, std::span<const std::byte> part) {
  FileBytes content = bytes_of(guid);
  add_be(content, size, 4);
  add_be(content, offset, 4);
  add_bytes(content, part);
  return app1(kJpegXmpExtensionSignature, content);
}

TEST(JpegMetadata, XmpMayEndInNuls) {
  FileBytes padded = xmp_packet();
  padded.resize(padded.size() + 3);
  EXPECT_EQ(jpeg_with({app1(kJpegXmpSignature, padded)}).metadata.xmp, xmp_packet());
  padded.push_back(std::byte{'>'});
  const DecodedImage found = jpeg_with({app1(kJpegXmpSignature, padded)});
  EXPECT_TRUE(found.metadata.xmp.empty());
  EXPECT_EQ(found.details, std::vector<std::string>{"its XMP is damaged and is left out"});
}

TEST(JpegMetadata, PartsOfExtendedXmpAreJoinedByOffset) {
  const FileBytes packet = app1(kJpegXmpSignature, packet_naming(kGuid));
  const FileBytes whole = xmp_packet(200);
  const auto part = [&](std::size_t from, std::size_t size) {
    return extension_part(kGuid, whole.size(), from, std::span(whole).subspan(from, size));
  };
  const FileBytes last = part(150, whole.size() - 150);
  const FileBytes foreign = extension_part("FFFFFFFFFFFFFFFF0123456789ABCDEF", 3, 0, bytes_of("<a>"));
  EXPECT_EQ(jpeg_with({packet, part(0, 150), last}).metadata.xmp_extension, whole);
  EXPECT_EQ(jpeg_with({last, foreign, part(0, 150), packet}).metadata.xmp_extension, whole);
  const FileBytes too_short = app1(kJpegXmpExtensionSignature, bytes_of(kGuid));
  const std::vector<std::vector<FileBytes>> broken = {
      {packet, part(0, 150)},
      {packet, last},
      {packet, part(0, 150), part(149, whole.size() - 149)},
      {packet, part(0, 150), part(0, 150), last},
      {packet, foreign},
      {packet, extension_part(kGuid, 0xFFFFFFFF, 0, whole)},
      {packet, extension_part(kGuid, 0, 0, {})},
      {packet, extension_part(kGuid, 2, 0, bytes_of("no"))},
      {app1(kJpegXmpSignature, packet_naming("0123")), part(0, 150), last},
  };
  for (const auto& segments : broken) {
    const DecodedImage found = jpeg_with(segments);
    EXPECT_TRUE(found.metadata.xmp_extension.empty());
    EXPECT_EQ(found.details, std::vector<std::string>{"its extended XMP is damaged and is left out"});
  }
  EXPECT_EQ(jpeg_with({packet, too_short}).metadata.not_kept, std::vector<std::string>{"the APP1 segment"});
}

TEST(JpegMetadata, ExtendedXmpGoesOnlyIntoJpeg) {
  Metadata metadata;
  metadata.xmp = packet_naming(kGuid);
  for (const std::size_t size : {100U, 65400U, 65401U, 300000U}) {
    metadata.xmp_extension = xmp_packet(size);
    const Image image = constant_image(5, 4, kRgb, 77);
    EXPECT_EQ(decode(written(image, FileFormat::jpeg, metadata)).metadata, metadata) << size;
  }
  const CarriedMetadata carried = carried_metadata(metadata, FileFormat::png, kRgb);
  EXPECT_EQ(carried.left_out, std::vector<std::string>{"the extended XMP is not copied: PNG has no place for it"});
  EXPECT_EQ(carried.metadata.xmp.size(), metadata.xmp.size());
  EXPECT_EQ(xmp_extension_guid(carried.metadata.xmp), "");
}

TEST(JpegMetadata, IptcIsTakenFromPhotoshopResources) {
  FileBytes resources = bytes_of(std::string_view("8BIM\3\xED\0\0\0\0\0\2ab", 14));
  add_bytes(resources, iptc_resource(iptc_data()));
  for (const std::size_t cut : {0U, 5U, 20U}) {  // a resource can span several segments
    FileBytes first = bytes_of(kJpegPhotoshopSignature);
    add_bytes(first, std::span(resources).first(cut));
    FileBytes second = bytes_of(kJpegPhotoshopSignature);
    add_bytes(second, std::span(resources).subspan(cut));
    const DecodedImage found = jpeg_with({segment(0xFFED, first), segment(0xFFED, second)});
    EXPECT_EQ(found.metadata.iptc, iptc_data());
    EXPECT_TRUE(found.details.empty());
  }
}

TEST(JpegMetadata, DamagedPhotoshopDataIsNamed) {
  const auto details = [](std::string_view resources) {
    FileBytes content = bytes_of(kJpegPhotoshopSignature);
    add_text(content, resources);
    return jpeg_with({segment(0xFFED, content)}).details;
  };
  EXPECT_EQ(details(std::string_view("8BIM\4\4\0\0\0\0\0\2ab", 14)),
            std::vector<std::string>{"its IPTC data is damaged and is left out"});
  EXPECT_EQ(details(std::string_view("8BIM\4\4\0\0\0\0\0\3ab", 14)),
            std::vector<std::string>{"the rest of its Photoshop data is damaged and is left out"});
}

TEST(JpegMetadata, OtherSegmentsAreNamed) {
  FileBytes other = bytes_of(kJpegPhotoshopSignature);
  add_text(other, std::string_view("8BIM\3\xED\0\0\0\0\0\0", 12));
  const DecodedImage found = jpeg_with({segment(0xFFED, other), segment(0xFFFE, bytes_of("comment")),
                                        segment(0xFFE2, bytes_of("MPF")), segment(0xFFE2, bytes_of("MPF"))});
  EXPECT_EQ(found.metadata.not_kept,
            (std::vector<std::string>{"Photoshop data other than IPTC", "the APP2 segment", "the COM segment"}));
  JpegChoices adobe;
  adobe.as_rgb = true;
  EXPECT_TRUE(decode(make_jpeg(constant_image(5, 4, kRgb, 77).view(), adobe)).metadata.not_kept.empty());
}

TEST(JpegMetadata, DensityMatchesJfif) {
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
}  // namespace gpuimg::test_jpeg_metadata
