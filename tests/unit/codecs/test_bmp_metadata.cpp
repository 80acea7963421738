// The resolution and the ICC profile of a BMP, and the resolution in BMPs that gpuimg writes.
#include <gtest/gtest.h>

#include <string>

#include "codecs/file_header.hpp"
#include "support/metadata_maker.hpp"
#include "support/small_formats.hpp"
#include "support/temporary_folder.hpp"
#include "support/test_images.hpp"

namespace gpuimg::test_bmp_metadata {
using namespace codecs;

namespace {

using namespace test;

constexpr PixelFormat kRgb{Sample::u8, 3};

void set_le(FileBytes& file, std::size_t at, std::uint32_t value) {
  FileBytes number;
  add_le(number, value, 4);
  std::copy(number.begin(), number.end(), file.begin() + static_cast<std::ptrdiff_t>(at));
}

FileBytes bmp_with_profile(const FileBytes& profile, std::uint32_t color_space = 0x4D424544) {
  FileBytes file = make_bmp(2, 1, 24, {1, 2}, {.header_bytes = 124});
  set_le(file, 70, color_space);
  set_le(file, 126, static_cast<std::uint32_t>(file.size() - 14));
  set_le(file, 130, static_cast<std::uint32_t>(profile.size()));
  add_bytes(file, profile);
  return file;
}

TEST(BmpMetadata, ResolutionIsRead) {
  for (const int header : {40, 52, 56, 64, 108, 124}) {
    FileBytes file = make_bmp(2, 1, 24, {1, 2}, {.header_bytes = header});
    EXPECT_EQ(decode(file).metadata, Metadata{}) << header;
    set_le(file, 38, 11811);
    EXPECT_EQ(decode(file).metadata.density, std::nullopt) << header;
    set_le(file, 42, 2835);
    EXPECT_EQ(decode(file).metadata.density, (PixelDensity{11811, 2835, DensityUnit::meter})) << header;
    set_le(file, 42, 0x80000000);
    EXPECT_EQ(decode(file).metadata.density, std::nullopt) << header;
  }
  EXPECT_EQ(decode(make_bmp(2, 1, 24, {1, 2}, {.header_bytes = 12})).metadata, Metadata{});
}

TEST(BmpMetadata, ProfileOfVersion5IsRead) {
  const TemporaryFolder folder;
  for (const std::size_t size : {std::size_t{0}, std::size_t{200000}}) {  // 200000 bytes exceed the first read
    const FileBytes profile = make_icc({.size = size});
    const FileBytes file = bmp_with_profile(profile);
    const DecodedImage found = decode(file);
    EXPECT_EQ(found.metadata.icc, profile);
    EXPECT_TRUE(found.details.empty());
    EXPECT_EQ(decode(written(found.image, FileFormat::jpeg, found.metadata)).metadata.icc, profile);
    put_bytes(folder / "a.bmp", file);
    EXPECT_EQ(read_file_header(folder / "a.bmp").metadata.icc, profile);
  }
  const Metadata linked = decode(bmp_with_profile(bytes_of("c:\\a.icm"), 0x4C494E4B)).metadata;
  EXPECT_TRUE(linked.icc.empty());
  EXPECT_EQ(linked.not_kept.size(), 1U);
  EXPECT_EQ(decode(bmp_with_profile(make_icc(), 0x73524742)).metadata, Metadata{});
}

TEST(BmpMetadata, DamagedProfilesAreLeftOut) {
  const TemporaryFolder folder;
  const FileBytes whole = bmp_with_profile(make_icc());
  FileBytes cut = whole;
  cut.resize(cut.size() - 1);
  FileBytes far = whole;
  set_le(far, 126, 0xFFFFFFFF);
  set_le(far, 130, 0xFFFFFFFF);
  for (const FileBytes& file : {cut, far, bmp_with_profile(bytes_of("no profile"))}) {
    const DecodedImage found = decode(file);
    EXPECT_TRUE(found.metadata.icc.empty());
    EXPECT_EQ(found.details, std::vector<std::string>{"its ICC profile is damaged and is left out"});
    put_bytes(folder / "a.bmp", file);
    const FileHeader header = read_file_header(folder / "a.bmp");
    EXPECT_EQ(header.image.pixels(), 2U);
    EXPECT_EQ(header.details.size(), 1U);
  }
}

TEST(BmpMetadata, ResolutionIsWritten) {
  for (const PixelFormat format : {PixelFormat{Sample::u8, 1}, kRgb, PixelFormat{Sample::u8, 4}}) {
    const Image image = constant_image(3, 2, format, 7);
    Metadata metadata;
    metadata.density = PixelDensity{300, 72, DensityUnit::inch};
    const FileBytes file = written(image, FileFormat::bmp, metadata);
    EXPECT_EQ(decode(file).metadata.density, (PixelDensity{11811, 2835, DensityUnit::meter}));
    FileBytes without = file;
    set_le(without, 38, 0);
    set_le(without, 42, 0);
    EXPECT_EQ(without, written(image, FileFormat::bmp, {}));
    metadata.density->unit = DensityUnit::none;
    EXPECT_EQ(written(image, FileFormat::bmp, metadata), without);
  }
  EXPECT_EQ(carried_metadata(full_metadata(kRgb), FileFormat::bmp, kRgb).left_out.size(), 7U);
}

}  // namespace
}  // namespace gpuimg::test_bmp_metadata
