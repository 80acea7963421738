// Compares the fast path for PNG with libpng: for every file, both return the same pixels or both fail.
#include <gtest/gtest.h>
#include <zlib.h>

#include <algorithm>
#include <array>
#include <cstdlib>

#include "codecs/png/png_fast_reader.hpp"
#include "codecs/png/png_filter.hpp"
#include "codecs/png/simple_png.hpp"
#include "support/png_maker.hpp"
#include "support/png_paths.hpp"
#include "support/test_images.hpp"

namespace gpuimg::test_png_fast {
using namespace codecs;
using namespace codecs::png;

namespace {

using namespace test;

/// Smooth parts, flat parts and noise, so that all kinds of blocks and matches occur.
PngPicture varied_picture(Random& random, PngKind kind, std::uint32_t width, std::uint32_t height) {
  PngPicture picture;
  picture.kind = kind;
  picture.width = width;
  picture.height = height;
  picture.filter = static_cast<int>(random.below(6));
  const std::uint32_t levels = 1U << kind.bit_depth;
  const std::uint32_t noise = 1 + random.below(random.below(2) == 0 ? 3 : levels);
  const std::uint32_t period = 1 + random.below(300);
  picture.samples.resize(std::size_t{width} * height * static_cast<std::size_t>(kind.channels()));
  for (std::size_t i = 0; i < picture.samples.size(); ++i) {
    picture.samples[i] = (static_cast<std::uint32_t>(i / period) + random.below(noise)) % levels;
  }
  if (kind.color_type == 3) {
    for (std::uint32_t i = 0; i < 3 * levels; ++i) {
      add_le(picture.palette, random.below(256), 1);
    }
    for (std::uint32_t i = random.below(2) * random.below(levels); i > 0; --i) {
      add_le(picture.transparency, random.below(256), 1);
    }
  } else if (kind.color_type < 4 && random.below(4) == 0) {
    for (int c = 0; c < kind.channels(); ++c) {
      add_be(picture.transparency, picture.samples[static_cast<std::size_t>(c)], 2);
    }
  }
  return picture;
}

/// Image data compressed by zlib, in one or more IDAT chunks, with ancillary chunks around them.
std::vector<PngChunk> deflated_chunks(Random& random, const PngPicture& picture, int level) {
  std::vector<PngChunk> chunks = png_chunks(picture);
  FileBytes raw = png_raw(picture);
  uLong size = compressBound(static_cast<uLong>(raw.size()));
  FileBytes data(size);
  compress2(reinterpret_cast<Bytef*>(data.data()), &size, reinterpret_cast<const Bytef*>(raw.data()),
            static_cast<uLong>(raw.size()), level);
  data.resize(size);
  const auto at = chunks.end() - 2;
  at->data = data;
  if (random.below(2) == 0) {
    const auto cut = data.begin() + random.below(static_cast<std::uint32_t>(data.size()));
    at->data.assign(data.begin(), cut);
    chunks.insert(chunks.end() - 1, {"IDAT", FileBytes(cut, data.end())});
  }
  if (random.below(3) == 0) {
    chunks.insert(chunks.begin() + 1, {"tEXt", bytes_of("Title")});
    chunks.insert(chunks.end() - 1, {"tIME", FileBytes(7)});
  }
  return chunks;
}

std::vector<PngChunk> deflated_chunks(Random& random, const PngPicture& picture) {
  return deflated_chunks(random, picture, static_cast<int>(random.below(10)));
}

TEST(PngFast, AgreesWithLibpngOnEveryKind) {
  Random random;
  SCOPED_TRACE(random.trace());
  for (const PngKind kind : png_kinds()) {
    for (int round = 0; round < 24; ++round) {
      PngPicture picture = varied_picture(random, kind, 1 + random.below(70), 1 + random.below(70));
      picture.interlaced = random.below(5) == 0;
      const FileBytes file = assemble_png(deflated_chunks(random, picture));
      EXPECT_EQ(difference_of_png_paths(file), "");
      EXPECT_EQ(parse_simple_png(file, "file").has_value(), !picture.interlaced);
    }
  }
}

TEST(PngFast, ReadsValidFilesWithoutLibpng) {
  Random random;
  SCOPED_TRACE(random.trace());
  for (const PngKind kind : png_kinds()) {
    // Images from less than one block of rows to several blocks; rows from one byte to more than a block.
    for (const auto& [width, height] : {std::pair{1U, 1U}, {1U, 70000U}, {300000U, 3U}, {511U, 700U}}) {
      const PngPicture picture = varied_picture(random, kind, width, height);
      const FileBytes file = assemble_png(deflated_chunks(random, picture));
      const auto simple = parse_simple_png(file, "file");
      ASSERT_TRUE(simple.has_value());
      EXPECT_TRUE(read_simple_png(*simple, "file", {.threads = 2}).has_value()) << kind.color_type << ' ' << width;
      EXPECT_EQ(difference_of_png_paths(file), "") << kind.color_type << ' ' << width;
    }
  }
}

/// Random samples with `values` different values.
FileBytes large_file(Random& random, std::uint32_t values) {
  PngPicture picture;
  picture.kind = {2, 8};
  picture.width = 2003;
  picture.height = 1501;
  picture.filter = 1;
  picture.samples.resize(std::size_t{3} * picture.width * picture.height);
  for (std::uint32_t& sample : picture.samples) {
    sample = random.below(values);
  }
  return assemble_png(deflated_chunks(random, picture, 3));
}

TEST(PngFast, ReadsLargePhotosInPartsButNotDrawings) {
  Random random;
  SCOPED_TRACE(random.trace());
  const FileBytes photo = large_file(random, 40);
  const auto simple = parse_simple_png(photo, "file");
  ASSERT_TRUE(simple.has_value());
  EXPECT_GT(PngParts::of(*simple, 2).part_bytes, 0U);
  EXPECT_EQ(PngParts::of(*simple, 1).part_bytes, 0U);
  const Image expected = read_simple_png(*simple, "file", {.threads = 1}).value();
  for (const int threads : {2, 3, 9, 2}) {
    const Image image = read_simple_png(*simple, "file", {.threads = threads}).value();
    EXPECT_TRUE(same_pixels(image.view(), expected.view())) << threads;
  }
  const FileBytes drawing = large_file(random, 1);
  EXPECT_EQ(PngParts::of(parse_simple_png(drawing, "file").value(), 2).part_bytes, 0U);
}

TEST(PngFast, LeavesVeryLongRowsToLibpng) {
  Random random;
  const PngPicture picture = varied_picture(random, {6, 16}, 530000, 2);
  const FileBytes file = assemble_png(deflated_chunks(random, picture));
  EXPECT_FALSE(read_simple_png(parse_simple_png(file, "file").value(), "file", {.threads = 2}).has_value());
  EXPECT_EQ(difference_of_png_paths(file), "");
}

/// Changes bytes or whole chunks, or truncates the file.
FileBytes mutant_of(Random& random, std::vector<PngChunk> chunks) {
  const auto any = [&](std::size_t size) { return random.below(static_cast<std::uint32_t>(size)); };
  switch (random.below(8)) {
    case 0: std::swap(chunks[any(chunks.size())], chunks[any(chunks.size())]); break;
    case 1: chunks.erase(chunks.begin() + any(chunks.size())); break;
    case 2: chunks.insert(chunks.begin() + any(chunks.size() + 1), PngChunk(chunks[any(chunks.size())])); break;
    case 3: {
      PngChunk& chunk = chunks[any(chunks.size())];
      chunk.data.resize(any(chunk.data.size() + 5));
      break;
    }
    case 4: {  // the CRC is correct, but the checksum of the image data is wrong
      FileBytes& data = chunks[chunks.size() - 1 - any(2)].data;
      if (!data.empty()) {
        data[any(data.size())] ^= static_cast<std::byte>(1U << random.below(8));
      }
      break;
    }
    default: break;
  }
  FileBytes file = assemble_png(chunks);
  for (std::uint32_t changes = random.below(4); changes > 0; --changes) {
    file[8 + any(file.size() - 8)] ^= static_cast<std::byte>(1U << random.below(8));
  }
  if (random.below(10) == 0) {
    file.resize(8 + any(file.size() - 8));
  }
  return file;
}

TEST(PngFast, AgreesWithLibpngOnChunkOrder) {
  Random random;
  SCOPED_TRACE(random.trace());
  for (const PngKind kind : {PngKind{2, 8}, PngKind{3, 8}, PngKind{0, 16}, PngKind{3, 4}, PngKind{0, 2}}) {
    PngPicture picture = varied_picture(random, kind, 4, 4);
    picture.palette.resize(std::min<std::size_t>(picture.palette.size(), 3 * 200));
    picture.transparency.clear();
    const std::uint32_t levels = std::min(200U, 1U << kind.bit_depth);
    std::transform(picture.samples.begin(), picture.samples.end(), picture.samples.begin(),
                   [&](std::uint32_t sample) { return sample % levels; });
    ASSERT_NO_THROW(decode(make_png(picture)));
    std::vector<PngChunk> sound = png_chunks(picture);
    sound.insert(sound.end() - 1, {"IDAT", {sound[sound.size() - 2].data.back()}});
    sound[sound.size() - 3].data.pop_back();
    std::vector<PngChunk> strangers = sound;
    for (const char* name :
         {"PLTE", "tRNS", "IDAT", "IHDR", "IEND", "tEXt", "eXIf", "prIv", "QUIT", "a\x01zz", "1DAT"}) {
      for (const std::size_t size : {0, 1, 2, 3, 6, 13, 199, 200, 201, 256, 257, 768, 771}) {
        strangers.push_back({name, FileBytes(size, std::byte{1})});
      }
    }
    for (PngChunk& stranger : strangers) {
      for (std::size_t place = 0; place <= sound.size(); ++place) {
        for (const std::uint32_t crc_error : {0U, 1U}) {
          std::vector<PngChunk> chunks = sound;
          stranger.crc_error = crc_error;
          chunks.insert(chunks.begin() + static_cast<std::ptrdiff_t>(place), stranger);
          ASSERT_EQ(difference_of_png_paths(assemble_png(chunks)), "") << stranger.name << ' ' << place;
          // With a tRNS chunk before or after the other chunk.
          chunks.insert(chunks.begin() + 2, {"tRNS", FileBytes(5)});
          ASSERT_EQ(difference_of_png_paths(assemble_png(chunks)), "") << stranger.name << ' ' << place;
        }
      }
    }
  }
}

TEST(PngFast, AgreesWithLibpngOnMutants) {
  Random random;
  SCOPED_TRACE(random.trace());
  for (const PngKind kind : png_kinds()) {
    for (int round = 0; round < 150; ++round) {
      const PngPicture picture = varied_picture(random, kind, 1 + random.below(12), 1 + random.below(12));
      const FileBytes file = mutant_of(random, deflated_chunks(random, picture));
      ASSERT_EQ(difference_of_png_paths(file), "") << round;
      ASSERT_EQ(difference_of_png_paths(with_checksums_repaired(file)), "") << round;
    }
  }
}

TEST(PngFast, AgreesWithLibpngOnEveryFilterByteAndPaletteIndex) {
  Random random;
  SCOPED_TRACE(random.trace());
  for (const PngKind kind : {PngKind{0, 8}, PngKind{3, 8}, PngKind{6, 16}, PngKind{3, 2}, PngKind{0, 1}}) {
    PngPicture picture = varied_picture(random, kind, 3, 3);
    picture.palette.resize(std::min<std::size_t>(picture.palette.size(), 30));
    picture.transparency.clear();
    for (std::uint32_t value = 0; value < 256; ++value) {
      for (const std::size_t at : {std::size_t{0}, std::size_t{1}}) {
        FileBytes raw = png_raw(picture);
        raw[at] = static_cast<std::byte>(value);
        std::vector<PngChunk> chunks = png_chunks(picture);
        chunks[chunks.size() - 2].data = zlib_stored(raw);
        EXPECT_EQ(difference_of_png_paths(assemble_png(chunks)), "") << value;
      }
    }
  }
}

TEST(PngFast, AgreesWithLibpngOnEveryStreamHeader) {
  Random random;
  const PngPicture picture = varied_picture(random, {2, 8}, 5, 5);
  std::vector<PngChunk> chunks = png_chunks(picture);
  for (std::uint32_t header = 0; header < 1U << 16; header += header % 31 == 0 ? 31 : 1 + header % 7) {
    FileBytes& data = chunks[chunks.size() - 2].data;
    data[0] = static_cast<std::byte>(header >> 8);
    data[1] = static_cast<std::byte>(header);
    ASSERT_EQ(difference_of_png_paths(assemble_png(chunks)), "") << header;
  }
}

/// PNG specification, third edition, section 9.
std::uint8_t predicted(PngFilter filter, int left, int up, int corner) {
  switch (filter) {
    case PngFilter::none: return 0;
    case PngFilter::sub: return static_cast<std::uint8_t>(left);
    case PngFilter::up: return static_cast<std::uint8_t>(up);
    case PngFilter::average: return static_cast<std::uint8_t>((left + up) / 2);
    case PngFilter::paeth: break;
  }
  const int estimate = left + up - corner;
  const int to_left = std::abs(estimate - left);
  const int to_up = std::abs(estimate - up);
  const int to_corner = std::abs(estimate - corner);
  return static_cast<std::uint8_t>(to_left <= to_up && to_left <= to_corner ? left : to_up <= to_corner ? up : corner);
}

TEST(PngUnfilter, PartsOfARowMatchTheSpecification) {
  Random random;
  SCOPED_TRACE(random.trace());
  constexpr std::array<std::uint32_t, 6> kPixelBytes = {1, 2, 3, 4, 6, 8};
  for (int trial = 0; trial < 4000; ++trial) {
    const std::uint32_t pixel = kPixelBytes.at(random.below(6));
    const std::uint32_t pixels = 1 + random.below(trial % 2 == 0 ? 16 : 200);
    const std::size_t bytes = std::size_t{pixel} * pixels;
    const auto filter = static_cast<PngFilter>(random.below(kPngFilterCount));
    std::vector<std::uint8_t> filtered(bytes);
    std::vector<std::uint8_t> above(bytes);
    std::vector<std::uint8_t> expected(bytes);
    for (std::size_t i = 0; i < bytes; ++i) {
      filtered[i] = static_cast<std::uint8_t>(random.below(256));
      above[i] = static_cast<std::uint8_t>(random.below(256));
      const bool is_first = i < pixel;
      expected[i] = static_cast<std::uint8_t>(filtered[i] + predicted(filter, is_first ? 0 : expected[i - pixel],
                                                                      above[i], is_first ? 0 : above[i - pixel]));
    }
    std::vector<std::uint8_t> out(bytes, 0xCD);
    const std::size_t cut = std::size_t{pixel} * random.below(pixels);
    if (cut > 0) {
      unfilter_row(filter, filtered.data(), above.data(), out.data(), {0, cut}, pixel);
      ASSERT_TRUE(std::all_of(out.begin() + static_cast<std::ptrdiff_t>(cut), out.end(),
                              [](std::uint8_t byte) { return byte == 0xCD; }));
    }
    unfilter_row(filter, filtered.data(), above.data(), out.data(), {cut, bytes}, pixel);
    ASSERT_EQ(out, expected) << static_cast<int>(filter) << ", " << bytes << " bytes, " << pixel
                             << " per pixel, cut at " << cut;
  }
}

TEST(PngUnfilter, ParallelRowsMatchSequentialRows) {
  Random random;
  SCOPED_TRACE(random.trace());
  constexpr std::size_t kGuard = 16;
  constexpr std::array<std::size_t, 6> kPixelBytes = {1, 2, 3, 4, 6, 8};
  const auto octets = [&](std::size_t size) {
    std::vector<std::uint8_t> bytes(size);
    const std::uint32_t spread = 1U << (1 + random.below(8));
    std::generate(bytes.begin(), bytes.end(), [&] { return static_cast<std::uint8_t>(random.below(spread)); });
    return bytes;
  };
  for (int trial = 0; trial < 4000; ++trial) {
    const std::size_t pixel = kPixelBytes.at(random.below(6));
    // In one trial of three, the number of rows is arbitrary. Rows after the last full group are unfiltered as half a
    // group or one by one.
    const std::size_t rows = trial % 3 == 0 ? 1 + random.below(20) : rows_unfiltered_at_once(pixel);
    const std::size_t bytes = pixel * (1 + random.below(trial % 2 == 0 ? 16 : 300));
    const std::uint32_t kinds = 1 + random.below(kPngFilterCount);  // rows often share one filter
    auto filtered = octets(rows * (bytes + 1) + kUnfilterOverread);
    const auto above = octets(bytes);
    std::vector<std::uint8_t> expected(rows * bytes + kGuard, 0xCD);
    for (std::size_t row = 0; row < rows; ++row) {
      std::uint8_t* const start = filtered.data() + row * (bytes + 1);
      *start = static_cast<std::uint8_t>(kPngFilterCount - 1 - random.below(kinds));
      unfilter_row(static_cast<PngFilter>(*start), start + 1,
                   row == 0 ? above.data() : expected.data() + (row - 1) * bytes, expected.data() + row * bytes,
                   {0, bytes}, pixel);
    }
    std::vector<std::uint8_t> out(rows * bytes + kGuard, 0xCD);
    unfilter_rows(filtered.data(), above.data(), out.data(), bytes, pixel, rows);
    ASSERT_EQ(out, expected) << bytes << " bytes, " << pixel << " per pixel";
  }
}

}  // namespace
}  // namespace gpuimg::test_png_fast
