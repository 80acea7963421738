// Files written row by row equal files written as a whole, however the rows are divided into calls.
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <algorithm>
#include <cstring>
#include <functional>
#include <limits>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "codecs/image_writer.hpp"
#include "gpuimg/error.hpp"
#include "support/file_bytes.hpp"
#include "support/sanitizers.hpp"
#include "support/test_images.hpp"

namespace gpuimg::test_row_writers {
using namespace codecs;

namespace {

using namespace test;

constexpr FileFormat kFormats[] = {FileFormat::png, FileFormat::jpeg, FileFormat::pnm, FileFormat::bmp};
constexpr int kAllRows = std::numeric_limits<int>::max();

/// Returns the maximum number of rows in the next call.
using Cut = std::function<int()>;

Cut every(int rows) {
  return [rows] { return rows; };
}

Cut any_rows(Random& random, int most) {
  return [&random, most] { return random.between(1, most); };
}

/// Rows in separate memory, with `padding` bytes after each row. A sanitizer reports code that reads the rows after the
/// call.
class Band {
 public:
  Band(ConstView image, int first, int count, std::size_t padding)
      : row_bytes_(image.tight_pitch_bytes()),
        pitch_bytes_(row_bytes_ + padding),
        bytes_(pitch_bytes_ * static_cast<std::size_t>(count - 1) + row_bytes_, std::byte{0xA5}),
        view_{bytes_.data(), image.width, count, pitch_bytes_, image.format} {
    for (int y = 0; y < count; ++y) {
      std::memcpy(bytes_.data() + pitch_bytes_ * static_cast<std::size_t>(y), image.row_bytes(first + y), row_bytes_);
    }
  }
  Band(const Band&) = delete;
  Band& operator=(const Band&) = delete;
  ~Band() { std::fill(bytes_.begin(), bytes_.end(), std::byte{0x5A}); }

  [[nodiscard]] ConstView view() const { return view_; }

 private:
  std::size_t row_bytes_;
  std::size_t pitch_bytes_;
  std::vector<std::byte> bytes_;
  ConstView view_;
};

/// Writes the image's first `rows` rows.
void write_rows(RowWriter& writer, ConstView image, int rows, const Cut& cut, std::size_t padding) {
  for (int first = 0; first < rows;) {
    const int count = std::min(cut(), rows - first);
    writer.write(Band(image, first, count, padding).view());
    first += count;
  }
}

void put_at(FileBytes& file, std::uint64_t offset, std::span<const std::byte> part) {
  file.resize(std::max<std::size_t>(file.size(), offset + part.size()));
  std::copy(part.begin(), part.end(), file.begin() + static_cast<std::ptrdiff_t>(offset));
}

/// Collects the parts of a file; calls `before` before each part.
FileParts collect_in(
    FileBytes& file, const std::function<void()>& before = [] {}) {
  return {[&file, before](std::span<const std::byte> part) {
            before();
            file.insert(file.end(), part.begin(), part.end());
          },
          [&file, before](std::uint64_t offset, std::span<const std::byte> part) {
            before();
            put_at(file, offset, part);
          }};
}

/// True if `file` is a prefix of `whole`. BMP stores the bottom row first, so only its header is compared.
bool is_part_of(const FileBytes& file, const FileBytes& whole, FileFormat type) {
  return file.size() <= whole.size() &&
         (type == FileFormat::bmp || std::equal(file.begin(), file.end(), whole.begin()));
}

const std::string kName = "out";

std::unique_ptr<RowWriter> opened(ConstView image, FileFormat type, const WriteOptions& options, const FileParts& to) {
  return open_image_writer(image.width, image.height, image.format, type, kName, options, to);
}

FileBytes written(ConstView image, FileFormat type, const WriteOptions& options, const Cut& cut,
                  std::size_t padding = 0) {
  FileBytes file;
  const FileParts to = collect_in(file);
  const auto writer = opened(image, type, options, to);
  write_rows(*writer, image, image.height, cut, padding);
  writer->finish();
  return file;
}

void expect_same_file(ConstView image, FileFormat type, const WriteOptions& options, Random& random) {
  const FileBytes whole = encode_image(image, type, kName, options);
  for (const int rows : {1, 7, 64, kAllRows}) {
    EXPECT_TRUE(written(image, type, options, every(rows)) == whole) << rows << " rows a call";
  }
  EXPECT_TRUE(written(image, type, options, any_rows(random, image.height), 5) == whole) << "any rows a call";
}

bool holds(FileFormat type, PixelFormat format) {
  const bool is_deep = format.sample != Sample::u8;
  const bool has_gray_alpha = format.has_alpha() && format.color_channels() == 1;
  return (type != FileFormat::jpeg || (!is_deep && !format.has_alpha())) &&
         (type != FileFormat::bmp || (!is_deep && !has_gray_alpha));
}

std::string label(FileFormat type, ConstView image) {
  return std::string(codec_of(type).name) + " " + name_of(image.format) + " " + std::to_string(image.width) + "x" +
         std::to_string(image.height);
}

TEST(RowWriters, RowsPerCallDoNotChangeSmallFiles) {
  Random random;
  SCOPED_TRACE(random.trace());
  constexpr int kSizes[][2] = {{1, 1}, {1, 70}, {70, 1}, {15, 17}, {33, 31}, {9, 65}};
  for (const FileFormat type : kFormats) {
    for (const PixelFormat format : photographic_formats()) {
      for (const auto& [width, height] : kSizes) {
        if (holds(type, format)) {
          const Image image = any_image(random, width, height, format);
          SCOPED_TRACE(label(type, image.view()));
          WriteOptions options;
          options.png_level = random.between(0, 3);
          options.threads = random.between(0, 2);
          options.jpeg_quality = random.between(1, 100);
          options.jpeg_restart_interval = random.between(0, 3);
          expect_same_file(image.view(), type, options, random);
        }
      }
    }
  }
}

/// With two threads, four strips of a PNG are in flight. These images have at least ten strips and a remainder.
TEST(RowWriters, RowsPerCallDoNotChangeFilesOfManyStrips) {
  Random random;
  SCOPED_TRACE(random.trace());
  for (const FileFormat type : kFormats) {
    for (const PixelFormat format : photographic_formats()) {
      if (!holds(type, format)) {
        continue;
      }
      const int width = 5000 / static_cast<int>(format.bytes_per_pixel()) + random.between(0, 9);
      const Image image = any_image(random, width, 560 + random.between(0, 40), format);
      SCOPED_TRACE(label(type, image.view()));
      for (const int threads : {1, 2}) {
        WriteOptions options;
        options.threads = threads;
        options.png_level = threads == 1 ? 0 : 1;
        expect_same_file(image.view(), type, options, random);
      }
    }
  }
}

TEST(RowWriters, RowsPerCallDoNotChangeAnyLevelOfPng) {
  Random random;
  SCOPED_TRACE(random.trace());
  for (const PixelFormat format : {PixelFormat{Sample::u8, 3}, PixelFormat{Sample::u16, 1}}) {
    const Image image = smooth_image(random, 6000 / static_cast<int>(format.bytes_per_pixel()), 450, format);
    for (const int level : {0, 1, 2, 3}) {
      SCOPED_TRACE(level);
      WriteOptions options;
      options.png_level = level;
      const FileBytes whole = encode_image(image.view(), FileFormat::png, kName, options);
      for (const int threads : {1, 2, 3}) {
        options.threads = threads;
        EXPECT_TRUE(written(image.view(), FileFormat::png, options, any_rows(random, 240), 3) == whole) << threads;
      }
    }
  }
}

/// Copied rows are followed by many rows that are compressed in place, and vice versa.
TEST(RowWriters, AcceptAMixOfShortAndLongCalls) {
  Random random;
  SCOPED_TRACE(random.trace());
  const Image image = random_image(random, 2600, 3000, {Sample::u8, 1});  // 100 rows per strip
  WriteOptions options;
  options.png_level = 0;
  options.threads = 2;
  const FileBytes whole = encode_image(image.view(), FileFormat::png, kName, options);
  for (const auto& pattern : {std::vector{1, 2999},
                              {99, 1, 1900, 1000},
                              {100, 100, 1800, 1000},
                              {850, 1301, 849},
                              {2999, 1},
                              {800, 800, 800, 599, 1},
                              {801, 799, 1400}}) {
    std::size_t call = 0;
    const Cut cut = [&] { return pattern.at(call++); };
    EXPECT_TRUE(written(image.view(), FileFormat::png, options, cut) == whole) << ::testing::PrintToString(pattern);
  }
}

TEST(RowWriters, AcceptStripsOfOneRow) {
  Random random;
  SCOPED_TRACE(random.trace());
  const Image image = any_image(random, 150000, 38, {Sample::u16, 1});
  WriteOptions options;
  options.png_level = 0;
  options.threads = 2;
  expect_same_file(image.view(), FileFormat::png, options, random);
}

TEST(RowWriters, RowsPerCallDoNotChangeOneBitFiles) {
  Random random;
  SCOPED_TRACE(random.trace());
  WriteOptions options;
  options.one_bit = true;
  options.threads = 2;
  // The last size gives eleven strips of PNG.
  constexpr int kSizes[][2] = {{1, 1}, {8, 3}, {9, 70}, {1001, 65}, {16385, 1400}};
  for (const FileFormat type : {FileFormat::png, FileFormat::pnm}) {
    for (const auto& [width, height] : kSizes) {
      const Image image = black_and_white_image(random, width, height, {Sample::u8, 1});
      SCOPED_TRACE(label(type, image.view()));
      expect_same_file(image.view(), type, options, random);
      EXPECT_LT(encode_image(image.view(), type, kName, options).size(),
                static_cast<std::size_t>(width / 8 + 2) * static_cast<std::size_t>(height) + 4000);
    }
  }
}

TEST(RowWriters, WriteMetadataAndText) {
  Random random;
  SCOPED_TRACE(random.trace());
  const Image image = smooth_image(random, 40, 50, {Sample::u8, 3});
  WriteOptions options;
  options.text = {{"Title", "rows"}, {"Comment", std::string(300000, 'x')}};  // exceeds the writer's buffer
  options.metadata.density = PixelDensity{300, 200, DensityUnit::inch};
  for (const FileFormat type : kFormats) {
    SCOPED_TRACE(label(type, image.view()));
    expect_same_file(image.view(), type, options, random);
  }
}

struct SinkFailure {};

/// An image that gives several PNG strips, several blocks of coded JPEG data, and several writes for PNM.
Image image_of_many_blocks(Random& random) { return random_image(random, 700, 1000, {Sample::u8, 3}); }

TEST(RowWriters, PropagateErrorsOfTheSink) {
  Random random;
  SCOPED_TRACE(random.trace());
  const Image image = image_of_many_blocks(random);
  WriteOptions options;
  options.jpeg_quality = 95;
  options.png_level = 0;
  for (const FileFormat type : kFormats) {
    SCOPED_TRACE(label(type, image.view()));
    const FileBytes whole = encode_image(image.view(), type, kName, options);
    int calls = 0;
    bool failed = true;
    for (int failing = 0; failed; ++failing) {
      FileBytes file;
      calls = 0;
      failed = false;
      const FileParts to = collect_in(file, [&] {
        EXPECT_FALSE(failed) << "called again";
        if (calls++ == failing) {
          failed = true;
          throw SinkFailure();
        }
      });
      try {
        const auto writer = opened(image.view(), type, options, to);
        write_rows(*writer, image.view(), image.height(), every(90), 0);
        writer->finish();
        EXPECT_FALSE(failed) << failing;
        EXPECT_TRUE(file == whole);
      } catch (const SinkFailure&) {
        EXPECT_TRUE(failed);
        EXPECT_TRUE(file != whole && is_part_of(file, whole, type)) << failing;
      }
    }
    EXPECT_GE(calls, 4);
  }
}

TEST(RowWriters, LeaveAPrefixIfDestroyedEarly) {
  Random random;
  SCOPED_TRACE(random.trace());
  const Image image = image_of_many_blocks(random);
  WriteOptions options;
  options.threads = 2;
  for (const FileFormat type : kFormats) {
    SCOPED_TRACE(label(type, image.view()));
    const FileBytes whole = encode_image(image.view(), type, kName, options);
    for (const int rows : {0, 1, 90, 374, 499, 500}) {
      FileBytes file;
      const FileParts to = collect_in(file);
      auto writer = opened(image.view(), type, options, to);
      write_rows(*writer, image.view(), rows, every(33), 0);
      if (rows < image.height()) {
        EXPECT_THROW(writer->finish(), std::logic_error) << rows;
      }
      writer.reset();
      EXPECT_TRUE(is_part_of(file, whole, type)) << rows;
      const bool has_end = type != FileFormat::pnm && type != FileFormat::bmp;
      EXPECT_TRUE(file != whole || (rows == image.height() && !has_end)) << rows;
    }
  }
}

TEST(RowWriters, RejectRowsOfAnotherImage) {
  const Image image = constant_image(20, 10, {Sample::u8, 3}, 7);
  const Image wide = constant_image(21, 1, {Sample::u8, 3}, 7);
  const Image gray = constant_image(20, 1, {Sample::u8, 1}, 7);
  const Image row = constant_image(20, 1, {Sample::u8, 3}, 7);
  const FileParts to = {[](std::span<const std::byte>) {}, [](std::uint64_t, std::span<const std::byte>) {}};
  const WriteOptions options;
  for (const FileFormat type : kFormats) {
    SCOPED_TRACE(codec_of(type).name);
    const auto writer = opened(image.view(), type, options, to);
    EXPECT_THROW(writer->write(wide.view()), std::logic_error);
    EXPECT_THROW(writer->write(gray.view()), std::logic_error);
    writer->write(image.view());
    EXPECT_THROW(writer->write(row.view()), std::logic_error);
    writer->finish();
  }
}

/// The error message; empty if `write` throws no error.
std::string rejection(const std::function<void()>& write) {
  try {
    write();
  } catch (const Error& error) {
    return std::to_string(static_cast<int>(error.kind())) + " " + error.what();
  }
  return {};
}

TEST(RowWriters, RejectTheSameInputAsEncoders) {
  const FileParts to = {[](std::span<const std::byte>) { ADD_FAILURE() << "written"; },
                        [](std::uint64_t, std::span<const std::byte>) { ADD_FAILURE() << "written"; }};
  const auto with = [](auto member, auto value) {
    WriteOptions options;
    options.*member = value;
    return options;
  };
  const struct Case {
    FileFormat type;
    int width;
    PixelFormat format;
    WriteOptions options;
  } cases[] = {
      {FileFormat::jpeg, 2, {Sample::u8, 4}, {}},
      {FileFormat::jpeg, 2, {Sample::u16, 3}, {}},
      {FileFormat::jpeg, 70000, {Sample::u8, 3}, {}},
      {FileFormat::jpeg, 2, {Sample::u8, 3}, with(&WriteOptions::jpeg_quality, 0)},
      {FileFormat::png, 2, {Sample::f32, 1}, {}},
      {FileFormat::png, 0, {Sample::u8, 1}, {}},
      {FileFormat::png, 1 << 28, {Sample::u8, 4}, {}},
      {FileFormat::png, 2, {Sample::u8, 1}, with(&WriteOptions::png_level, 4)},
      {FileFormat::png, 2, {Sample::u8, 1}, with(&WriteOptions::threads, -1)},
      {FileFormat::png, 2, {Sample::u8, 1}, with(&WriteOptions::text, std::vector<TextEntry>{{" bad", ""}})},
      {FileFormat::pnm, 2, {Sample::u32, 1}, {}},
      {FileFormat::bmp, 2, {Sample::u16, 3}, {}},
  };
  const std::byte no_pixels{};
  for (const Case& each : cases) {
    const std::size_t row_bytes = static_cast<std::size_t>(each.width) * each.format.bytes_per_pixel();
    const ConstView image{&no_pixels, each.width, 1, row_bytes, each.format};
    const std::string whole = rejection([&] { encode_image(image, each.type, kName, each.options, to.append); });
    EXPECT_NE(whole, "");
    EXPECT_EQ(rejection([&] { opened(image, each.type, each.options, to); }), whole);
  }
}

TEST(RowWriters, AreNullForOtherFormats) {
  const FileParts to = {[](std::span<const std::byte>) { ADD_FAILURE() << "written"; },
                        [](std::uint64_t, std::span<const std::byte>) { ADD_FAILURE() << "written"; }};
  const Image image = constant_image(3, 3, {Sample::u8, 3}, 7);
  for (const Codec& codec : codecs::codecs()) {
    if (codec.is_written() && std::find(std::begin(kFormats), std::end(kFormats), codec.format) == std::end(kFormats)) {
      EXPECT_EQ(opened(image.view(), codec.format, {}, to), nullptr) << codec.name;
    }
  }
}

std::size_t peak_memory() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<std::size_t>(usage.ru_maxrss) << 10;
}

TEST(RowWriters, HoldFewRows) {
  constexpr int kWidth = 2000;
  constexpr int kHeight = 12000;  // 72 MB
  const Image band = constant_image(kWidth, 40, {Sample::u8, 3}, 99);
  WriteOptions options;
  options.png_level = 0;
  options.threads = 2;
  std::size_t size = 0;
  const FileParts to = {[&](std::span<const std::byte> part) { size += part.size(); },
                        [&](std::uint64_t, std::span<const std::byte> part) { size += part.size(); }};
  for (const FileFormat type : kFormats) {
    const std::size_t before = peak_memory();
    const auto writer = open_image_writer(kWidth, kHeight, band.format(), type, kName, options, to);
    for (int y = 0; y < kHeight; y += band.height()) {
      writer->write(band.view());
    }
    writer->finish();
    EXPECT_LT(peak_memory() - before, std::size_t{kHasSanitizer ? 32 : 12} << 20) << codec_of(type).name;
  }
  EXPECT_GT(size, 2 * std::size_t{72} * 1000 * 1000) << "PNM and BMP alone are larger";
}

}  // namespace
}  // namespace gpuimg::test_row_writers
