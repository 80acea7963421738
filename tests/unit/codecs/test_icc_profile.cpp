// Fields of ICC profiles, profiles compressed as zlib streams, and color spaces named by metadata.
#include <gtest/gtest.h>
#include <zlib.h>

#include "codecs/metadata/icc.hpp"
#include "support/icc_maker.hpp"
#include "support/png_maker.hpp"
#include "support/test_images.hpp"

namespace gpuimg::test_icc_profile {
using namespace codecs;

namespace {

using namespace test;

std::string space_of_profile(const IccChoices& choices) {
  Metadata metadata;
  metadata.icc = make_icc(choices);
  return foreign_color_space(metadata);
}

TEST(IccProfile, HasTheLengthInItsHeader) {
  const FileBytes profile = make_icc({.size = 400});
  EXPECT_EQ(icc_profile_in(profile).size(), 400U);
  FileBytes longer = profile;
  longer.resize(500);
  EXPECT_EQ(icc_profile_in(longer).size(), 400U);
  for (std::size_t size = 0; size < profile.size(); ++size) {
    const FileBytes prefix(profile.begin(), profile.begin() + static_cast<std::ptrdiff_t>(size));
    ASSERT_TRUE(icc_profile_in(prefix).empty()) << size;
  }
  FileBytes unsigned_one = profile;
  unsigned_one[36] = std::byte{'A'};
  EXPECT_TRUE(icc_profile_in(unsigned_one).empty());
  FileBytes too_short = profile;
  too_short[2] = std::byte{0};
  too_short[3] = std::byte{131};
  EXPECT_TRUE(icc_profile_in(too_short).empty());
}

TEST(IccProfile, HasColorSpaceAndDescription) {
  EXPECT_EQ(icc_color_space(make_icc()), kIccRgb);
  EXPECT_EQ(icc_color_space(make_icc({.color_space = "GRAY"})), kIccGray);
  EXPECT_EQ(icc_color_space(make_icc({.color_space = "CMYK"})), kIccCmyk);
  for (const bool version_4 : {false, true}) {
    EXPECT_EQ(icc_description(make_icc({.description = "Display P3", .version_4 = version_4})), "Display P3");
    EXPECT_EQ(icc_description(make_icc({.description = "a\nb\x1B", .version_4 = version_4})), "a?b?");
    EXPECT_EQ(icc_description(make_icc({.description = std::string(500, 'x'), .version_4 = version_4})),
              std::string(80, 'x'));
  }
  EXPECT_EQ(icc_description(make_icc({.description = ""})), "");
}

TEST(IccProfile, HostileFieldsCauseNoInvalidReads) {
  Random random;
  SCOPED_TRACE(random.trace());
  for (int round = 0; round < 20000; ++round) {
    FileBytes profile = make_icc({.version_4 = round % 2 == 0});
    for (int i = random.between(1, 4); i > 0; --i) {
      // The size field is not changed, so the data remain a profile. 0xFF makes large numbers likely.
      profile[4 + random.below(static_cast<std::uint32_t>(profile.size()) - 4)] =
          random.below(2) == 0 ? std::byte{0xFF} : static_cast<std::byte>(random.below(256));
    }
    const FileBytes exact(profile.begin(), profile.end());
    if (!icc_profile_in(exact).empty()) {
      ASSERT_LE(icc_description(exact).size(), 80U);
    }
  }
}

TEST(CompressedIcc, RoundTrips) {
  for (const std::size_t size : {0U, 300U, 65519U, 70000U, 1000000U}) {
    const FileBytes profile = make_icc({.size = size});
    EXPECT_EQ(decompressed_icc(compressed_icc(profile)), profile);
    EXPECT_EQ(decompressed_icc(zlib_stored(profile)), profile);
  }
  const FileBytes largest = make_icc({.size = kMaxIccBytes});
  EXPECT_EQ(decompressed_icc(compressed_icc(largest)), largest);
}

TEST(CompressedIcc, DetectsDamage) {
  Random random;
  SCOPED_TRACE(random.trace());
  const FileBytes profile = make_icc({.size = 5000});
  const FileBytes packed = compressed_icc(profile);
  for (std::size_t size = 0; size < packed.size(); ++size) {
    ASSERT_TRUE(decompressed_icc(std::span(packed).first(size)).empty()) << size;
  }
  for (int round = 0; round < 3000; ++round) {
    FileBytes mutant = packed;
    mutant[random.below(static_cast<std::uint32_t>(mutant.size()))] ^= static_cast<std::byte>(random.between(1, 255));
    const FileBytes found = decompressed_icc(mutant);
    ASSERT_TRUE(found.empty() || found == profile);
  }
  FileBytes wrong_sum = packed;
  wrong_sum.back() ^= std::byte{1};
  EXPECT_TRUE(decompressed_icc(wrong_sum).empty());
  EXPECT_TRUE(decompressed_icc(compressed_icc(make_icc({.size = kMaxIccBytes + 1}))).empty());
  EXPECT_TRUE(decompressed_icc(compressed_icc(bytes_of("no profile"))).empty());
}

/// Compresses with zlib and a window of 2^`window_bits` bytes.
FileBytes deflated_with_window(const FileBytes& profile, int window_bits) {
  z_stream stream{};
  deflateInit2(&stream, 9, Z_DEFLATED, window_bits, 8, Z_DEFAULT_STRATEGY);
  FileBytes deflated(deflateBound(&stream, static_cast<uLong>(profile.size())));
  FileBytes in = profile;
  stream.next_in = reinterpret_cast<Bytef*>(in.data());
  stream.avail_in = static_cast<uInt>(in.size());
  stream.next_out = reinterpret_cast<Bytef*>(deflated.data());
  stream.avail_out = static_cast<uInt>(deflated.size());
  ::deflate(&stream, Z_FINISH);
  deflated.resize(stream.total_out);
  deflateEnd(&stream);
  return deflated;
}

TEST(CompressedIcc, AcceptsAnyWindowAndBytesAfterTheStream) {
  const FileBytes profile = make_icc({.size = 50000});
  for (int window_bits = 9; window_bits <= 15; ++window_bits) {
    FileBytes deflated = deflated_with_window(profile, window_bits);
    EXPECT_EQ(decompressed_icc(deflated), profile) << window_bits;
    deflated.push_back(std::byte{7});
    EXPECT_EQ(decompressed_icc(deflated), profile) << window_bits;
  }
}

TEST(CompressedIcc, RejectsOtherStreamHeaders) {
  const FileBytes sound = compressed_icc(make_icc());
  for (const std::uint32_t header : {0x7800U, 0x7821U, 0x7901U, 0x7820U, 0x78BBU}) {
    FileBytes other = sound;
    other[0] = static_cast<std::byte>(header >> 8);
    other[1] = static_cast<std::byte>(header);
    EXPECT_TRUE(decompressed_icc(other).empty()) << header;
  }
  EXPECT_TRUE(decompressed_icc({}).empty());
}

TEST(CompressedIcc, RejectsDataAfterTheProfile) {
  const FileBytes profile = make_icc({.size = 5000});
  for (const std::size_t more : {1U, 2U, 4000U}) {
    FileBytes longer = profile;
    longer.resize(longer.size() + more, std::byte{7});
    EXPECT_TRUE(decompressed_icc(compressed_icc(longer)).empty()) << more;
  }
}

TEST(ColorSpace, IsUnnamedWithoutMetadataAndForSrgb) {
  EXPECT_EQ(foreign_color_space({}), "");
  for (const bool version_4 : {false, true}) {
    EXPECT_EQ(space_of_profile({.description = "sRGB IEC61966-2.1", .version_4 = version_4}), "");
  }
  Metadata metadata;
  metadata.gama = 45455;
  metadata.chrm = {31270, 32900, 64000, 33000, 30000, 60000, 15000, 6000};
  EXPECT_EQ(foreign_color_space(metadata), "");
}

TEST(ColorSpace, IsNamedByTheFirstStatementPresent) {
  EXPECT_EQ(space_of_profile({.description = "Display P3"}), "ICC profile 'Display P3'");
  EXPECT_EQ(space_of_profile({.description = ""}), "an ICC profile without a name");
  Metadata metadata;
  metadata.chrm = {31270, 32900, 64000, 33000, 21000, 71000, 15000, 6000};
  EXPECT_EQ(foreign_color_space(metadata), "cHRM of other primaries");
  metadata.gama = 100000;
  EXPECT_EQ(foreign_color_space(metadata), "gAMA 1.00000");
  metadata.srgb = 0;
  EXPECT_EQ(foreign_color_space(metadata), "");
  metadata.icc = make_icc({.description = "Display P3"});
  EXPECT_EQ(foreign_color_space(metadata), "ICC profile 'Display P3'");
  metadata.cicp = {std::byte{1}, std::byte{13}, std::byte{0}, std::byte{1}};
  EXPECT_EQ(foreign_color_space(metadata), "");
  metadata.cicp = {std::byte{9}, std::byte{16}, std::byte{0}, std::byte{1}};
  EXPECT_EQ(foreign_color_space(metadata), "cICP 9/16");
}

}  // namespace
}  // namespace gpuimg::test_icc_profile
