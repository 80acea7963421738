// The PNG writer: libpng reads its files without warnings and gets the original pixels. The bytes depend neither on
// threads nor on the pitch. Filters and checksums are also compared with straightforward implementations.
#include <gtest/gtest.h>
#include <tbb/global_control.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>
#include <utility>
#include <vector>

#include "codecs/deflate/compress.hpp"
#include "codecs/deflate/zlib_stream.hpp"
#include "codecs/image_writer.hpp"
#include "codecs/png/png_filter.hpp"
#include "png/row_filter.hpp"
#include "support/libpng_reader.hpp"
#include "support/test_images.hpp"

namespace gpuimg::test_png_writer {
using namespace codecs;
using namespace codecs::deflate;
using namespace codecs::png;

namespace {

using test::Random;

std::vector<std::byte> png_of(ConstView pixels, int level = 1, int threads = 2) {
  WriteOptions options;
  options.png_level = level;
  options.threads = threads;
  return encode_image(pixels, FileFormat::png, "test.png", options);
}

::testing::AssertionResult same_bytes(const std::vector<std::byte>& a, const std::vector<std::byte>& b) {
  if (a.size() != b.size()) {
    return ::testing::AssertionFailure() << a.size() << " bytes against " << b.size();
  }
  const auto [left, right] = std::mismatch(a.begin(), a.end(), b.begin());
  if (left != a.end()) {
    return ::testing::AssertionFailure() << "first difference at byte " << left - a.begin();
  }
  return ::testing::AssertionSuccess();
}

::testing::AssertionResult reads_back(ConstView pixels, const std::vector<std::byte>& png) {
  const test::LibpngResult read = test::read_with_libpng(png);
  if (!read.complaints.empty() || read.image.empty()) {
    return ::testing::AssertionFailure() << "libpng: " << read.complaints;
  }
  return test::same_pixels(read.image.view(), pixels);
}

void expect_error(ErrorKind kind, ConstView pixels, const WriteOptions& options) {
  try {
    encode_image(pixels, FileFormat::png, "odd\nname.png", options);
    ADD_FAILURE() << "was written";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), kind) << error.what();
    EXPECT_EQ(std::string(error.what()).find('\n'), std::string::npos);
  }
}

class PngFormats : public ::testing::TestWithParam<PixelFormat> {};

TEST_P(PngFormats, RoundTripsEverySize) {
  Random random;
  SCOPED_TRACE(random.trace());
  const std::vector<int> sides = {1, 2, 15, 16, 17, 31, 32, 33, 1023, 1024, 1025};
  for (const int width : sides) {
    for (const int height : {1, 2, 17, 33}) {
      for (const auto& [w, h] : {std::pair(width, height), std::pair(height, width)}) {
        const Image image = test::any_image(random, w, h, GetParam());
        EXPECT_TRUE(reads_back(image.view(), png_of(image.view()))) << w << "x" << h;
      }
    }
  }
}

TEST_P(PngFormats, OutputDoesNotDependOnThreads) {
  Random random;
  SCOPED_TRACE(random.trace());
  const tbb::global_control more_than_processors(tbb::global_control::max_allowed_parallelism, 8);
  const std::array<Image, 4> images = {test::random_image(random, 701, 523, GetParam()),
                                       test::smooth_image(random, 1024, 777, GetParam()),
                                       test::constant_image(900, 900, GetParam(), random.below(256)),
                                       test::posterized_image(random, 640, 900, GetParam())};
  for (const Image& image : images) {
    for (int level = 0; level <= 3; ++level) {
      SCOPED_TRACE(level);
      const std::vector<std::byte> one = png_of(image.view(), level, 1);
      EXPECT_TRUE(reads_back(image.view(), one));
      for (const int threads : level == 1 ? std::vector{2, 3, 8, 0} : std::vector{2}) {
        EXPECT_TRUE(same_bytes(png_of(image.view(), level, threads), one)) << threads << " threads";
      }
    }
  }
}

TEST_P(PngFormats, OutputDoesNotDependOnPitch) {
  Random random;
  SCOPED_TRACE(random.trace());
  const Image image = test::any_image(random, 301, 200, GetParam());
  const std::size_t pitch = image.pitch_bytes() + 2 * static_cast<std::size_t>(random.between(1, 40));
  std::vector<std::uint16_t> memory(pitch * 200 / 2, 0xA5C3);
  auto* wide = reinterpret_cast<std::byte*>(memory.data());
  for (int y = 0; y < image.height(); ++y) {
    std::memcpy(wide + static_cast<std::size_t>(y) * pitch, image.view().row_bytes(y), image.pitch_bytes());
  }
  const ConstView view{wide, image.width(), image.height(), pitch, image.format()};
  EXPECT_TRUE(same_bytes(png_of(view), png_of(image.view())));
}

INSTANTIATE_TEST_SUITE_P(All, PngFormats, ::testing::ValuesIn(test::photographic_formats()), [](const auto& of) {
  return "bits" + std::to_string(8 * sample_bytes(of.param.sample)) + "_channels" + std::to_string(of.param.channels);
});

TEST(PngWriter, WritesVeryLongRowsAndColumns) {
  Random random;
  SCOPED_TRACE(random.trace());
  for (const auto& [width, height] : {std::pair(1'000'000, 1), std::pair(1, 1'000'000), std::pair(700'000, 3)}) {
    const Image image = test::any_image(random, width, height, {Sample::u8, 3});
    EXPECT_TRUE(reads_back(image.view(), png_of(image.view()))) << width << "x" << height;
  }
}

TEST(PngWriter, CompressesWherePossible) {
  Random random;
  SCOPED_TRACE(random.trace());
  const PixelFormat rgb{Sample::u8, 3};
  const Image constant = test::constant_image(2000, 1000, rgb, 77);
  EXPECT_LT(png_of(constant.view()).size(), constant.size_bytes() / 100);
  const Image smooth = test::smooth_image(random, 2000, 1000, rgb);
  EXPECT_LT(png_of(smooth.view()).size(), smooth.size_bytes() * 3 / 4);
  const Image noise = test::random_image(random, 2000, 1000, rgb);
  for (int level = 0; level <= 3; ++level) {
    EXPECT_LT(png_of(noise.view(), level).size(), noise.size_bytes() + noise.size_bytes() / 1000 + 1000) << level;
  }
}

TEST(PngWriter, WritesTextInOrder) {
  Random random;
  const Image image = test::random_image(random, 3, 2, {Sample::u8, 1});
  WriteOptions options;
  options.text = {{"gpuimg:hsl", "u16"}, {"Comment", ""}, {"caf\xE9", "two\nlines \xFC"}, {std::string(79, 'k'), "x"}};
  const std::vector<std::byte> png = encode_image(image.view(), FileFormat::png, "t.png", options);
  const test::LibpngResult read = test::read_with_libpng(png);
  EXPECT_EQ(read.complaints, "");
  ASSERT_EQ(read.text.size(), options.text.size());
  for (std::size_t i = 0; i < read.text.size(); ++i) {
    EXPECT_EQ(read.text[i].first, options.text[i].keyword);
    EXPECT_EQ(read.text[i].second, options.text[i].text);
  }
  const std::string bytes(reinterpret_cast<const char*>(png.data()), png.size());
  EXPECT_LT(bytes.rfind("tEXt"), bytes.find("IDAT"));
}

TEST(PngWriter, RejectsInvalidInput) {
  Random random;
  const Image image = test::random_image(random, 3, 2, {Sample::u8, 1});
  for (const std::string& keyword :
       {std::string(), std::string(80, 'k'), std::string(" a"), std::string("a "), std::string("a  b"),
        std::string("a\nb"), std::string("a\0b", 3), std::string("a\xA0"), std::string("a\x7F")}) {
    SCOPED_TRACE(keyword);
    WriteOptions options;
    options.text = {{keyword, "text"}};
    expect_error(ErrorKind::usage, image.view(), options);
  }
  WriteOptions options;
  options.text = {{"key", std::string("a\0b", 3)}};
  expect_error(ErrorKind::usage, image.view(), options);
  for (const auto& [level, threads] : {std::pair(-1, 0), std::pair(4, 0), std::pair(1, -1)}) {
    WriteOptions bad;
    bad.png_level = level;
    bad.threads = threads;
    expect_error(ErrorKind::usage, image.view(), bad);
  }
  expect_error(ErrorKind::unsupported, Image(2, 2, {Sample::f32, 1}).view(), {});
  expect_error(ErrorKind::unsupported, Image(2, 2, {Sample::u8, 5}).view(), {});
}

TEST(PngWriter, RejectsRowsTooLongForDeflate) {
  // No row is read; only the size matters.
  expect_error(ErrorKind::unsupported, {nullptr, 1 << 30, 1, std::size_t{1} << 31, {Sample::u16, 1}}, {});
}

TEST(PngWriter, PngcheckFindsNoErrors) {
  if (std::system("command -v pngcheck >/dev/null 2>&1") != 0) {
    GTEST_SKIP() << "pngcheck is not installed";
  }
  Random random;
  SCOPED_TRACE(random.trace());
  const auto path = std::filesystem::temp_directory_path() / ("gpuimg_pngcheck_" + std::to_string(::getpid()) + ".png");
  for (const PixelFormat format : test::photographic_formats()) {
    const Image image = test::any_image(random, 700, 400, format);
    const std::vector<std::byte> png = png_of(image.view());
    std::ofstream(path, std::ios::binary)
        .write(reinterpret_cast<const char*>(png.data()), static_cast<std::streamsize>(png.size()));
    EXPECT_EQ(std::system(("pngcheck -q -v '" + path.string() + "' >/dev/null").c_str()), 0) << test::name_of(format);
  }
  std::filesystem::remove(path);
}

/// A filter's residues, computed as the PNG specification defines them.
std::vector<std::uint8_t> reference_residues(PngFilter filter, const std::vector<std::uint8_t>& row,
                                             const std::vector<std::uint8_t>& above, std::size_t step) {
  std::vector<std::uint8_t> out(row.size());
  for (std::size_t i = 0; i < row.size(); ++i) {
    const int a = i < step ? 0 : row[i - step];
    const int b = above[i];
    const int c = i < step ? 0 : above[i - step];
    const int p = a + b - c;
    const int paeth = std::abs(p - a) <= std::abs(p - b) && std::abs(p - a) <= std::abs(p - c) ? a
                      : std::abs(p - b) <= std::abs(p - c)                                     ? b
                                                                                               : c;
    const std::array<int, kPngFilterCount> predictions = {0, a, b, (a + b) / 2, paeth};
    out[i] = static_cast<std::uint8_t>(row[i] - predictions[static_cast<std::size_t>(filter)]);
  }
  return out;
}

TEST(PngFilters, MatchTheSpecification) {
  Random random;
  SCOPED_TRACE(random.trace());
  for (int round = 0; round < 400; ++round) {
    const auto step = static_cast<std::size_t>(random.between(1, 8));
    const std::size_t bytes = step * static_cast<std::size_t>(random.between(1, round < 200 ? 40 : 900));
    const std::uint32_t range = random.below(2) == 0 ? 256 : 3;  // few values give many ties
    std::vector<std::uint8_t> row(bytes);
    std::vector<std::uint8_t> above(bytes);
    std::generate(row.begin(), row.end(), [&] { return static_cast<std::uint8_t>(random.below(range)); });
    std::generate(above.begin(), above.end(), [&] { return static_cast<std::uint8_t>(random.below(range)); });
    const PngRow png_row{row.data(), above.data(), bytes, step};
    std::array<std::uint64_t, kPngFilterCount> costs{};
    for (int filter = 0; filter < kPngFilterCount; ++filter) {
      const auto expected = reference_residues(static_cast<PngFilter>(filter), row, above, step);
      std::vector<std::uint8_t> actual(bytes);
      filter_row(static_cast<PngFilter>(filter), png_row, actual.data());
      ASSERT_EQ(actual, expected) << "filter " << filter << ", " << bytes << " bytes, step " << step;
      for (std::size_t i = step; i < bytes; ++i) {
        const bool counts = (i - step) / gpuimg::png::kCostStretchBytes % 2 == 0;
        costs[static_cast<std::size_t>(filter)] += counts ? std::min({int{expected[i]}, 256 - expected[i], 8}) : 0;
      }
    }
    const auto best = std::min_element(costs.begin(), costs.end()) - costs.begin();
    ASSERT_EQ(static_cast<std::ptrdiff_t>(choose_filter(png_row)), best) << bytes << " bytes, step " << step;
  }
}

TEST(Checksums, CombinedAdlerMatchesTheWhole) {
  Random random;
  SCOPED_TRACE(random.trace());
  std::vector<std::byte> data(300'000);
  std::generate(data.begin(), data.end(), [&] { return std::byte(random.below(4) == 0 ? random.below(256) : 255); });
  const auto reference = [](std::span<const std::byte> bytes) {
    std::uint32_t low = 1;
    std::uint32_t high = 0;
    for (const std::byte byte : bytes) {
      low = (low + std::to_integer<std::uint32_t>(byte)) % 65521;
      high = (high + low) % 65521;
    }
    return high << 16 | low;
  };
  const std::span<const std::byte> whole(data);
  EXPECT_EQ(adler32_of(whole), reference(whole));
  for (int round = 0; round < 100; ++round) {
    const std::size_t cut = round == 0 ? 0 : random.below(300'001);
    const auto first = adler32_of(whole.first(cut));
    const auto second = adler32_of(whole.subspan(cut));
    ASSERT_EQ(adler32_combined(first, second, data.size() - cut), reference(whole)) << cut;
  }
}

}  // namespace
}  // namespace gpuimg::test_png_writer
