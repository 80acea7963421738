// Strips and tiles that need much more memory than the image are rejected before memory is allocated. Also tests JPEG
// data whose chroma subsampling the directory declares wrongly.
#include <gtest/gtest.h>
#include <tiffio.h>

#include <algorithm>
#include <cstring>
#include <ctime>
#include <memory>

#include "codecs/image_reader.hpp"
#include "codecs/image_writer.hpp"
#include "support/file_bytes.hpp"
#include "support/temporary_folder.hpp"
#include "support/test_images.hpp"

namespace gpuimg::test_tiff_blocks {
namespace {

using namespace codecs;
using namespace test;

constexpr std::uint32_t kWidth = 48;
constexpr std::uint32_t kHeight = 16;

/// A file with one block per plane; all bytes of a block are `value`. Little-endian.
FileBytes tiff_file(int compression, int bits, int samples, bool is_tiled, std::uint8_t value,
                    int fill_order = FILLORDER_MSB2LSB) {
  const TemporaryFolder folder;
  const std::string path = folder / "t.tif";
  {
    const std::unique_ptr<TIFF, void (*)(TIFF*)> tiff(TIFFOpen(path.c_str(), "wl"), TIFFClose);
    TIFFSetField(tiff.get(), TIFFTAG_IMAGEWIDTH, kWidth);
    TIFFSetField(tiff.get(), TIFFTAG_IMAGELENGTH, kHeight);
    TIFFSetField(tiff.get(), TIFFTAG_BITSPERSAMPLE, bits);
    TIFFSetField(tiff.get(), TIFFTAG_SAMPLESPERPIXEL, samples);
    TIFFSetField(tiff.get(), TIFFTAG_PHOTOMETRIC, samples == 3 ? PHOTOMETRIC_RGB : PHOTOMETRIC_MINISBLACK);
    TIFFSetField(tiff.get(), TIFFTAG_PLANARCONFIG, samples == 3 ? PLANARCONFIG_SEPARATE : PLANARCONFIG_CONTIG);
    TIFFSetField(tiff.get(), TIFFTAG_COMPRESSION, compression);
    TIFFSetField(tiff.get(), TIFFTAG_FILLORDER, fill_order);
    if (is_tiled) {
      TIFFSetField(tiff.get(), TIFFTAG_TILEWIDTH, kWidth);
      TIFFSetField(tiff.get(), TIFFTAG_TILELENGTH, kHeight);
    } else {
      TIFFSetField(tiff.get(), TIFFTAG_ROWSPERSTRIP, kHeight);
    }
    for (int plane = 0; plane < samples; ++plane) {
      FileBytes block(static_cast<std::size_t>(kWidth * kHeight * static_cast<std::uint32_t>(bits) / 8),
                      static_cast<std::byte>(value));
      const auto size = static_cast<tmsize_t>(block.size());
      const auto number = static_cast<std::uint32_t>(plane);
      EXPECT_GT(is_tiled ? TIFFWriteEncodedTile(tiff.get(), number, block.data(), size)
                         : TIFFWriteEncodedStrip(tiff.get(), number, block.data(), size),
                0);
    }
  }
  return bytes_of(text_in(path));
}

/// The offset of a tag's value within the file.
std::size_t value_of(const FileBytes& file, std::uint16_t tag) {
  std::uint32_t directory = 0;
  std::memcpy(&directory, file.data() + 4, sizeof(directory));
  for (std::size_t at = directory + 2; at + 12 <= file.size(); at += 12) {
    std::uint16_t found = 0;
    std::memcpy(&found, file.data() + at, sizeof(found));
    if (found == tag) {
      return at + 8;
    }
  }
  ADD_FAILURE() << "no tag " << tag;
  return 0;
}

void set_value(FileBytes& file, std::uint16_t tag, std::uint32_t value) {
  std::uint16_t type = 0;
  std::memcpy(&type, file.data() + value_of(file, tag) - 6, sizeof(type));
  std::memcpy(file.data() + value_of(file, tag), &value, type == TIFF_SHORT ? 2 : 4);
}

std::string rejection_of(const FileBytes& file) {
  try {
    (void)decode(file, "t.tif");
    return "";
  } catch (const Error& error) {
    return error.what();
  }
}

TEST(TiffBlocks, TilesFarLargerThanTheImageAreRejected) {
  FileBytes file = tiff_file(COMPRESSION_NONE, 8, 3, true, 77);
  EXPECT_EQ(rejection_of(file), "");
  // Three planes, each below the limit for a single block.
  set_value(file, TIFFTAG_TILEWIDTH, 16384);
  set_value(file, TIFFTAG_TILELENGTH, 16384);
  EXPECT_EQ(rejection_of(file),
            "t.tif: file is damaged: its strips or tiles are far larger than the image; download or copy it again");
}

TEST(TiffBlocks, ExcessSamplesTakeNoGigabytes) {
  for (const int bits : {1, 8}) {
    FileBytes file = tiff_file(COMPRESSION_LZW, bits, 1, false, 77);
    EXPECT_EQ(rejection_of(file), "");
    // With 1 bit per sample, a strip takes 225 MB, and its unpacked row 1.8 GB.
    set_value(file, TIFFTAG_IMAGEWIDTH, 30000);
    set_value(file, TIFFTAG_IMAGELENGTH, 1);
    set_value(file, TIFFTAG_SAMPLESPERPIXEL, 60000);
    EXPECT_EQ(rejection_of(file),
              "t.tif: file is damaged: its strips or tiles are far larger than the image; download or copy it again");
  }
}

/// A strip of YCbCr JPEG data, in a directory that declares `factor` as the subsampling of chroma.
FileBytes tiff_of_jpeg(const FileBytes& jpeg, int factor) {
  const TemporaryFolder folder;
  const std::string path = folder / "t.tif";
  {
    const std::unique_ptr<TIFF, void (*)(TIFF*)> tiff(TIFFOpen(path.c_str(), "wl"), TIFFClose);
    TIFFSetField(tiff.get(), TIFFTAG_IMAGEWIDTH, kWidth);
    TIFFSetField(tiff.get(), TIFFTAG_IMAGELENGTH, kHeight);
    TIFFSetField(tiff.get(), TIFFTAG_BITSPERSAMPLE, 8);
    TIFFSetField(tiff.get(), TIFFTAG_SAMPLESPERPIXEL, 3);
    TIFFSetField(tiff.get(), TIFFTAG_COMPRESSION, COMPRESSION_JPEG);
    TIFFSetField(tiff.get(), TIFFTAG_PHOTOMETRIC, PHOTOMETRIC_YCBCR);
    TIFFSetField(tiff.get(), TIFFTAG_PLANARCONFIG, PLANARCONFIG_CONTIG);
    TIFFSetField(tiff.get(), TIFFTAG_YCBCRSUBSAMPLING, factor, factor);
    TIFFSetField(tiff.get(), TIFFTAG_ROWSPERSTRIP, kHeight);
    FileBytes strip = jpeg;
    const auto size = static_cast<tmsize_t>(strip.size());
    EXPECT_EQ(TIFFWriteRawStrip(tiff.get(), 0, strip.data(), size), size);
  }
  return bytes_of(text_in(path));
}

TEST(TiffBlocks, JpegDataOverridesTheDeclaredSubsampling) {
  const Image image = image_of_pixels(kWidth, kHeight, {Sample::u8, 3}, [](std::size_t i) {
    const auto x = static_cast<std::uint32_t>(i % kWidth);
    return std::vector<std::uint32_t>{5 * x, 255 - 5 * x, 40 + 3 * x};
  });
  for (const ChromaSubsampling stored : {ChromaSubsampling::s444, ChromaSubsampling::s422, ChromaSubsampling::s420}) {
    WriteOptions options;
    options.jpeg_subsampling = stored;
    const FileBytes jpeg = encode_image(image.view(), FileFormat::jpeg, "t", options);
    for (const int factor : {1, 2, 4}) {
      const DecodedImage decoded = decode(tiff_of_jpeg(jpeg, factor), "t.tif");
      EXPECT_TRUE(same_pixels(decoded.image.view(), decode(jpeg, "t.jpg").image.view())) << factor;
      EXPECT_TRUE(decoded.notes.empty());
    }
  }
}

/// The strips are compressed with gpuimg's own encoder, as in PNG. zlib took 14 times as long.
TEST(TiffBlocks, WritingTakesAboutAsLongAsPng) {
  constexpr int kSide = 900;
  const Image image = image_of_pixels(kSide, kSide, {Sample::u16, 3}, [](std::size_t i) {
    const auto noise = static_cast<std::uint32_t>(i * 2654435761U >> 7) % 600;
    const auto x = static_cast<std::uint32_t>(i % kSide);
    const auto y = static_cast<std::uint32_t>(i / kSide);
    return std::vector<std::uint32_t>{40 * x + noise, 30 * y + noise, 20 * x + 10 * y + noise};
  });
  const auto seconds = [&](FileFormat format) {
    WriteOptions options;
    options.threads = 1;
    double least = 1e9;
    for (int i = 0; i < 3; ++i) {
      const std::clock_t start = std::clock();
      EXPECT_GT(encode_image(image.view(), format, "t", options).size(), 0U);
      least = std::min(least, static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC);
    }
    return least;
  };
  EXPECT_LT(seconds(FileFormat::tiff), 4 * seconds(FileFormat::png));
  WriteOptions one;
  one.threads = 1;
  WriteOptions four;
  four.threads = 4;
  EXPECT_EQ(encode_image(image.view(), FileFormat::tiff, "t", one),
            encode_image(image.view(), FileFormat::tiff, "t", four));
}

class JbigStrip : public testing::TestWithParam<int> {
 protected:
  void SetUp() override {
    if (TIFFIsCODECConfigured(COMPRESSION_JBIG) == 0) {
      GTEST_SKIP() << "this libtiff is built without JBIG";
    }
    file_ = tiff_file(COMPRESSION_JBIG, 1, 1, false, 0xF0, GetParam());
    std::memcpy(&strip_, file_.data() + value_of(file_, TIFFTAG_STRIPOFFSETS), sizeof(strip_));
  }

  /// Changes a byte of the strip's own header.
  void set_byte(std::size_t at, std::uint8_t value) {
    if (GetParam() == FILLORDER_MSB2LSB) {
      TIFFReverseBits(&value, 1);
    }
    file_[strip_ + at] = static_cast<std::byte>(value);
  }

  FileBytes file_;
  std::uint32_t strip_ = 0;
};

TEST_P(JbigStrip, IsReadOnlyIfItsSizeMatchesTheImage) {
  const DecodedImage decoded = decode(file_, "t.tif");
  for (std::uint32_t x = 0; x < kWidth; ++x) {
    EXPECT_EQ(decoded.image.view().row<std::uint8_t>(kHeight - 1)[x], x % 8 < 4 ? 255 : 0);
  }
  const std::string rejection =
      "t.tif: file is damaged: a strip of JBIG has another size than the image; download or copy it again";
  const FileBytes good = file_;
  // Resolutions, planes, and the highest bytes of width and height.
  for (const std::size_t at : {0U, 1U, 2U, 4U, 8U}) {
    set_byte(at, at == 2 ? 200 : 1);
    EXPECT_EQ(rejection_of(file_), rejection) << "byte " << at;
    file_ = good;
  }
  file_.resize(strip_ + 10);
  EXPECT_NE(rejection_of(file_), "");
}

INSTANTIATE_TEST_SUITE_P(BothOrdersOfBits, JbigStrip, testing::Values(FILLORDER_MSB2LSB, FILLORDER_LSB2MSB));

}  // namespace
}  // namespace gpuimg::test_tiff_blocks
