// Metadata carried between TIFF, JPEG and PNG: EXIF, GPS, IPTC as programs store it, orientation, and damage.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "codecs/metadata/exif.hpp"
#include "codecs/metadata/iptc.hpp"
#include "support/metadata_maker.hpp"
#include "support/test_images.hpp"

namespace gpuimg::test_tiff_metadata {
using namespace codecs;

namespace {

using namespace test;

constexpr PixelFormat kRgb{Sample::u8, 3};

Image small_image() { return constant_image(5, 4, kRgb, 77); }

FileBytes tiff_with(const Metadata& metadata) { return written(small_image(), FileFormat::tiff, metadata); }

FileBytes little_endian(const FileBytes& exif, int orientation) {
  return exif_data(*read_exif_directories(in_memory(exif)), orientation);
}

/// The type field of a tag in a little-endian TIFF with one directory.
FileBytes::iterator entry_of(FileBytes& file, std::uint32_t tag) {
  const auto found = [&](std::size_t at) { return u16le_at(file, at) == tag; };
  std::size_t at = u32le_at(file, 4) + 2;
  while (!found(at)) {
    at += 12;
  }
  return file.begin() + static_cast<std::ptrdiff_t>(at);
}

TEST(TiffMetadata, ExifRoundTripsThroughTiff) {
  for (const bool is_big_endian : {false, true}) {
    for (int orientation = 1; orientation <= 8; ++orientation) {
      Metadata metadata;
      metadata.exif = rich_exif({.is_big_endian = is_big_endian, .orientation = orientation});
      const FileBytes jpeg = written(small_image(), FileFormat::jpeg, metadata);
      const DecodedImage stored = decode(jpeg, "t", {.auto_orient = false});
      const DecodedImage tiff = decode(tiff_with(stored.metadata), "t", {.auto_orient = false});
      EXPECT_EQ(tiff.metadata.exif, little_endian(metadata.exif, orientation));
      EXPECT_EQ(exif_orientation(tiff.metadata.exif), orientation);
      EXPECT_TRUE(tiff.details.empty() && tiff.metadata.not_kept.empty());
      const DecodedImage back =
          decode(written(small_image(), FileFormat::jpeg, tiff.metadata), "t", {.auto_orient = false});
      EXPECT_EQ(back.metadata.exif, tiff.metadata.exif);
      const DecodedImage upright = decode(tiff_with(stored.metadata));
      EXPECT_EQ(exif_orientation(upright.metadata.exif), 1);
      EXPECT_EQ(upright.image.width(), orientation >= 5 ? 4 : 5);
      EXPECT_EQ(decode(tiff_with(upright.metadata)).metadata.exif, little_endian(metadata.exif, 1));
    }
  }
}

TEST(TiffMetadata, RoundTripsIfTiffCanHoldIt) {
  Metadata metadata = full_metadata(kRgb);
  metadata.exif = rich_exif();
  const DecodedImage found = decode(tiff_with(metadata));
  EXPECT_EQ(found.metadata.icc, metadata.icc);
  EXPECT_EQ(found.metadata.xmp, metadata.xmp);
  EXPECT_EQ(found.metadata.iptc, metadata.iptc);
  EXPECT_EQ(found.metadata.exif, little_endian(metadata.exif, 1));
  EXPECT_TRUE(same_pixels(found.image.view(), small_image().view()));
  EXPECT_TRUE(found.details.empty());
}

TEST(TiffMetadata, DensityRoundTripsExactly) {
  const Ratio ratios[] = {300, {11811, 100}, {4064, 5}, {2, 5}, {145, 2}, {1, 3}, 65535};
  for (const DensityUnit unit : {DensityUnit::none, DensityUnit::inch, DensityUnit::centimeter}) {
    for (const Ratio& ratio : ratios) {
      Metadata metadata;
      metadata.density = PixelDensity{ratio, 72, unit};
      EXPECT_EQ(decode(tiff_with(metadata)).metadata.density, metadata.density) << ratio.value();
    }
  }
  Metadata square;
  square.density = PixelDensity{3, 3, DensityUnit::none};
  EXPECT_EQ(decode(tiff_with(square)).metadata.density, std::nullopt);
  square.density = PixelDensity{11811, 11810, DensityUnit::meter};
  const Metadata back = decode(tiff_with(square)).metadata;
  EXPECT_EQ(back.density, (PixelDensity{{11811, 100}, {1181, 10}, DensityUnit::centimeter}));
  EXPECT_EQ(density_for_png(*back.density), square.density);
}

TEST(TiffMetadata, IsAbsentInPlainFiles) {
  const DecodedImage found = decode(tiff_with({}));
  EXPECT_EQ(found.metadata, Metadata{});
  EXPECT_TRUE(found.details.empty());
}

TEST(TiffMetadata, IptcOfAnyLengthRoundTrips) {
  for (std::size_t size = 0; size < 9; ++size) {
    Metadata metadata;
    metadata.iptc = bytes_of(std::string_view("\x1C\2\x19\0", 4));
    metadata.iptc.push_back(static_cast<std::byte>(size));
    metadata.iptc.resize(5 + size, std::byte{0});  // zeros that are not padding
    EXPECT_EQ(decode(tiff_with(metadata)).metadata.iptc, metadata.iptc) << size;
  }
}

/// A TIFF whose IPTC bytes are stored under another tag and with another type.
FileBytes tiff_with_iptc_as(const FileBytes& bytes, std::uint32_t tag, std::uint32_t type, std::uint32_t count) {
  Metadata metadata;
  metadata.iptc = bytes;
  FileBytes file = tiff_with(metadata);
  FileBytes entry;
  add_le(entry, tag, 2);
  add_le(entry, type, 2);
  add_le(entry, count, 4);
  std::copy(entry.begin(), entry.end(), entry_of(file, 33723));
  return file;
}

TEST(TiffMetadata, IptcIsReadFromEveryTagAndType) {
  constexpr std::uint32_t kIptc = 33723;
  constexpr std::uint32_t kPhotoshop = 34377;
  for (const std::uint32_t type : {1U, 7U}) {
    EXPECT_EQ(decode(tiff_with_iptc_as(iptc_data(), kIptc, type, 19)).metadata.iptc, iptc_data()) << type;
  }
  FileBytes padded = iptc_data();
  padded.push_back(std::byte{0});
  EXPECT_EQ(decode(tiff_with_iptc_as(padded, kIptc, 4, 5)).metadata.iptc, iptc_data());
  for (auto number = padded.begin(); number != padded.end(); number += 4) {
    std::reverse(number, number + 4);
  }
  EXPECT_EQ(decode(tiff_with_iptc_as(padded, kIptc, 4, 5)).metadata.iptc, iptc_data());
  const FileBytes resource = iptc_resource(iptc_data());
  const auto size = static_cast<std::uint32_t>(resource.size());
  EXPECT_EQ(decode(tiff_with_iptc_as(resource, kPhotoshop, 1, size)).metadata.iptc, iptc_data());
}

TEST(TiffMetadata, DamagedPiecesAreLeftOut) {
  Metadata metadata;
  metadata.exif = rich_exif({.orientation = 6});
  FileBytes file = tiff_with(metadata);
  entry_of(file, 34665)[11] = std::byte{0x7F};  // an offset far past the end
  const DecodedImage found = decode(file, "t", {.auto_orient = false});
  EXPECT_EQ(found.details, std::vector<std::string>{"its EXIF data is damaged and is left out"});
  EXPECT_EQ(found.metadata.exif, exif_data({}, 6));
  EXPECT_TRUE(same_pixels(found.image.view(), small_image().view()));

  metadata.iptc = iptc_data();
  file = tiff_with(metadata);
  entry_of(file, 33723)[4] = std::byte{1};  // too short for a dataset
  EXPECT_EQ(decode(file).details, std::vector<std::string>{"its IPTC data is damaged and is left out"});
}

TEST(TiffMetadata, NamesPartsThatTiffCannotHold) {
  Metadata metadata;
  metadata.exif = rich_exif({.has_maker_note = true, .has_thumbnail = true});
  EXPECT_EQ(carried_metadata(metadata, FileFormat::tiff, kRgb).left_out,
            (std::vector<std::string>{"the maker note is not copied: its file offsets would be wrong in TIFF",
                                      "the EXIF thumbnail is not copied: in TIFF it would be read as a page"}));
  metadata.exif = exif_with(6, true);
  metadata.exif[7] = std::byte{0xFF};
  EXPECT_EQ(carried_metadata(metadata, FileFormat::tiff, kRgb).left_out,
            std::vector<std::string>{"the EXIF data is not copied: a part of it is damaged or larger than 1 MB"});
  metadata.exif = exif_with(6, true);
  EXPECT_TRUE(carried_metadata(metadata, FileFormat::tiff, kRgb).left_out.empty());
}

TEST(TiffMetadata, MachineReadableDescriptionsAreLeftOut) {
  ExifDirectories directories;
  for (const std::string text :
       {"Harbor at dusk", "ImageJ=1.53\nimages=3", "<?xml version='1.0'?><OME/>", "{\"shape\": [4]}"}) {
    FileBytes value = bytes_of(text);
    value.push_back({});
    directories.image = {{270, 2, static_cast<std::uint32_t>(value.size()), value}};
    Metadata metadata;
    metadata.exif = exif_data(directories, 1);
    const Metadata found = decode(tiff_with(metadata)).metadata;
    const bool is_kept = text.starts_with("Harbor");
    EXPECT_EQ(found.exif == metadata.exif, is_kept) << text;
    EXPECT_EQ(found.not_kept.empty(), is_kept) << text;
  }
}

ExifEntry text_entry(std::uint16_t tag, std::string_view text) {
  FileBytes value = bytes_of(text);
  value.push_back({});
  return {tag, 2, static_cast<std::uint32_t>(value.size()), value};
}

FileBytes directory_of(std::vector<ExifEntry> entries) {
  ExifDirectories directories;
  directories.image = std::move(entries);
  return exif_data(directories, 1);
}

FileBytes geotiff() {
  const auto numbers = [](std::uint32_t count, int bytes) {
    FileBytes value;
    for (std::uint32_t i = 0; i < count; ++i) {
      add_le(value, bytes == 8 ? 0x3FF0000000000000U + i : i, bytes);
    }
    return value;
  };
  return directory_of({{33550, 12, 3, numbers(3, 8)},
                       {33922, 12, 6, numbers(6, 8)},
                       {34735, 3, 8, numbers(8, 2)},
                       {34736, 12, 2, numbers(2, 8)},
                       text_entry(34737, "WGS 84|")});
}

TEST(TiffMetadata, GeotiffTagsAreKeptIfThePixelsStayInPlace) {
  Metadata metadata;
  metadata.geotiff = geotiff();
  const DecodedImage found = decode(tiff_with(metadata));
  EXPECT_EQ(found.metadata, metadata);
  EXPECT_EQ(decode(tiff_with(found.metadata)).metadata, metadata);
  for (const FileFormat other : {FileFormat::png, FileFormat::jpeg, FileFormat::bmp, FileFormat::tga}) {
    const CarriedMetadata carried = carried_metadata(metadata, other, kRgb);
    EXPECT_EQ(carried.left_out,
              std::vector<std::string>{"the georeference (GeoTIFF) is not copied: only TIFF has a place for it"});
    EXPECT_TRUE(carried.metadata.geotiff.empty());
  }
  EXPECT_TRUE(carried_metadata(metadata, FileFormat::tiff, kRgb).left_out.empty());
  metadata.exif = exif_with(6, false);
  const DecodedImage turned = decode(tiff_with(metadata));
  EXPECT_TRUE(turned.metadata.geotiff.empty());
  EXPECT_EQ(turned.details, std::vector<std::string>{
                                "its georeference (GeoTIFF) is for the image before it is turned and is left out"});
  EXPECT_EQ(decode(tiff_with(metadata), "t", {.auto_orient = false}).metadata.geotiff, metadata.geotiff);
}

TEST(TiffMetadata, ImagejCalibrationIsKeptIfThePixelsStayInPlace) {
  FileBytes quarter;
  add_le(quarter, 1, 4);
  add_le(quarter, 4, 4);
  FileBytes no_unit;
  add_le(no_unit, 1, 2);
  const auto calibration = [&](std::string_view text) {
    return directory_of({text_entry(270, text), {282, 5, 1, quarter}, {283, 5, 1, quarter}, {296, 3, 1, no_unit}});
  };
  Metadata metadata;
  metadata.imagej = calibration("ImageJ=1.53t\nimages=1\nunit=micron\nmin=0.0\nxorigin=7\n");
  const DecodedImage found = decode(tiff_with(metadata));
  EXPECT_EQ(found.metadata.imagej, calibration("ImageJ=1.53t\nunit=micron\nxorigin=7\n"));
  EXPECT_TRUE(found.metadata.not_kept.empty());
  EXPECT_EQ(decode(tiff_with(found.metadata)).metadata.imagej, found.metadata.imagej);
  EXPECT_EQ(carried_metadata(found.metadata, FileFormat::png, kRgb).left_out,
            std::vector<std::string>{"the ImageJ calibration is not copied: only TIFF has a place for it"});
}

}  // namespace
}  // namespace gpuimg::test_tiff_metadata
