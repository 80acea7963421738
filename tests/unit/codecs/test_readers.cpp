// Format detection by content, messages for unsupported files, decompression bombs, and random bytes.
#include <gtest/gtest.h>

#include <sys/resource.h>

#include <algorithm>
#include <chrono>

#include "support/jpeg_maker.hpp"
#include "support/png_maker.hpp"
#include "support/small_formats.hpp"
#include "support/test_images.hpp"

namespace gpuimg::test_readers {
using namespace codecs;

namespace {

using namespace test;
using namespace std::string_view_literals;

TEST(Readers, IgnoreTheName) {
  Random random;
  const FileBytes jpeg = make_jpeg(random_image(random, 5, 5, {Sample::u8, 3}).view());
  const FileBytes bmp = make_bmp(1, 1, 24, {0x010203});
  EXPECT_EQ(decode(jpeg, "photo.png").file_format, FileFormat::jpeg);
  EXPECT_EQ(decode(bmp, "photo.jpg").file_format, FileFormat::bmp);
  EXPECT_EQ(decode(bmp, "photo.tga").file_format, FileFormat::bmp);
}

TEST(Readers, NameUnsupportedFormats) {
  const std::vector<std::pair<std::string_view, std::string_view>> foreign = {
      {"\0\0\0\x0CjP  \r\n\x87\n"sv, "JPEG 2000"},
      {"\0\0\0\x0CJXL \r\n\x87\n"sv, "JPEG XL"},
      {"\xFF\x0A\0\0"sv, "JPEG XL"},
      {"\x76\x2F\x31\x01\x02\0\0\0"sv, "OpenEXR"},
      {"#?RADIANCE\nFORMAT=32-bit_rle_rgbe\n\n"sv, "Radiance HDR"},
      {"qoif\0\0\0\1\0\0\0\1\3\0"sv, "QOI"},
      {"%PDF-1.7\n"sv, "PDF"},
      {"<?xml version=\"1.0\"?>\n<svg xmlns=\"http://www.w3.org/2000/svg\"/>"sv, "SVG"},
      {"\0\0\1\0\1\0\x10\x10"sv, "ICO"},
      {"Pf\n1 1\n-1\n\0\0\0\0"sv, "PFM"},
      {"\x1F\x8B\x08\0"sv, "gzip"},
      {"PK\x03\x04\x14\0"sv, "zip"},
  };
  for (const auto& [content, name] : foreign) {
    EXPECT_TRUE(rejects(bytes_of(content), ErrorKind::unsupported, name)) << name;
  }
}

TEST(Readers, RejectFilesThatAreNotImages) {
  EXPECT_TRUE(rejects({}, ErrorKind::decode, "file is empty", "nothing.png"));
  EXPECT_TRUE(rejects(bytes_of("hello, world\n"), ErrorKind::decode, "is text, not an image", "note.png"));
  EXPECT_TRUE(rejects(bytes_of("<!DOCTYPE html><html>404</html>"), ErrorKind::decode, "is a web page", "photo.jpg"));
  EXPECT_TRUE(rejects(bytes_of("\x01\x02\x03\x04"), ErrorKind::decode, "file is not in a known image format"));
}

TEST(Readers, EscapeTheNameInMessages) {
  try {
    decode_image({}, "a\nb\x1B[31m\xFF.png", {});
    FAIL() << "was read";
  } catch (const Error& error) {
    EXPECT_TRUE(std::string(error.what()).starts_with("a\\nb\\x1b[31m\\xff.png: file is empty")) << error.what();
  }
  try {
    decode_image({}, "-", {});
    FAIL() << "was read";
  } catch (const Error& error) {
    EXPECT_TRUE(std::string(error.what()).starts_with("standard input: file is empty")) << error.what();
  }
}

/// The process's peak resident memory in bytes.
std::size_t peak_memory() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<std::size_t>(usage.ru_maxrss) * 1024;
}

FileBytes with_be32(FileBytes file, std::size_t offset, std::uint32_t value) {
  FileBytes number;
  add_be(number, value, 4);
  std::copy(number.begin(), number.end(), file.begin() + static_cast<std::ptrdiff_t>(offset));
  return file;
}

FileBytes with_le32(FileBytes file, std::size_t offset, std::uint32_t value) {
  FileBytes number;
  add_le(number, value, 4);
  std::copy(number.begin(), number.end(), file.begin() + static_cast<std::ptrdiff_t>(offset));
  return file;
}

FileBytes png_declaring(std::uint32_t width, std::uint32_t height) {
  PngPicture picture;
  picture.kind = {6, 16};
  picture.samples = {1, 2, 3, 4};
  std::vector<PngChunk> chunks = png_chunks(picture);
  chunks[0].data = with_be32(with_be32(chunks[0].data, 0, width), 4, height);
  return assemble_png(chunks);
}

TEST(DecompressionBombs, AreRejectedQuicklyInLittleMemory) {
  const std::uint32_t side = 100000;
  GifFrame frame;
  frame.indices = {0};
  const std::vector<FileBytes> bombs = {
      png_declaring(side, side),
      png_declaring(0x7FFFFFFF, 0x7FFFFFFF),
      png_declaring(30000, 30000),  // within the limit, but far more pixels than the file can hold
      with_le32(with_le32(make_bmp(1, 1, 24, {0}), 18, side), 22, side),
      with_le32(make_bmp(1, 1, 24, {0}), 22, 0x80000000U),
      with_be32(with_be32(make_psd(1, 1, 3, 8, {1, 2, 3}), 14, side), 18, side),
      with_be32(make_psd(1, 1, 3, 8, {1, 2, 3}, {.run_length = true}), 14,
                1U << 24),  // the row lengths alone would take 100 MB
      make_pnm("P5\n100000 100000\n255\n", {1}, 1),
      make_pnm("P6\n20000 20000\n65535\n", {1}, 1),
      bytes_of(
          "\x93NUMPY\x01\0\x51\0{'descr': '<u2', 'fortran_order': False, 'shape': (30000, 30000, 4), }          \n"sv),
      make_gif(60000, 60000, {1, 2}, {frame}),
      with_be32(make_tga(2, 1, 1, 24, {0}), 12, 0xFFFFFFFF),
  };
  const std::size_t before = peak_memory();
  for (std::size_t i = 0; i < bombs.size(); ++i) {
    const auto start = std::chrono::steady_clock::now();
    try {
      decode(bombs[i], "bomb.tga");
      ADD_FAILURE() << "bomb " << i << " was read";
    } catch (const Error& error) {
      EXPECT_TRUE(error.kind() == ErrorKind::decode || error.kind() == ErrorKind::unsupported) << error.what();
    }
    EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::milliseconds(100)) << "bomb " << i;
  }
  EXPECT_LT(peak_memory() - before, std::size_t{64} << 20);
}

TEST(DecompressionBombs, PngChunksThatDeclareGigabytesTakeNoMemory) {
  for (const char* name : {"eXIf", "tEXt", "iCCP", "zTXt", "iTXt", "sPLT", "prIv", "PLTE"}) {
    PngPicture picture;
    picture.samples = {7};
    FileBytes file = make_png(picture);
    FileBytes chunk;
    add_be(chunk, 0x7FFFFFF0, 4);
    add_text(chunk, name);
    file.insert(file.begin() + 33, chunk.begin(), chunk.end());
    const std::size_t before = peak_memory();
    EXPECT_TRUE(rejects(file, ErrorKind::decode)) << name;
    EXPECT_LT(peak_memory() - before, std::size_t{16} << 20) << name;
  }
}

TEST(Readers, RejectRandomBytes) {
  Random random;
  SCOPED_TRACE(random.trace());
  const std::vector<std::string_view> starts = {
      ""sv,
      "\x89PNG\r\n\x1A\n"sv,
      "\x89PNG\r\n\x1A\n\0\0\0\rIHDR"sv,
      "\xFF\xD8\xFF"sv,
      "BM"sv,
      "GIF89a"sv,
      "8BPS\0\1"sv,
      "P5 3 3 255 "sv,
      "P6"sv,
      "P1 9 3 "sv,
      "P3 2 2 9 "sv,
      "P7\nWIDTH 2\nHEIGHT 2\nDEPTH 2\nMAXVAL 9\nENDHDR\n"sv,
      "\x93NUMPY\1\0\x39\0{'descr': '|u1', 'fortran_order': False, 'shape': (3, 4)}"sv,
      "\0\0\2"sv,
      "\0\1\x09"sv};
  ReadOptions options;
  options.max_pixels = std::uint64_t{1} << 20;
  for (int round = 0; round < 20000; ++round) {
    FileBytes file = bytes_of(starts[random.below(static_cast<std::uint32_t>(starts.size()))]);
    for (int i = random.between(0, 200); i > 0; --i) {
      file.push_back(static_cast<std::byte>(random.below(256)));
    }
    try {
      decode(file, "garbage.tga", options);  // random bytes can happen to form an image
    } catch (const Error& error) {
      ASSERT_TRUE(error.kind() == ErrorKind::decode || error.kind() == ErrorKind::unsupported) << error.what();
    }
  }
}

}  // namespace
}  // namespace gpuimg::test_readers
