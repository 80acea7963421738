// IPTC data in Photoshop resources and in the raw profile text of PNG.
#include <gtest/gtest.h>

#include <string>

#include "codecs/metadata/iptc.hpp"
#include "support/file_bytes.hpp"
#include "support/metadata_maker.hpp"

namespace gpuimg::test_iptc {
using namespace codecs;

namespace {

using namespace test;
using namespace std::string_view_literals;

FileBytes copy_of(std::span<const std::byte> bytes) { return {bytes.begin(), bytes.end()}; }

TEST(Iptc, IsRecognizedByItsFirstDataset) {
  EXPECT_TRUE(is_iptc(iptc_data()));
  EXPECT_TRUE(is_iptc(bytes_of("\x1C\2\0\0\0"sv)));
  EXPECT_TRUE(is_iptc(bytes_of("\x1C\2\0\x80\4\0\0\0\0"sv)));  // an extended size field
  EXPECT_FALSE(is_iptc({}));
  EXPECT_FALSE(is_iptc(bytes_of("\x1C\2\0\0"sv)));
  EXPECT_FALSE(is_iptc(bytes_of("\x1C\2\0\0\1"sv)));
  EXPECT_FALSE(is_iptc(bytes_of("\x1D\2\0\0\0"sv)));
  FileBytes large = bytes_of("\x1C\2\0\0\0"sv);
  large.resize(kMaxIptcBytes);
  EXPECT_TRUE(is_iptc(large));
  large.push_back({});
  EXPECT_FALSE(is_iptc(large));
}

TEST(Iptc, IsFoundAmongPhotoshopResources) {
  const FileBytes resource = iptc_resource(iptc_data());
  EXPECT_EQ(resource.size() % 2, 0U);
  EXPECT_EQ(copy_of(photoshop_resources(resource).iptc), iptc_data());
  EXPECT_FALSE(photoshop_resources(resource).has_more_than_iptc());

  FileBytes several = bytes_of(
      "8BIM\3\xED\3abc\0\0\0\3"
      "123\0"sv);  // a resource with a name and a padding byte
  add_bytes(several, resource);
  add_bytes(several, resource);
  const PhotoshopResources found = photoshop_resources(several);
  EXPECT_EQ(copy_of(found.iptc), iptc_data());
  EXPECT_TRUE(found.has_more_than_iptc());
  EXPECT_FALSE(found.is_damaged);
}

TEST(Iptc, DamagedResourcesEndTheSearch) {
  const FileBytes resource = iptc_resource(iptc_data());
  for (const std::string_view broken :
       {"8BIM\3\xED\0\0\0\0\0\1"sv, "8BIM\3\xED\0\0\xFF\xFF\xFF\xFF"sv, "8BIM\3\xED\xFF\0\0\0\0\0"sv}) {
    FileBytes bytes = resource;
    add_text(bytes, broken);
    const PhotoshopResources found = photoshop_resources(bytes);
    EXPECT_EQ(copy_of(found.iptc), iptc_data());
    EXPECT_TRUE(found.is_damaged);
    EXPECT_TRUE(photoshop_resources(bytes_of(broken)).iptc.empty());
  }
  for (std::size_t size = 0; size < resource.size() - 1; ++size) {
    EXPECT_TRUE(photoshop_resources(std::span(resource).first(size)).iptc.empty()) << size;
  }
}

TEST(Iptc, TextRoundTrips) {
  for (std::size_t size : {0U, 1U, 30U, 36U, 37U, 1000U}) {
    FileBytes iptc = iptc_data();
    iptc.resize(iptc.size() + size, std::byte{0xA7});
    EXPECT_EQ(iptc_in_text(iptc_text(iptc)), iptc);
  }
}

TEST(Iptc, TextMayContainBareDatasets) {
  EXPECT_EQ(iptc_in_text(bytes_of("\nIPTC profile\n       6\n1c02\n00 00\r\n01 3A")), bytes_of("\x1C\2\0\0\1\x3A"sv));
}

TEST(Iptc, DamagedTextIsIgnored) {
  for (const std::string_view broken :
       {"", "\n", "\niptc", "\niptc\n", "\niptc\n   ", "\niptc\n6", "\niptc\n6\n", "iptc\n6\n1c020000013a",
        "\niptc\n5\n1c020000013a", "\niptc\n7\n1c020000013a", "\niptc\n6\n1c020000013", "\niptc\n6\n1c020000013g",
        "\niptc\n-6\n1c020000013a", "\niptc\n6x\n1c020000013a", "\niptc\n99999999999999999999999\n1c020000013a",
        "\niptc\n6\n1d020000013a"}) {
    EXPECT_TRUE(iptc_in_text(bytes_of(broken)).empty()) << broken;
  }
}

}  // namespace
}  // namespace gpuimg::test_iptc
