// Runs the device's PNG decoder on the host. It must return libpng's pixels or leave the file to libpng.
#include <gtest/gtest.h>
#include <png.h>
#include <zlib.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include "codecs/image_writer.hpp"
#include "codecs/png/simple_png.hpp"
#include "png/data_stream.hpp"
#include "support/catalogue/catalogue.hpp"
#include "support/deflate_streams.hpp"
#include "support/libpng_reader.hpp"
#include "support/png_twin.hpp"
#include "support/random_png.hpp"
#include "support/temporary_folder.hpp"
#include "support/test_images.hpp"

namespace gpuimg::test_png_twin {
using namespace codecs;
using namespace codecs::png;

namespace {

using namespace test;
using gpuimg::png::DecodeShape;
using gpuimg::png::Defect;

/// Few lanes and short subsequences give even small files many windows and tiles.
DecodeShape any_shape(Random& random) {
  constexpr std::uint32_t kLanes[] = {1, 2, 3, 5, 8, 32, 128};
  constexpr std::uint32_t kTiles[] = {64, 256, 1024, 4096, 16384};
  DecodeShape shape;
  shape.lanes = kLanes[random.below(std::size(kLanes))];
  shape.max_words = 1 + 2 * random.below(17);
  shape.min_words = 1 + 2 * random.below(5);
  shape.run_in_bits = random.below(600);
  shape.passes = 1 + random.below(4);
  shape.more_rounds = random.below(4) == 0 ? random.below(4) : 32;
  shape.tile_symbols = kTiles[random.below(std::size(kTiles))];
  shape.tiles_per_supertile = (32768 / shape.tile_symbols) * (1 + random.below(3));
  return shape;
}

PixelFormat any_format(Random& random) {
  const auto& formats = photographic_formats();
  return formats[random.below(static_cast<std::uint32_t>(formats.size()))];
}

/// Half of the images repeat their own rows, which makes long matches.
Image any_picture(Random& random, int max_side) {
  const PixelFormat format = any_format(random);
  Image image = any_image(random, random.between(1, max_side), random.between(1, max_side), format);
  if (random.below(2) == 0) {
    const int period = random.between(1, 9);
    for (int y = period; y < image.height(); ++y) {
      std::memcpy(image.view().row_bytes(y), image.view().row_bytes(y - period), image.pitch_bytes());
    }
  }
  return image;
}

PngTwinResult expect_taken(const FileBytes& file, const DecodeShape& shape = {}) {
  const std::optional<EncodedPng> encoded = describe_png_data(file);
  EXPECT_TRUE(encoded);
  if (!encoded) {
    return {};
  }
  PngTwinResult found = decode_with_twin(*encoded, shape);
  EXPECT_TRUE(found.image) << "defects: " << found.defects;
  EXPECT_EQ(difference_of_png_twin(file, shape), "");
  return found;
}

bool is_png(const FileBytes& file) {
  return file.size() > 1 && file[0] == std::byte{0x89} && file[1] == std::byte{'P'};
}

TEST(PngTwin, TakesEveryFormatAndSize) {
  Random random;
  SCOPED_TRACE(random.trace());
  for (const PixelFormat format : photographic_formats()) {
    for (const int width : {1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 33, 100}) {
      for (const int height : {1, 2, 3, 31, 32, 33}) {
        SCOPED_TRACE(name_of(format) + " " + std::to_string(width) + "x" + std::to_string(height));
        const Image image = any_image(random, width, height, format);
        const PngTwinResult found = expect_taken(deflated_png(random, image.view()));
        ASSERT_TRUE(found.image);
        EXPECT_TRUE(same_pixels(found.image->view(), image.view()));
      }
    }
  }
}

TEST(PngTwin, TakesTheFilesOfOurEncoder) {
  Random random;
  SCOPED_TRACE(random.trace());
  for (const int level : {0, 1, 2}) {
    for (const PixelFormat format : photographic_formats()) {
      const Image image = smooth_image(random, 250, 200, format);
      WriteOptions writing;
      writing.png_level = level;
      const FileBytes file = encode_image(image.view(), FileFormat::png, "twin.png", writing);
      const PngTwinResult found = expect_taken(file);
      ASSERT_TRUE(found.image) << "level " << level << ", " << name_of(format);
      EXPECT_TRUE(same_pixels(found.image->view(), image.view()));
    }
  }
}

/// Each block that the search does not look for, such as a block with fixed codes, needs a round of its own.
TEST(PngTwin, AgreesOnRandomZlibParameters) {
  Random random;
  SCOPED_TRACE(random.trace());
  int files = 0;
  int taken = 0;
  for (int round = 0; round < 400; ++round) {
    const Image image = any_picture(random, 200);
    const FileBytes file = deflated_png(random, image.view(), any_deflating(random));
    ++files;
    ASSERT_EQ(difference_of_png_twin(file, random.below(2) == 0 ? DecodeShape{} : any_shape(random), &taken), "");
  }
  EXPECT_GE(taken, files / 2);
}

TEST(PngTwin, AgreesOnEachParameterOfZlib) {
  Random random;
  SCOPED_TRACE(random.trace());
  const Image image = smooth_image(random, 300, 200, {Sample::u8, 3});
  int taken = 0;
  for (int level = 0; level <= 9; ++level) {
    for (int strategy = Z_DEFAULT_STRATEGY; strategy <= Z_FIXED; ++strategy) {
      PngDeflating deflating;
      deflating.level = level;
      deflating.strategy = strategy;
      deflating.memory_level = 1 + (level + 2 * strategy) % 9;
      ASSERT_EQ(difference_of_png_twin(deflated_png(random, image.view(), deflating), {}, &taken), "")
          << "level " << level << ", strategy " << strategy;
    }
  }
  EXPECT_GE(taken, 30);
}

/// Files as libpng writes them: libpng chooses the filters, flushes after rows, and makes chunks as large as its
/// buffer.
struct LibpngChoices {
  int level = 6;
  int strategy = 0;
  int memory_level = 8;
  int filters = PNG_ALL_FILTERS;
  int flush_rows = 0;
  std::size_t chunk_bytes = 8192;
};

LibpngChoices any_libpng_choices(Random& random) {
  constexpr int kFilters[] = {PNG_NO_FILTERS,   PNG_FILTER_SUB,   PNG_FILTER_UP,
                              PNG_FILTER_PAETH, PNG_FAST_FILTERS, PNG_ALL_FILTERS};
  LibpngChoices choices;
  choices.level = random.between(0, 9);
  choices.strategy = random.between(Z_DEFAULT_STRATEGY, Z_FIXED);
  choices.memory_level = random.between(2, 9);
  choices.filters = kFilters[random.below(std::size(kFilters))];
  choices.flush_rows = random.below(3) == 0 ? random.between(1, 50) : 0;
  choices.chunk_bytes = static_cast<std::size_t>(random.between(100, 20000));
  return choices;
}

/// libpng must not report an error, because the image and the choices are valid.
FileBytes written_by_libpng(ConstView image, const LibpngChoices& choices) {
  constexpr int kColorTypes[] = {PNG_COLOR_TYPE_GRAY, PNG_COLOR_TYPE_GRAY_ALPHA, PNG_COLOR_TYPE_RGB,
                                 PNG_COLOR_TYPE_RGB_ALPHA};
  const auto stop = [](png_structp, png_const_charp message) {
    std::fprintf(stderr, "libpng: %s\n", message);
    std::abort();
  };
  const auto append = [](png_structp png, png_bytep bytes, std::size_t count) {
    add_bytes(*static_cast<FileBytes*>(png_get_io_ptr(png)), std::as_bytes(std::span(bytes, count)));
  };
  FileBytes file;
  png_structp png = png_create_write_struct(PNG_LIBPNG_VER_STRING, nullptr, stop, nullptr);
  png_infop info = png_create_info_struct(png);
  png_set_write_fn(png, &file, append, [](png_structp) {});
  png_set_compression_level(png, choices.level);
  png_set_compression_strategy(png, choices.strategy);
  png_set_compression_mem_level(png, choices.memory_level);
  png_set_compression_buffer_size(png, choices.chunk_bytes);
  png_set_filter(png, PNG_FILTER_TYPE_BASE, choices.filters);
  png_set_flush(png, choices.flush_rows);
  const bool is_deep = image.format.sample == Sample::u16;
  png_set_IHDR(png, info, static_cast<png_uint_32>(image.width), static_cast<png_uint_32>(image.height),
               is_deep ? 16 : 8, kColorTypes[image.format.channels - 1], PNG_INTERLACE_NONE,
               PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
  png_write_info(png, info);
  if (is_deep) {
    png_set_swap(png);
  }
  for (int y = 0; y < image.height; ++y) {
    png_write_row(png, image.row<png_byte>(y));
  }
  png_write_end(png, info);
  png_destroy_write_struct(&png, &info);
  return file;
}

/// Images of more than 32 KiB, for which libpng uses a window of 32 KiB.
TEST(PngTwin, AgreesOnTheFilesOfLibpng) {
  Random random;
  SCOPED_TRACE(random.trace());
  int files = 0;
  int taken = 0;
  for (int round = 0; round < 60; ++round) {
    const PixelFormat format = any_format(random);
    const Image image = any_image(random, random.between(200, 260), random.between(180, 220), format);
    const FileBytes file = written_by_libpng(image.view(), any_libpng_choices(random));
    ++files;
    ASSERT_EQ(difference_of_png_twin(file, random.below(2) == 0 ? DecodeShape{} : any_shape(random), &taken), "");
  }
  EXPECT_GE(taken, files / 2);
}

/// tests/live/compare_png_twin.py runs this test, after it has written the files with other encoders.
TEST(PngTwin, DISABLED_AgreesOnTheFilesOfAFolder) {
  const char* const folder = std::getenv("GPUIMG_TEST_PNG_FOLDER");
  ASSERT_NE(folder, nullptr);
  int files = 0;
  int taken = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
    if (entry.path().extension() == ".png") {
      ++files;
      const int before = taken;
      const std::string text = text_in(entry.path());
      const auto file = std::as_bytes(std::span(text));
      EXPECT_EQ(difference_of_png_twin(file, {}, &taken), "") << entry.path();
      if (taken == before) {
        const std::optional<EncodedPng> encoded = describe_png_data(file);
        const std::string why =
            encoded ? "defects " + std::to_string(decode_with_twin(*encoded).defects) : "its header";
        std::printf("left to libpng: %s, %s\n", entry.path().c_str(), why.c_str());
      }
    }
  }
  std::printf("%d of %d files by the twin\n", taken, files);
}

TEST(PngTwin, AgreesOnTheCatalogue) {
  Random random;
  SCOPED_TRACE(random.trace());
  int files = 0;
  int taken = 0;
  const Catalogue catalogue = make_catalogue();
  for (const CatalogueFile& file : catalogue.files()) {
    if (is_png(file.bytes)) {
      ++files;
      ASSERT_EQ(difference_of_png_twin(file.bytes, {}, &taken), "") << file.name;
      ASSERT_EQ(difference_of_png_twin(file.bytes, any_shape(random)), "") << file.name;
    }
  }
  EXPECT_GE(files, 50);
  EXPECT_GE(taken, 5);
}

TEST(PngTwin, LeavesEveryPrefixToTheHost) {
  Random random;
  SCOPED_TRACE(random.trace());
  for (int round = 0; round < 12; ++round) {
    const Image image = any_picture(random, 24);
    PngDeflating deflating = any_deflating(random);
    deflating.chunk_bytes = random.below(2) == 0 ? 0 : 50;
    const FileBytes file = deflated_png(random, image.view(), deflating);
    const DecodeShape shape = any_shape(random);
    for (std::size_t size = 0; size < file.size(); ++size) {
      int taken = 0;
      ASSERT_EQ(difference_of_png_twin(std::span(file).first(size), shape, &taken), "") << size;
      ASSERT_EQ(taken, 0) << size;
    }
  }
}

/// A truncated stream in a complete file.
TEST(PngTwin, LeavesEveryPrefixOfTheDataToTheHost) {
  Random random;
  SCOPED_TRACE(random.trace());
  for (int round = 0; round < 8; ++round) {
    const Image image = any_picture(random, 24);
    const FileBytes file = deflated_png(random, image.view(), any_deflating(random));
    const std::optional<EncodedPng> encoded = describe_png_data(file);
    ASSERT_TRUE(encoded);
    FileBytes stream;
    for (const EncodedPng::Chunk& chunk : encoded->chunks) {
      add_bytes(stream, encoded->bytes.subspan(chunk.begin, chunk.size));
    }
    for (std::size_t size = 1; size < stream.size(); ++size) {
      int taken = 0;
      const FileBytes part(stream.begin(), stream.begin() + static_cast<std::ptrdiff_t>(size));
      const FileBytes cut = png_of_stream(image.width(), image.height(), image.format(), part, 0);
      ASSERT_EQ(difference_of_png_twin(cut, any_shape(random), &taken), "") << size;
      ASSERT_EQ(taken, 0) << size;
    }
  }
}

TEST(PngTwin, AgreesOnMutants) {
  Random random;
  SCOPED_TRACE(random.trace());
  int taken = 0;
  for (int round = 0; round < 250; ++round) {
    const Image image = any_picture(random, round % 5 == 0 ? 200 : 60);
    const FileBytes file = deflated_png(random, image.view(), any_deflating(random));
    for (int i = 0; i < 20; ++i) {
      const FileBytes mutant = mutant_of_png(random, file);
      const DecodeShape shape = random.below(2) == 0 ? DecodeShape{} : any_shape(random);
      ASSERT_EQ(difference_of_png_twin(mutant, shape, &taken), "");
    }
  }
  EXPECT_GE(taken, 50);
}

TEST(PngTwin, LeavesUnusualFilesToTheHost) {
  Random random;
  SCOPED_TRACE(random.trace());
  for (const PngKind kind : png_kinds()) {
    PngPicture picture = random_picture(random, kind, 20, 20);
    const bool is_taken = kind.color_type != 3 && kind.bit_depth >= 8;
    EXPECT_EQ(describe_png_data(make_png(picture)).has_value(), is_taken);
    picture.interlaced = true;
    EXPECT_FALSE(describe_png_data(make_png(picture)));
    picture.interlaced = false;
    if (kind.color_type == 2) {
      for (int i = 0; i < 3; ++i) {
        add_be(picture.transparency, 1, 2);
      }
      EXPECT_FALSE(describe_png_data(make_png(picture)));
    }
  }
  const Image image = smooth_image(random, 40, 30, {Sample::u8, 3});
  for (const int bits : {9, 12, 14}) {
    EXPECT_FALSE(describe_png_data(deflated_png(random, image.view(), {.window_bits = bits})));
  }
  EXPECT_FALSE(describe_png_data({}));
}

/// Changes each byte of a file with a single chunk. Checksums stay unchanged.
TEST(PngTwin, DetectsEveryChangedByte) {
  Random random;
  SCOPED_TRACE(random.trace());
  const Image image = smooth_image(random, 30, 20, {Sample::u8, 3});
  const FileBytes file = deflated_png(random, image.view());
  constexpr std::size_t kDataBegin = 41;
  constexpr std::size_t kIendBytes = 12;
  for (std::size_t at = kDataBegin; at + kIendBytes < file.size(); ++at) {
    FileBytes changed = file;
    changed[at] ^= static_cast<std::byte>(1U << random.below(8));
    const std::optional<EncodedPng> encoded = describe_png_data(changed);
    ASSERT_TRUE(!encoded || decode_with_twin(*encoded).defects != 0) << at;
  }
}

std::uint32_t defects_of(const FileBytes& stream, int width, int height, PixelFormat format) {
  const FileBytes file = png_of_stream(width, height, format, stream, 0);
  EXPECT_EQ(difference_of_png_twin(file), "");
  const std::optional<EncodedPng> encoded = describe_png_data(file);
  EXPECT_TRUE(encoded);
  return encoded ? decode_with_twin(*encoded).defects : 0;
}

FileBytes stream_of(const Octets& raw) {
  return zlib_stream_of(deflated_by_zlib(raw),
                        static_cast<std::uint32_t>(::adler32(1, raw.data(), static_cast<uInt>(raw.size()))));
}

TEST(PngTwin, DetectsEachDefect) {
  constexpr PixelFormat kGray{Sample::u8, 1};
  Octets raw(101 * 50);  // 50 rows of 100 pixels
  for (std::size_t i = 0; i < raw.size(); ++i) {
    raw[i] = static_cast<std::uint8_t>(i % 101 == 0 ? i / 101 % 5 : i * i);
  }
  EXPECT_EQ(defects_of(stream_of(raw), 100, 50, kGray), 0U);
  EXPECT_EQ(defects_of(stream_of(raw), 100, 49, kGray), Defect::bad_size);
  EXPECT_EQ(defects_of(stream_of(raw), 100, 51, kGray), Defect::bad_size);
  FileBytes longer = stream_of(raw);
  longer.insert(longer.end() - 4, std::byte{0});
  EXPECT_EQ(defects_of(longer, 100, 50, kGray), Defect::bad_size);
  FileBytes wrong_sum = stream_of(raw);
  wrong_sum.back() ^= std::byte{1};
  EXPECT_EQ(defects_of(wrong_sum, 100, 50, kGray), Defect::bad_data_checksum);
  raw[101] = 5;
  EXPECT_EQ(defects_of(stream_of(raw), 100, 50, kGray), Defect::bad_filter);
  BitWriter no_type;
  no_type.add(7, 3);
  no_type.add(0, 29);
  EXPECT_EQ(defects_of(zlib_stream_of(no_type.bytes(), 1), 1, 1, kGray), Defect::bad_code);
  BitWriter no_stored;  // a stored block whose size and complement differ
  no_stored.add(1, 8);
  no_stored.add(4, 16);
  no_stored.add(4, 16);
  EXPECT_EQ(defects_of(zlib_stream_of(no_stored.bytes(), 1), 1, 2, kGray), Defect::bad_chain);
  BitWriter far;
  far.add(3, 3);     // the last block, with fixed codes
  far.add(0x0C, 8);  // a literal, 0
  far.add(0x40, 7);  // a match of length 3
  far.add(0x10, 5);  // distance 2
  far.add(0, 9);     // the end of the block
  EXPECT_EQ(defects_of(zlib_stream_of(far.bytes(), 0), 3, 1, kGray), Defect::bad_distance);
  FileBytes file = png_of_stream(100, 50, kGray, stream_of(raw), 0);
  file[file.size() - 13] ^= std::byte{1};
  EXPECT_NE(decode_with_twin(*describe_png_data(file)).defects & Defect::bad_checksum, 0U);
}

TEST(PngTwin, DetectsPlantedErrors) {
  Random random;
  SCOPED_TRACE(random.trace());
  using Of = PlantedWalkError::Of;
  DecodeShape shape;
  shape.lanes = 4;
  shape.max_words = 3;
  shape.min_words = 1;
  shape.passes = 1;
  for (int round = 0; round < 100; ++round) {
    const Image image = smooth_image(random, 60, 40, {Sample::u8, 3});
    const FileBytes file = deflated_png(random, image.view());
    const std::optional<EncodedPng> encoded = describe_png_data(file);
    ASSERT_TRUE(encoded);
    for (const Of of : {Of::entry, Of::exit, Of::bytes, Of::lane}) {
      const PngTwinResult found = decode_with_twin(*encoded, shape, {of, random.below(1000)});
      // Lanes after the end of a block have no bytes, so the error has no effect.
      ASSERT_TRUE(!found.image || (of != Of::lane && found.repaired > 0) ||
                  same_pixels(found.image->view(), image.view()));
    }
  }
}

/// Without run-in, windows begin at wrong bits. Later passes must repair them.
TEST(PngTwin, RepairsWindowsWithoutRunIn) {
  Random random;
  SCOPED_TRACE(random.trace());
  DecodeShape shape;
  shape.lanes = 4;
  shape.run_in_bits = 0;
  shape.passes = 20;
  const Image image = smooth_image(random, 300, 200, {Sample::u8, 3});
  const PngTwinResult found = expect_taken(deflated_png(random, image.view()), shape);
  EXPECT_GT(found.repaired, 0U);
  EXPECT_GT(found.walks_again, 0U);
}

/// All codes have the same length, so walks never synchronize.
TEST(PngTwin, LeavesCodesThatDoNotSynchronizeToTheHost) {
  Random random;
  SCOPED_TRACE(random.trace());
  const Image image = random_image(random, 400, 300, {Sample::u8, 3});
  PngDeflating deflating;
  deflating.strategy = Z_HUFFMAN_ONLY;
  int taken = 0;
  EXPECT_EQ(difference_of_png_twin(deflated_png(random, image.view(), deflating), {}, &taken), "");
}

TEST(PngTwin, FollowsTheChainThroughStoredAndFixedBlocks) {
  Random random;
  SCOPED_TRACE(random.trace());
  const Image image = smooth_image(random, 200, 100, {Sample::u8, 3});
  PngDeflating stored;
  stored.level = 0;
  const PngTwinResult of_stored = expect_taken(deflated_png(random, image.view(), stored));
  EXPECT_GE(of_stored.stored_runs, 1U);
  EXPECT_EQ(of_stored.rounds, 1U);
  PngDeflating fixed;
  fixed.strategy = Z_FIXED;
  fixed.memory_level = 7;
  const PngTwinResult of_fixed = expect_taken(deflated_png(random, image.view(), fixed));
  EXPECT_GT(of_fixed.rounds, 1U);
}

/// A deliberately slow file: each block needs a round. The host decodes it.
TEST(PngTwin, GivesUpOnManyRounds) {
  Random random;
  SCOPED_TRACE(random.trace());
  const Image image = smooth_image(random, 200, 200, {Sample::u8, 3});
  PngDeflating fixed;
  fixed.strategy = Z_FIXED;
  fixed.flush = Z_BLOCK;
  fixed.flush_bytes = 500;
  const FileBytes file = deflated_png(random, image.view(), fixed);
  const PngTwinResult found = decode_with_twin(*describe_png_data(file));
  EXPECT_NE(found.defects & (Defect::not_synchronized | Defect::too_many_blocks), 0U);
  EXPECT_LE(found.rounds, DecodeShape{}.more_rounds + 1);
}

/// Flat rows: chains of matches across the whole image, and the largest expansion.
TEST(PngTwin, TakesFlatImages) {
  for (const int level : {1, 6, 9}) {
    const Image image = constant_image(900, 700, {Sample::u8, 3}, 77);
    Random random;
    PngDeflating deflating;
    deflating.filter = 0;
    deflating.level = level;
    const PngTwinResult found = expect_taken(deflated_png(random, image.view(), deflating));
    ASSERT_TRUE(found.image);
    EXPECT_TRUE(same_pixels(found.image->view(), image.view()));
  }
}

TEST(PngDecodeShape, BoundsItsMemory) {
  Random random;
  SCOPED_TRACE(random.trace());
  const Image image = smooth_image(random, 1200, 900, {Sample::u8, 3});
  const FileBytes file = deflated_png(random, image.view());
  const std::size_t bytes = gpuimg::png::decoding_bytes(*describe_png_data(file));
  EXPECT_GE(bytes, 3 * image.size_bytes());
  EXPECT_LE(bytes, 4 * image.size_bytes() + 3 * file.size() + (std::size_t{16} << 20));
}

TEST(PngUnfilter, AddsBytesAsSpecified) {
  for (std::uint32_t a = 0; a < 256; ++a) {
    for (std::uint32_t b = 0; b < 256; ++b) {
      const std::uint32_t sum = gpuimg::png::bytes_plus(a | b << 8 | 0xFFU << 16 | a << 24, b | b << 8 | a << 24);
      ASSERT_EQ(sum, ((a + b) & 0xFFU) | (2 * b & 0xFFU) << 8 | 0xFFU << 16 | (2 * a & 0xFFU) << 24);
    }
  }
}

}  // namespace
}  // namespace gpuimg::test_png_twin
