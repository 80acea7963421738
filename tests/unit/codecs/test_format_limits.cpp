// Results that a format cannot hold are rejected, and the message names the options that make them fit.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "codecs/image_writer.hpp"
#include "gpuimg/error.hpp"
#include "support/test_images.hpp"

namespace gpuimg::test_format_limits {
using namespace codecs;

namespace {

using namespace test;

/// The error message; empty if the format can hold such an image.
std::string rejection(FileFormat type, PixelFormat format, int width = 2, int height = 2) {
  try {
    check_holds(type, width, height, format, "a\nb");
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::usage);
    return error.what();
  }
  return {};
}

TEST(FormatLimits, PngHoldsEveryFormat) {
  for (const PixelFormat format : photographic_formats()) {
    EXPECT_EQ(rejection(FileFormat::png, format, 70000, 1), "") << name_of(format);
  }
}

TEST(FormatLimits, NameOptionsThatMakeTheImageFit) {
  const std::string alpha = "use --background COLOR to flatten, or write .png";
  const std::string depth = "use --depth 8, or write .png";
  const std::string both = "use --background COLOR and --depth 8, or write .png";
  const struct {
    FileFormat type;
    PixelFormat format;
    std::string message;
  } cases[] = {
      {FileFormat::jpeg, {Sample::u8, 1}, ""},
      {FileFormat::jpeg, {Sample::u8, 2}, "a\\nb: JPEG has no alpha channel; " + alpha},
      {FileFormat::jpeg, {Sample::u8, 3}, ""},
      {FileFormat::jpeg, {Sample::u8, 4}, "a\\nb: JPEG has no alpha channel; " + alpha},
      {FileFormat::jpeg, {Sample::u16, 1}, "a\\nb: JPEG holds 8 bits per channel; " + depth},
      {FileFormat::jpeg, {Sample::u16, 2}, "a\\nb: JPEG has no alpha channel, and holds 8 bits per channel; " + both},
      {FileFormat::jpeg, {Sample::u16, 3}, "a\\nb: JPEG holds 8 bits per channel; " + depth},
      {FileFormat::jpeg, {Sample::u16, 4}, "a\\nb: JPEG has no alpha channel, and holds 8 bits per channel; " + both},
      {FileFormat::bmp, {Sample::u8, 1}, ""},
      {FileFormat::bmp, {Sample::u8, 2}, "a\\nb: BMP does not hold gray with alpha; " + alpha},
      {FileFormat::bmp, {Sample::u8, 3}, ""},
      {FileFormat::bmp, {Sample::u8, 4}, ""},
      {FileFormat::bmp,
       {Sample::u16, 2},
       "a\\nb: BMP does not hold gray with alpha, and holds 8 bits per channel; " + both},
      {FileFormat::bmp, {Sample::u16, 4}, "a\\nb: BMP holds 8 bits per channel; " + depth},
      {FileFormat::tga, {Sample::u8, 2}, ""},
      {FileFormat::tga, {Sample::u8, 4}, ""},
      {FileFormat::tga, {Sample::u16, 2}, "a\\nb: TGA holds 8 bits per channel; " + depth},
  };
  for (const auto& [type, format, message] : cases) {
    EXPECT_EQ(rejection(type, format), message) << name_of(format);
  }
}

TEST(FormatLimits, CoverSidesAndSizes) {
  constexpr PixelFormat kGray{Sample::u8, 1};
  EXPECT_EQ(rejection(FileFormat::jpeg, kGray, 65500, 65500), "");
  EXPECT_EQ(rejection(FileFormat::jpeg, kGray, 65501, 1),
            "a\\nb: JPEG holds at most 65500 pixels per side, not 65501x1; write .png");
  EXPECT_NE(rejection(FileFormat::jpeg, kGray, 1, 65501), "");
  EXPECT_EQ(rejection(FileFormat::tga, kGray, 65535, 1), "");
  EXPECT_NE(rejection(FileFormat::tga, kGray, 1, 65536), "");
  EXPECT_EQ(rejection(FileFormat::bmp, kGray, 65536, 1), "");
  for (const auto& [width, height] : {std::pair(50000, 50000), std::pair(0x7FFFFFFF, 1), std::pair(1, 0x7FFFFFFF)}) {
    EXPECT_NE(rejection(FileFormat::bmp, kGray, width, height), "");
    EXPECT_NE(rejection(FileFormat::tga, kGray, width, height), "");
  }
  // No option is suggested if the size would not fit even with that option.
  EXPECT_EQ(rejection(FileFormat::jpeg, {Sample::u16, 4}, 65501, 1).find("--depth"), std::string::npos);
}

TEST(FormatLimits, EveryWriterEnforcesThem) {
  for (const FileFormat type : {FileFormat::jpeg, FileFormat::bmp, FileFormat::tga}) {
    const Image deep = constant_image(2, 2, {Sample::u16, 2}, 0);
    try {
      (void)encode_image(deep.view(), type, "t", {});
      ADD_FAILURE() << "was written";
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::usage);
    }
    // No pixel is read; only the size matters.
    const ConstView huge{nullptr, 0x7FFFFFFF, 1, 0x7FFFFFFF, {Sample::u8, 1}};
    EXPECT_THROW((void)encode_image(huge, type, "t", {}), Error);
  }
  const Image widest = constant_image(65500, 1, {Sample::u8, 1}, 0);
  EXPECT_GT(encode_image(widest.view(), FileFormat::jpeg, "t", {}).size(), 0U);
}

}  // namespace
}  // namespace gpuimg::test_format_limits
