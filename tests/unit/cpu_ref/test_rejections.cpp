// The errors of every operation for invalid arguments.
#include <gtest/gtest.h>

#include <functional>
#include <limits>
#include <memory>
#include <string>

#include "gpuimg/backend.hpp"
#include "operations/operations.hpp"
#include "support/test_images.hpp"

namespace gpuimg::test_rejections {
namespace {

void expect_rejected(ErrorKind kind, const std::string& what, const std::function<void()>& operation) {
  SCOPED_TRACE(what);
  try {
    operation();
    ADD_FAILURE() << "was not rejected";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), kind) << error.what();
    EXPECT_NE(std::string(error.what()).find(": "), std::string::npos) << error.what();
  }
}

class Rejections : public ::testing::Test {
 protected:
  [[nodiscard]] Picture picture(int width, int height, PixelFormat format) const {
    return backend_->upload(test::constant_image(width, height, format, 1));
  }
  std::unique_ptr<Backend> backend_ = make_cpu_backend(1);
};

TEST_F(Rejections, NonPhotographicPixels) {
  for (const Sample sample : {Sample::u32, Sample::u64, Sample::f32, Sample::f64}) {
    const Picture other = backend_->upload(Image(2, 2, PixelFormat{sample, 3}));
    for (const Trial& trial : trials_on(BackendKind::cpu, {Sample::u8, 3})) {
      expect_rejected(ErrorKind::unsupported, trial.name, [&] { (void)trial.run(*backend_, other); });
    }
  }
}

TEST_F(Rejections, MissingChannels) {
  for (const int channels : {1, 3}) {
    const Picture opaque = picture(2, 2, PixelFormat{Sample::u8, channels});
    HistogramOptions histogram;
    histogram.channels = {Channel::luma, Channel::alpha};
    expect_rejected(ErrorKind::unsupported, "histogram", [&] { (void)backend_->histogram(opaque, histogram); });
    IntegralOptions integral;
    integral.channel = Channel::alpha;
    expect_rejected(ErrorKind::unsupported, "integral", [&] { (void)backend_->integral(opaque, integral); });
    integral.channel = Channel::hue;
    expect_rejected(ErrorKind::unsupported, "integral of hue", [&] { (void)backend_->integral(opaque, integral); });
  }
}

TEST_F(Rejections, RegionsOutsideTheImage) {
  const Picture image = picture(10, 6, PixelFormat{Sample::u8, 1});
  constexpr int kMost = 0x7FFFFFFF;
  for (const Rect region : {Rect{-1, 0, 2, 2}, Rect{0, -1, 2, 2}, Rect{0, 0, 11, 1}, Rect{0, 0, 1, 7},
                            Rect{10, 0, 1, 1}, Rect{0, 6, 1, 1}, Rect{9, 5, 2, 1}, Rect{0, 0, 0, 1}, Rect{0, 0, 1, 0},
                            Rect{0, 0, -1, 1}, Rect{5, 5, kMost, kMost}, Rect{kMost, kMost, kMost, kMost}}) {
    HistogramOptions histogram;
    histogram.selection.region = region;
    expect_rejected(ErrorKind::usage, "histogram", [&] { (void)backend_->histogram(image, histogram); });
    EqualizeOptions equalize;
    equalize.selection.region = region;
    expect_rejected(ErrorKind::usage, "equalize", [&] { (void)backend_->equalize(image, equalize); });
  }
}

TEST_F(Rejections, MasksOfAnotherSizeOrFormat) {
  const Picture image = picture(10, 6, PixelFormat{Sample::u16, 3});
  const Picture masks[] = {picture(9, 6, PixelFormat{Sample::u8, 1}), picture(10, 7, PixelFormat{Sample::u8, 1}),
                           picture(10, 6, PixelFormat{Sample::u16, 1}), picture(10, 6, PixelFormat{Sample::u8, 3})};
  for (const Picture& mask : masks) {
    HistogramOptions histogram;
    histogram.selection.mask = &mask;
    expect_rejected(ErrorKind::usage, "histogram", [&] { (void)backend_->histogram(image, histogram); });
    EqualizeOptions equalize;
    equalize.selection.mask = &mask;
    expect_rejected(ErrorKind::usage, "equalize", [&] { (void)backend_->equalize(image, equalize); });
  }
}

TEST_F(Rejections, NumbersOutOfRange) {
  const Picture image = picture(4, 4, PixelFormat{Sample::u8, 3});
  for (const int bins : {-1, 0, 1, 65537}) {
    HistogramOptions options;
    options.channels = {Channel::hue};
    options.hsl_bins = bins;
    expect_rejected(ErrorKind::usage, "bins", [&] { (void)backend_->histogram(image, options); });
  }
  for (const double strength : {-0.001, 1.001, std::numeric_limits<double>::quiet_NaN()}) {
    EqualizeOptions options;
    options.strength = strength;
    expect_rejected(ErrorKind::usage, "strength", [&] { (void)backend_->equalize(image, options); });
  }
}

/// The default options with one member changed.
template <class Options, class Value>
Options with(Value Options::*member, Value value) {
  Options options;
  options.*member = value;
  return options;
}

TEST(Options, AreValidatedWithoutAPicture) {
  const auto rejected = [](const auto& options) {
    expect_rejected(ErrorKind::usage, "options alone", [&] { validate(options); });
  };
  rejected(with(&HistogramOptions::hsl_bins, kHslBinLimits.most + 1));
  rejected(with(&EqualizeOptions::strength, std::numeric_limits<double>::quiet_NaN()));
  rejected(with(&ClaheOptions::tiles_x, kTileLimits.least - 1));
  rejected(with(&DenoiseOptions::patch, kPatchLimits.most - 1));  // an even number
  rejected(with(&DenoiseOptions::search, kSearchLimits.most + 2));
  rejected(with(&ThresholdOptions::sensitivity, kSensitivityLimits.least - 1));
  rejected(with(&DespeckleOptions::size, kSpeckLimits.least - 1));
  rejected(with(&FromHslOptions::sample, Sample::f32));
}

TEST(Options, AreValidAtTheirLimits) {
  const auto at_ends = [](auto member, const auto& limits) {
    EXPECT_NO_THROW(validate(with(member, limits.least)));
    EXPECT_NO_THROW(validate(with(member, limits.most)));
  };
  at_ends(&HistogramOptions::hsl_bins, kHslBinLimits);
  at_ends(&EqualizeOptions::strength, kStrengthLimits);
  at_ends(&ClaheOptions::strength, kStrengthLimits);
  at_ends(&ClaheOptions::tiles_x, kTileLimits);
  at_ends(&ClaheOptions::tiles_y, kTileLimits);
  at_ends(&DenoiseOptions::patch, kPatchLimits);
  at_ends(&DenoiseOptions::search, kSearchLimits);
  at_ends(&ThresholdOptions::sensitivity, kSensitivityLimits);
  at_ends(&DespeckleOptions::size, kSpeckLimits);
}

TEST_F(Rejections, TablesThatDoNotMatchTheImageOrMode) {
  using Map = std::vector<std::uint16_t>;
  const auto rejected = [&](PixelFormat format, EqualizeColor color, const LevelTables& tables) {
    EqualizeOptions options;
    options.color = color;
    options.tables = &tables;
    const Picture image = picture(4, 4, format);
    expect_rejected(ErrorKind::usage, "tables", [&] { (void)backend_->equalize(image, options); });
  };
  const Map small(256, 5);
  rejected({Sample::u8, 1}, EqualizeColor::luma, {});
  rejected({Sample::u8, 1}, EqualizeColor::luma, {{Map(255, 5)}});
  rejected({Sample::u8, 1}, EqualizeColor::luma, {{Map(65536, 5)}});
  rejected({Sample::u16, 3}, EqualizeColor::luma, {{small}});
  rejected({Sample::u8, 3}, EqualizeColor::rgb, {{small}});
  rejected({Sample::u8, 3}, EqualizeColor::luma, {{small, small, small}});
  rejected({Sample::u8, 1}, EqualizeColor::rgb, {{small, small, small}});
  rejected({Sample::u8, 3}, EqualizeColor::rgb, {{small, small, Map(257, 5)}});
  rejected({Sample::u8, 3}, EqualizeColor::luma, {{Map(256, 256)}});  // a table for more levels than 8 bits have
}

TEST_F(Rejections, HslPixelsThatDoNotMatchTheEncoding) {
  const Picture u8 = picture(2, 2, PixelFormat{Sample::u8, 3});
  const Picture u16 = picture(2, 2, PixelFormat{Sample::u16, 3});
  const Picture gray = picture(2, 2, PixelFormat{Sample::u16, 1});
  const ErrorKind kind = ErrorKind::unsupported;
  expect_rejected(kind, "u8 as u16", [&] { (void)backend_->from_hsl(u8, HslEncoding::u16, Sample::u8); });
  expect_rejected(kind, "u16 as f32", [&] { (void)backend_->from_hsl(u16, HslEncoding::f32, Sample::u8); });
  expect_rejected(kind, "u16 as opencv", [&] { (void)backend_->from_hsl(u16, HslEncoding::opencv, Sample::u8); });
  expect_rejected(kind, "gray", [&] { (void)backend_->from_hsl(gray, HslEncoding::u16, Sample::u8); });
  expect_rejected(ErrorKind::usage, "to f32", [&] { (void)backend_->from_hsl(u16, HslEncoding::u16, Sample::f32); });
}

}  // namespace
}  // namespace gpuimg::test_rejections
