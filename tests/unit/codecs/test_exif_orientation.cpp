// EXIF orientation: making pixels of every format upright, also when JPEG and PNG files are decoded; resetting the tag
// in place; and hostile data.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

#include "codecs/metadata/exif.hpp"
#include "support/jpeg_maker.hpp"
#include "support/png_maker.hpp"
#include "support/test_images.hpp"

namespace gpuimg::test_exif_orientation {
using namespace codecs;

namespace {

using namespace test;

/// The stored pixel that is displayed at (x, y), according to EXIF 2.3, which defines where stored row 0 and column 0
/// appear.
std::uint32_t seen_sample(ConstView stored, int orientation, int x, int y, int channel) {
  const int right = stored.width - 1;
  const int bottom = stored.height - 1;
  switch (orientation) {
    case 2: return sample_at(stored, right - x, y, channel);
    case 3: return sample_at(stored, right - x, bottom - y, channel);
    case 4: return sample_at(stored, x, bottom - y, channel);
    case 5: return sample_at(stored, y, x, channel);
    case 6: return sample_at(stored, y, bottom - x, channel);
    case 7: return sample_at(stored, right - y, bottom - x, channel);
    case 8: return sample_at(stored, right - y, x, channel);
    default: return sample_at(stored, x, y, channel);
  }
}

TEST(ExifOrientation, TransformsEveryFormat) {
  Random random;
  SCOPED_TRACE(random.trace());
  for (const PixelFormat format : photographic_formats()) {
    for (int orientation = 0; orientation <= 9; ++orientation) {
      const Image stored = random_image(random, random.between(1, 80), random.between(1, 80), format);
      const Image seen = apply_orientation(stored.clone(), orientation);
      const bool exchanged = orientation >= 5 && orientation <= 8;
      ASSERT_EQ(seen.width(), exchanged ? stored.height() : stored.width());
      ASSERT_EQ(seen.height(), exchanged ? stored.width() : stored.height());
      for (int y = 0; y < seen.height(); ++y) {
        for (int x = 0; x < seen.width(); ++x) {
          const int channel = random.between(0, format.channels - 1);
          ASSERT_EQ(sample_at(seen.view(), x, y, channel), seen_sample(stored.view(), orientation, x, y, channel))
              << name_of(format) << " orientation " << orientation << " at " << x << "," << y;
        }
      }
    }
  }
}

TEST(ExifOrientation, IsAppliedToJpegAndPng) {
  Random random;
  SCOPED_TRACE(random.trace());
  const FileBytes jpeg = make_jpeg(random_image(random, 21, 13, {Sample::u8, 3}).view());
  PngPicture picture;
  picture.kind = {2, 8};
  picture.width = 2;
  picture.height = 3;
  picture.samples = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18};
  for (int orientation = 1; orientation <= 8; ++orientation) {
    for (const bool big_endian : {false, true}) {
      const FileBytes exif = exif_with(orientation, big_endian);
      const Image turned = apply_orientation(read_with_libjpeg(jpeg), orientation);
      EXPECT_TRUE(same_pixels(decode(with_exif(jpeg, exif)).image.view(), turned.view()));
      std::vector<PngChunk> chunks = png_chunks(picture);
      const Image plain = decode(assemble_png(chunks)).image;
      chunks.insert(chunks.begin() + 1, {"eXIf", exif});
      EXPECT_TRUE(
          same_pixels(decode(assemble_png(chunks)).image.view(), apply_orientation(plain.clone(), orientation).view()));
      ReadOptions as_stored;
      as_stored.auto_orient = false;
      EXPECT_TRUE(same_pixels(decode(assemble_png(chunks), "test.bin", as_stored).image.view(), plain.view()));
    }
  }
}

TEST(ExifOrientation, IsUprightForHostileData) {
  Random random;
  SCOPED_TRACE(random.trace());
  const FileBytes sound = exif_with(6, true);
  EXPECT_EQ(exif_orientation(sound), 6);
  for (std::size_t size = 0; size < sound.size() - 4; ++size) {
    const FileBytes prefix(sound.begin(), sound.begin() + static_cast<std::ptrdiff_t>(size));
    EXPECT_EQ(exif_orientation(prefix), 1) << size;
  }
  EXPECT_EQ(exif_orientation(exif_with(0, false)), 1);
  EXPECT_EQ(exif_orientation(exif_with(9, false)), 1);
  for (int round = 0; round < 20000; ++round) {
    FileBytes mutant = exif_with(random.between(1, 8), random.below(2) == 1);
    for (int i = random.between(1, 3); i > 0; --i) {
      mutant[random.below(static_cast<std::uint32_t>(mutant.size()))] = static_cast<std::byte>(random.below(256));
    }
    const int orientation = exif_orientation(mutant);
    ASSERT_TRUE(orientation >= 1 && orientation <= 8);
  }
}

TEST(ExifOrientation, IsResetInPlace) {
  for (const bool big_endian : {false, true}) {
    for (const int type : {3, 4, 8, 9}) {
      for (int orientation = 1; orientation <= 9; ++orientation) {
        FileBytes exif = exif_with(orientation, big_endian);
        FileBytes upright = exif_with(1, big_endian);
        const auto put = [&](FileBytes& data, int value) {
          data[big_endian ? 13 : 12] = static_cast<std::byte>(type);
          FileBytes number;
          const std::size_t bytes = type == 3 || type == 8 ? 2 : 4;
          big_endian ? add_be(number, static_cast<unsigned>(value), bytes)
                     : add_le(number, static_cast<unsigned>(value), bytes);
          std::copy(number.begin(), number.end(), data.begin() + 18);
        };
        put(exif, orientation);
        put(upright, 1);
        EXPECT_EQ(exif_orientation(exif), orientation == 9 ? 1 : orientation);
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

/// EXIF data with six entries, and the types of the numbers in them.
class SizedExif {
 public:
  explicit SizedExif(bool is_big_endian) : is_big_endian_(is_big_endian) {
    put(is_big_endian ? 0x4D4D : 0x4949, 2), put(42, 2), put(8, 4);
    put(5, 2);
    entry(256, 3, 1, 20), entry(257, 4, 1, 10), entry(282, 5, 1, 104), entry(283, 5, 1, 112), entry(34665, 4, 1, 74);
    put(0, 4);
    put(2, 2);
    entry(40962, 3, 1, 20), entry(40963, 3, 1, 10);
    put(0, 4);
    put(72, 4), put(1, 4), put(300, 4), put(1, 4);
  }

  [[nodiscard]] std::uint32_t at(std::size_t place, std::size_t size) const {
    std::uint32_t value = 0;
    for (std::size_t i = 0; i < size; ++i) {
      value = value << 8 | std::to_integer<std::uint32_t>(bytes[place + (is_big_endian_ ? i : size - 1 - i)]);
    }
    return value;
  }

  std::vector<std::byte> bytes;

 private:
  void put(std::uint32_t value, std::size_t size) {
    for (std::size_t i = 0; i < size; ++i) {
      bytes.push_back(static_cast<std::byte>(value >> (8 * (is_big_endian_ ? size - 1 - i : i))));
    }
  }
  void entry(std::uint32_t tag, std::uint32_t type, std::uint32_t count, std::uint32_t value) {
    put(tag, 2), put(type, 2), put(count, 4);
    put(value, type == 3 ? 2 : 4);
    put(0, type == 3 ? 2 : 0);
  }

  bool is_big_endian_;
};

TEST(ExifSize, FollowsTheImage) {
  for (const bool is_big_endian : {false, true}) {
    SizedExif exif(is_big_endian);
    set_exif_size(exif.bytes, {70000, 7});
    constexpr std::size_t kMain = 10;
    constexpr std::size_t kExif = 76;
    for (const auto& [place, value] : {std::pair{kMain, 70000U}, {kMain + 12, 7U}, {kExif, 70000U}, {kExif + 12, 7U}}) {
      EXPECT_EQ(exif.at(place + 2, 2), 4U);
      EXPECT_EQ(exif.at(place + 8, 4), value);
    }
    swap_exif_resolutions(exif.bytes);
    EXPECT_EQ(exif.at(kMain + 2 * 12 + 8, 4), 112U);
    EXPECT_EQ(exif.at(kMain + 3 * 12 + 8, 4), 104U);
    // Every prefix must be handled without reads past its end.
    for (std::size_t size = 0; size < exif.bytes.size(); ++size) {
      std::vector<std::byte> prefix(exif.bytes.begin(), exif.bytes.begin() + static_cast<std::ptrdiff_t>(size));
      set_exif_size(prefix, {1, 1});
      swap_exif_resolutions(prefix);
    }
  }
}

}  // namespace
}  // namespace gpuimg::test_exif_orientation
