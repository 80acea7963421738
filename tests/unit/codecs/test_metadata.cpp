// Metadata carried between PNG and JPEG in all four directions, the reset of the orientation, units of density, and
// metadata that a format or the pixels cannot hold.
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "codecs/metadata/exif.hpp"
#include "codecs/metadata/icc.hpp"
#include "codecs/metadata/metadata.hpp"
#include "support/icc_maker.hpp"
#include "support/jpeg_maker.hpp"
#include "support/metadata_maker.hpp"
#include "support/test_images.hpp"

namespace gpuimg::test_metadata {
using namespace codecs;

namespace {

using namespace test;

constexpr PixelFormat kGray{Sample::u8, 1};
constexpr PixelFormat kRgb{Sample::u8, 3};

std::vector<std::string> left_out(const Metadata& metadata, FileFormat type, PixelFormat format) {
  return carried_metadata(metadata, type, format).left_out;
}

TEST(Metadata, RoundTripsThroughPng) {
  Random random;
  SCOPED_TRACE(random.trace());
  for (const PixelFormat format : photographic_formats()) {
    const Image image = any_image(random, 13, 7, format);
    Metadata metadata = full_metadata(format);
    for (const bool with_profile : {true, false}) {
      const DecodedImage found = decode(written(image, FileFormat::png, metadata));
      EXPECT_TRUE(same_pixels(found.image.view(), image.view()));
      EXPECT_EQ(found.metadata, metadata) << with_profile;
      EXPECT_TRUE(found.details.empty());
      metadata.icc.clear();
      metadata.srgb = 2;
    }
  }
}

TEST(Metadata, RoundTripsThroughJpegIfJpegCanHoldIt) {
  Random random;
  SCOPED_TRACE(random.trace());
  for (const PixelFormat format : {kGray, kRgb}) {
    const Image image = any_image(random, 13, 7, format);
    for (const std::size_t size : {0U, 65518U, 65519U, 65520U, 131038U, 131039U, 1000000U}) {
      const Metadata metadata = full_metadata(format, size);
      const DecodedImage found = decode(written(image, FileFormat::jpeg, metadata));
      EXPECT_EQ(found.metadata.icc, metadata.icc) << size;
      EXPECT_EQ(found.metadata.exif, metadata.exif);
      EXPECT_EQ(found.metadata.xmp, metadata.xmp);
      EXPECT_EQ(found.metadata.iptc, metadata.iptc);
      EXPECT_TRUE(found.metadata.not_kept.empty());
      EXPECT_EQ(found.metadata.density, (PixelDensity{300, 72, DensityUnit::inch}));
      EXPECT_TRUE(found.details.empty());
      const DecodedImage png = decode(written(found.image, FileFormat::png, found.metadata));
      EXPECT_EQ(png.metadata.icc, metadata.icc) << size;
      EXPECT_EQ(png.metadata.exif, metadata.exif);
      EXPECT_EQ(png.metadata.density, metadata.density);
      EXPECT_EQ(png.metadata.xmp, metadata.xmp);
      EXPECT_EQ(png.metadata.iptc, metadata.iptc);
    }
  }
  const Metadata largest = full_metadata(kGray, kMaxIccBytes);
  EXPECT_EQ(decode(written(constant_image(1, 1, kGray, 3), FileFormat::jpeg, largest)).metadata.icc, largest.icc);
}

TEST(Metadata, DoesNotChangeThePixelsOfAJpeg) {
  Random random;
  const Image image = any_image(random, 40, 30, kRgb);
  const DecodedImage plain = decode(written(image, FileFormat::jpeg, {}));
  const DecodedImage tagged = decode(written(image, FileFormat::jpeg, full_metadata(kRgb)));
  EXPECT_TRUE(same_pixels(tagged.image.view(), plain.image.view()));
  EXPECT_EQ(plain.metadata, Metadata{});
}

TEST(Metadata, OrientationIsResetForUprightPixels) {
  Random random;
  SCOPED_TRACE(random.trace());
  for (const PixelFormat format : photographic_formats()) {
    const bool fits_jpeg = format.sample == Sample::u8 && !format.has_alpha();
    for (int orientation = 1; orientation <= 8; ++orientation) {
      for (const FileFormat type : {FileFormat::png, FileFormat::jpeg}) {
        if (type == FileFormat::jpeg && !fits_jpeg) {
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
  const auto png = [](std::uint32_t value, DensityUnit unit) { return density_for_png({value, value, unit})->x; };
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
  EXPECT_EQ(jfif(65536, DensityUnit::none), (PixelDensity{1, 1, DensityUnit::none}));
  EXPECT_EQ(density_for_jfif({65537, 65536, DensityUnit::none}), std::nullopt);
  for (std::uint32_t value = 1; value <= 65535; ++value) {
    for (const DensityUnit unit : {DensityUnit::none, DensityUnit::inch}) {
      const PixelDensity density{value, value, unit};
      ASSERT_EQ(density_for_jfif(*density_for_png(density)), density);
      ASSERT_EQ(density_for_tiff(*density_for_png(density)), density);
    }
    const PixelDensity per_meter{value, value, DensityUnit::meter};
    ASSERT_EQ(density_for_png(density_for_tiff(per_meter)), per_meter);
    const PixelDensity per_centimeter{value, value, DensityUnit::centimeter};
    const auto png_of_it = density_for_png(per_centimeter);
    ASSERT_EQ(density_for_png(density_for_tiff(*png_of_it)), png_of_it);
  }
}

TEST(Metadata, FractionalDensityUsesTheUnitThatKeepsItExact) {
  const auto both = [](const Ratio& ratio, DensityUnit unit) { return PixelDensity{ratio, ratio, unit}; };
  EXPECT_EQ(density_for_png(both({11811, 100}, DensityUnit::centimeter)), both(11811, DensityUnit::meter));
  EXPECT_EQ(density_for_png(both({2, 5}, DensityUnit::centimeter)), both(40, DensityUnit::meter));
  EXPECT_EQ(density_for_png(both({4064, 5}, DensityUnit::inch)), both(32000, DensityUnit::meter));
  EXPECT_EQ(density_for_png(both({1, 100}, DensityUnit::inch)), std::nullopt);
  EXPECT_EQ(density_for_png({{1, 2}, {1, 3}, DensityUnit::none}), (PixelDensity{3, 2, DensityUnit::none}));
  EXPECT_EQ(density_for_jfif(both({4064, 5}, DensityUnit::inch)), both(320, DensityUnit::centimeter));
  EXPECT_EQ(density_for_jfif(both({11811, 100}, DensityUnit::centimeter)), both(300, DensityUnit::inch));
  EXPECT_EQ(density_for_jfif(both({2, 5}, DensityUnit::centimeter)), both(1, DensityUnit::inch));
  EXPECT_EQ(density_for_jfif(both({1, 10}, DensityUnit::centimeter)), std::nullopt);
  EXPECT_EQ(density_for_tiff(both(11810, DensityUnit::meter)), both({1181, 10}, DensityUnit::centimeter));
}

TEST(Metadata, SimplestRatioRecoversARoundedFraction) {
  for (const Ratio& ratio : {Ratio(300), Ratio(11811, 100), Ratio(4064, 5), Ratio(2, 5), Ratio(1, 3),
                             Ratio(72009, 1000), Ratio(65535), Ratio(1, 1000)}) {
    const auto single = static_cast<double>(static_cast<float>(ratio.value()));
    EXPECT_EQ(simplest_ratio(single, single / (1U << 24U)), ratio) << ratio.value();
  }
  for (const double value : {0.0, -1.0, 1e10, std::numeric_limits<double>::quiet_NaN()}) {
    EXPECT_EQ(simplest_ratio(value, 1e-9), std::nullopt);
  }
}

TEST(Metadata, NamesARoundedDensity) {
  Metadata metadata;
  metadata.density = PixelDensity{{145, 2}, 300, DensityUnit::inch};
  EXPECT_EQ(
      left_out(metadata, FileFormat::jpeg, kRgb),
      std::vector<std::string>{"the pixel density 72.5 x 300 per inch is rounded to 73 x 300 per inch: JPEG holds "
                               "1 to 65535 pixels per inch"});
  metadata.density = PixelDensity{11811, 2835, DensityUnit::meter};
  EXPECT_TRUE(left_out(metadata, FileFormat::jpeg, kRgb).empty());
  metadata.density = PixelDensity{300, 72, DensityUnit::inch};
  EXPECT_TRUE(left_out(metadata, FileFormat::png, kRgb).empty());
  metadata.density = PixelDensity{{1, 100}, {1, 100}, DensityUnit::inch};
  EXPECT_EQ(left_out(metadata, FileFormat::png, kRgb),
            std::vector<std::string>{"the pixel density is not copied: PNG holds whole numbers of pixels per meter"});
}

TEST(Metadata, XmpOfAMotionPhotoDoesNotMentionTheVideo) {
  Metadata metadata;
  metadata.xmp = bytes_of("<x:xmpmeta><a GCamera:MotionPhoto='1' dc:title='t'/></x:xmpmeta>");
  const CarriedMetadata carried = carried_metadata(metadata, FileFormat::jpeg, kRgb);
  EXPECT_EQ(carried.metadata.xmp.size(), metadata.xmp.size());
  EXPECT_EQ(carried.left_out,
            std::vector<std::string>{"the XMP about a motion photo is not copied: the video is not written"});
  EXPECT_TRUE(left_out(carried.metadata, FileFormat::jpeg, kRgb).empty());
  metadata.xmp = bytes_of("<x:xmpmeta><a><GCamera:MotionPhoto></a></x:xmpmeta>");
  EXPECT_TRUE(carried_metadata(metadata, FileFormat::jpeg, kRgb).metadata.xmp.empty());
}

TEST(Metadata, OnlyPositionsAreRemoved) {
  for (const bool is_big_endian : {false, true}) {
    Metadata metadata;
    metadata.exif = rich_exif({.is_big_endian = is_big_endian, .orientation = 6, .has_thumbnail = true});
    metadata.xmp = bytes_of("<a exif:GPSLatitude='47,30N' exif:FNumber='2'/>");
    metadata.icc = make_icc();
    const auto before = read_exif_directories(in_memory(metadata.exif));
    EXPECT_EQ(before->gps.size(), 2U);
    EXPECT_EQ(remove_positions(metadata).size(), 2U);
    const auto after = read_exif_directories(in_memory(metadata.exif));
    ASSERT_TRUE(after);
    EXPECT_TRUE(after->gps.empty());
    EXPECT_EQ(after->exif.size(), before->exif.size());
    EXPECT_EQ(after->image.size(), before->image.size());
    EXPECT_TRUE(after->has_next);
    EXPECT_EQ(exif_orientation(metadata.exif), 6);
    const FileBytes number = {std::byte{47}, std::byte{0}, std::byte{0}, std::byte{0}};
    const FileBytes swapped(number.rbegin(), number.rend());
    const FileBytes& wanted = is_big_endian ? swapped : number;
    EXPECT_EQ(std::search(metadata.exif.begin(), metadata.exif.end(), wanted.begin(), wanted.end()),
              metadata.exif.end());
    EXPECT_EQ(std::string_view(reinterpret_cast<const char*>(metadata.xmp.data()), metadata.xmp.size()).find("GPS"),
              std::string_view::npos);
    EXPECT_FALSE(metadata.icc.empty());
    EXPECT_TRUE(remove_positions(metadata).empty());
  }
  Metadata overlapping;
  overlapping.exif = rich_exif();
  overlapping.exif[10 + 4 * 12 + 8] = std::byte{8};  // the GPS link points to the main directory
  EXPECT_EQ(remove_positions(overlapping).size(), 1U);
  EXPECT_TRUE(overlapping.exif.empty());
}

TEST(Metadata, PositionsOfHostileExifAreRemovedSafely) {
  Random random;
  SCOPED_TRACE(random.trace());
  for (int i = 0; i < 20000; ++i) {
    Metadata metadata;
    metadata.exif = rich_exif({.is_big_endian = random.below(2) == 1, .has_thumbnail = true});
    for (std::uint32_t changes = 1 + random.below(4); changes > 0; --changes) {
      metadata.exif[random.below(static_cast<std::uint32_t>(metadata.exif.size()))] =
          static_cast<std::byte>(random.below(256));
    }
    metadata.exif.resize(random.below(static_cast<std::uint32_t>(metadata.exif.size()) + 1));
    (void)remove_positions(metadata);
    (void)exif_density(metadata.exif);
  }
}

/// An EXIF directory with the two resolutions and their unit.
FileBytes exif_of_density(std::uint32_t x, std::uint32_t y, std::uint32_t unit) {
  FileBytes exif = bytes_of(std::string_view("MM\0*\0\0\0\x08\0\3", 10));
  constexpr std::uint32_t kRatios = 8 + 2 + 3 * 12 + 4;
  for (std::uint32_t i = 0; i < 2; ++i) {
    add_be(exif, (282 + i) << 16 | 5, 4);
    add_be(exif, 1, 4);
    add_be(exif, kRatios + 8 * i, 4);
  }
  add_be(exif, 296 << 16 | 3, 4);
  add_be(exif, 1, 4);
  add_be(exif, unit << 16, 4);
  add_be(exif, 0, 4);
  for (const std::uint32_t number : {x * 10, 10U, y * 10, 10U}) {
    add_be(exif, number, 4);
  }
  return exif;
}

TEST(Metadata, ExifDensityIsUsedIfThereIsNoOther) {
  EXPECT_EQ(exif_density(exif_of_density(300, 72, 2)), (PixelDensity{300, 72, DensityUnit::inch}));
  EXPECT_EQ(exif_density(exif_of_density(300, 72, 3)), (PixelDensity{300, 72, DensityUnit::centimeter}));
  EXPECT_EQ(exif_density(exif_of_density(2, 1, 1)), (PixelDensity{2, 1, DensityUnit::none}));
  EXPECT_EQ(exif_density(exif_of_density(1, 1, 1)), std::nullopt);
  EXPECT_EQ(exif_density(exif_of_density(0, 72, 2)), std::nullopt);
  EXPECT_EQ(exif_density(exif_of_density(300, 72, 4)), std::nullopt);
  const FileBytes whole = exif_of_density(300, 72, 2);
  for (std::size_t size = 0; size < whole.size(); ++size) {
    EXPECT_EQ(exif_density(std::span(whole).first(size)), std::nullopt) << size;
  }
  Metadata metadata;
  metadata.exif = whole;
  const Image image = constant_image(2, 2, kRgb, 9);
  for (const FileFormat type : {FileFormat::png, FileFormat::jpeg}) {
    EXPECT_EQ(decode(written(image, type, metadata)).metadata.density, (PixelDensity{300, 72, DensityUnit::inch}));
  }
  metadata.density = PixelDensity{100, 100, DensityUnit::inch};
  EXPECT_EQ(decode(written(image, FileFormat::jpeg, metadata)).metadata.density, metadata.density);
}

TEST(Metadata, NamesPartsThatJpegCannotHold) {
  Metadata metadata = full_metadata(kRgb);
  metadata.srgb = 0;
  metadata.exif.resize(65528);
  metadata.density->x = 0x7FFFFFFF;
  metadata.xmp = xmp_packet(65502);
  metadata.iptc.resize(65507);
  EXPECT_EQ(left_out(metadata, FileFormat::jpeg, kRgb),
            (std::vector<std::string>{
                "cICP is not copied: JPEG has no place for it", "sRGB is not copied: JPEG has no place for it",
                "gAMA is not copied: JPEG has no place for it", "cHRM is not copied: JPEG has no place for it",
                "the EXIF data is not copied: JPEG holds at most 65527 bytes of it",
                "the pixel density is not copied: JPEG holds 1 to 65535 pixels per inch",
                "the XMP is not copied: JPEG holds at most 65502 bytes of it",
                "the IPTC data is not copied: JPEG holds at most 65506 bytes of it"}));
  metadata.exif.resize(65527);
  metadata.xmp = xmp_packet(65502 - xmp_packet(0).size());
  metadata.iptc.resize(65506);
  const DecodedImage found = decode(written(constant_image(2, 2, kRgb, 9), FileFormat::jpeg, metadata));
  EXPECT_EQ(found.metadata.exif, metadata.exif);
  EXPECT_EQ(found.metadata.xmp, metadata.xmp);
  EXPECT_EQ(found.metadata.iptc, metadata.iptc);
  EXPECT_EQ(found.metadata.density, std::nullopt);
}

TEST(Metadata, ProfileMustMatchTheChannels) {
  for (const PixelFormat format : photographic_formats()) {
    for (const char* space : {"GRAY", "RGB ", "CMYK", "Lab "}) {
      Metadata metadata;
      metadata.icc = make_icc({.color_space = space});
      const bool fits = std::string(space) == (is_color(format) ? "RGB " : "GRAY");
      const CarriedMetadata carried = carried_metadata(metadata, FileFormat::png, format);
      EXPECT_EQ(carried.metadata.icc.empty(), !fits) << space << " for " << name_of(format);
      EXPECT_EQ(carried.left_out.size(), fits ? 0U : 1U);
    }
  }
}

TEST(Metadata, IsNotWrittenToFormatsWithoutMetadata) {
  for (const Codec& codec : codecs::codecs()) {
    if (codec.is_written() && codec.fit_metadata == nullptr) {
      const CarriedMetadata carried = carried_metadata(full_metadata(kRgb), codec.format, kRgb);
      EXPECT_EQ(carried.metadata, Metadata{}) << codec.name;
      EXPECT_EQ(carried.left_out.size(), 8U) << codec.name;
      EXPECT_TRUE(left_out({}, codec.format, kRgb).empty()) << codec.name;
    }
  }
  EXPECT_EQ(left_out(full_metadata(kRgb), FileFormat::tga, kRgb).at(0),
            "the ICC profile is not copied: gpuimg writes no metadata to TGA");
}

/// Decodes a PNG with EXIF orientation 6 and this XMP.
DecodedImage turned_with(const FileBytes& xmp, const FileBytes& exif = exif_with(6, false)) {
  Metadata metadata;
  metadata.exif = exif;
  metadata.xmp = xmp;
  return decode(written(constant_image(4, 2, kRgb, 9), FileFormat::png, metadata));
}

TEST(Metadata, XmpOrientationFollowsThePixels) {
  FileBytes turned = xmp_packet();
  const std::string_view name = "Orientation=\"";
  const auto at = std::search(turned.begin(), turned.end(), name.begin(), name.end(),
                              [](std::byte a, char b) { return a == static_cast<std::byte>(b); });
  at[static_cast<std::ptrdiff_t>(name.size())] = std::byte{'6'};
  EXPECT_EQ(turned_with(turned).metadata.xmp, xmp_packet());
  EXPECT_TRUE(turned_with(turned).details.empty());
  // EXIF declares the stored pixels as upright.
  EXPECT_EQ(turned_with(turned, exif_with(1, true)).metadata.xmp, turned);
}

TEST(Metadata, XmpThatCannotBeResetIsLeftOut) {
  const FileBytes odd = bytes_of("<a tiff:Orientation='six'/>");
  const DecodedImage found = turned_with(odd);
  EXPECT_TRUE(found.metadata.xmp.empty());
  EXPECT_EQ(found.details, std::vector<std::string>{"its XMP has an orientation that cannot be reset and is left out"});
  EXPECT_EQ(turned_with(odd, exif_with(1, true)).metadata.xmp, odd);
}

TEST(Metadata, AThumbnailThatIsNotRotatedIsUnlinked) {
  for (const bool big_endian : {false, true}) {
    FileBytes exif = exif_with(6, big_endian);
    const FileBytes upright = exif_with(1, big_endian);
    exif[exif.size() - (big_endian ? 1 : 4)] = std::byte{26};  // the first directory links to a second one at its end
    FileBytes directory(upright.begin() + 8, upright.end());
    add_bytes(exif, directory);
    const DecodedImage found = turned_with({}, exif);
    EXPECT_EQ(found.details, std::vector<std::string>{"its EXIF thumbnail is not turned and is left out"});
    ASSERT_EQ(found.metadata.exif.size(), exif.size());
    EXPECT_TRUE(std::equal(upright.begin(), upright.end(), found.metadata.exif.begin()));
  }
}

TEST(Metadata, NamesDroppedPartsForEveryFormat) {
  Metadata metadata;
  metadata.not_kept = {"the tIME chunk", "the COM segment"};
  for (const Codec& codec : codecs::codecs()) {
    EXPECT_EQ(left_out(metadata, codec.format, kRgb),
              (std::vector<std::string>{"the tIME chunk is not copied: gpuimg does not keep it",
                                        "the COM segment is not copied: gpuimg does not keep it"}));
  }
}

}  // namespace
}  // namespace gpuimg::test_metadata
