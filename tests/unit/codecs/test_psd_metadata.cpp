// The image resources of a PSD become metadata, which gpuimg also writes to other formats. Damaged resources are left
// out.
#include <gtest/gtest.h>

#include <string>

#include "codecs/file_header.hpp"
#include "codecs/metadata/exif.hpp"
#include "support/metadata_maker.hpp"
#include "support/small_formats.hpp"
#include "support/temporary_folder.hpp"
#include "support/test_images.hpp"

namespace gpuimg::test_psd_metadata {
using namespace codecs;

namespace {

using namespace test;

void add_resource(FileBytes& to, std::uint32_t number, const FileBytes& data) {
  add_text(to, "8BIM");
  add_be(to, number, 2);
  add_be(to, 0, 2);
  add_be(to, data.size(), 4);
  add_bytes(to, data);
  to.resize(to.size() + data.size() % 2);
}

/// Resolutions in pixels per inch, as fixed-point numbers.
FileBytes resolution(std::uint32_t x, std::uint32_t y) {
  FileBytes data;
  for (const std::uint32_t value : {x, y}) {
    add_be(data, value, 4);
    add_be(data, 2, 2);  // the unit for display is the centimeter
    add_be(data, 1, 2);
  }
  return data;
}

FileBytes psd_with(const FileBytes& resources) {
  return make_psd(3, 2, 3, 8, std::vector<std::uint32_t>(18, 9), {.resources = resources});
}

TEST(PsdMetadata, IsReadFromResources) {
  FileBytes resources;
  add_resource(resources, 0x03E9, bytes_of("print settings"));
  add_resource(resources, 0x03ED, resolution(300U << 16, (71U << 16) + 0x8000));
  add_resource(resources, 0x0404, iptc_data());
  add_resource(resources, 0x040F, make_icc());
  add_resource(resources, 0x0422, rich_exif());
  add_resource(resources, 0x0424, xmp_packet());
  const FileBytes file = psd_with(resources);
  const DecodedImage found = decode(file);
  EXPECT_EQ(found.metadata.icc, make_icc());
  EXPECT_EQ(found.metadata.exif, rich_exif());
  EXPECT_EQ(found.metadata.xmp, xmp_packet());
  EXPECT_EQ(found.metadata.iptc, iptc_data());
  EXPECT_EQ(found.metadata.density, (PixelDensity{300, {143, 2}, DensityUnit::inch}));
  EXPECT_EQ(found.metadata.not_kept, std::vector<std::string>{"other Photoshop data"});
  EXPECT_TRUE(found.details.empty());

  const DecodedImage png = decode(written(found.image, FileFormat::png, found.metadata));
  EXPECT_EQ(png.metadata.icc, make_icc());
  EXPECT_EQ(png.metadata.exif, rich_exif());
  const TemporaryFolder folder;
  put_bytes(folder / "a.psd", file);
  EXPECT_EQ(read_file_header(folder / "a.psd").metadata, found.metadata);
}

TEST(PsdMetadata, OrientationIsApplied) {
  FileBytes resources;
  add_resource(resources, 0x0422, exif_with(6, true));
  const DecodedImage found = decode(psd_with(resources));
  EXPECT_EQ(found.image.width(), 2);
  EXPECT_EQ(exif_orientation(found.metadata.exif), 1);
}

TEST(PsdMetadata, DamagedPiecesAreLeftOut) {
  FileBytes resources;
  for (const std::uint32_t number : {0x0404U, 0x040FU, 0x0422U, 0x0424U, 0x03EDU}) {
    add_resource(resources, number, bytes_of("x"));
  }
  const DecodedImage found = decode(psd_with(resources));
  EXPECT_EQ(found.metadata, Metadata{});
  EXPECT_EQ(found.details.size(), 4U);
  resources.resize(resources.size() - 1);
  EXPECT_EQ(decode(psd_with(resources)).details.size(), 4U);
  resources.resize(resources.size() - 1);
  EXPECT_EQ(decode(psd_with(resources)).details.back(), "the rest of its Photoshop data is damaged and is left out");
  EXPECT_TRUE(decode(psd_with({})).details.empty());
}

}  // namespace
}  // namespace gpuimg::test_psd_metadata
