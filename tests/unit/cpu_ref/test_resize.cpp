// Resize compared with an oracle in plain loops: every filter, format, box and fit; sizes for each fit as Pillow's
// ImageOps computes them; and the host twin of the device's passes. tests/live/compare_resize.py compares with Pillow.
#include "ops/resize_passes.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "gpuimg/backend.hpp"
#include "support/oracle_resize.hpp"
#include "support/test_images.hpp"

namespace gpuimg::test_resize {
namespace {

constexpr std::array kFilters = {ResizeFilter::nearest, ResizeFilter::box,     ResizeFilter::bilinear,
                                 ResizeFilter::hamming, ResizeFilter::bicubic, ResizeFilter::lanczos};

ResizeOptions stretching(int width, int height, ResizeFilter filter) {
  ResizeOptions options;
  options.width = width;
  options.height = height;
  options.fit = ResizeFit::stretch;
  options.filter = filter;
  return options;
}

ResizeBox random_box(test::Random& random, int width, int height) {
  const auto part = [&] { return static_cast<double>(random.below(1U << 20)) / (1U << 20); };
  const double x = part() * 0.9 * width;
  const double y = part() * 0.9 * height;
  return {x, y, (0.05 + 0.95 * part()) * (width - x), (0.05 + 0.95 * part()) * (height - y)};
}

Image expected(ConstView image, const ResizeOptions& options) {
  const ResizePlan plan = resize_plan(image.width, image.height, options);
  return oracle::resampled(image, plan.place.width, plan.place.height, options.filter, plan.left, plan.top, plan.right,
                           plan.bottom);
}

/// Computes like a device: core's passes, pixel by pixel, on a strip as a device could get it.
template <class T, int channels>
class DeviceTwin {
 public:
  /// With `by_digits`, computes like the kernels for 8 bits, if possible.
  static Image run(ConstView image, const ResizeOptions& options, bool by_digits) {
    const ResizeWork work = resize_work(image.width, image.height, options);
    Image out(work.plan.width, work.height(), image.format);
    T* to = out.view().row<T>(0);
    FillPixels<T, channels> bars{to, static_cast<std::size_t>(out.width())};
    const auto color = bar_pixel(image.format, options);
    std::copy(color.begin(), color.end(), bars.pixel);
    each(out.width(), out.height(), bars);
    const auto first = static_cast<std::size_t>(work.first_placed() * out.width() + work.plan.place.x);
    if (options.filter == ResizeFilter::nearest) {
      const auto columns = work.nearest_columns();
      const auto rows = work.nearest_rows();
      each(work.plan.place.width, static_cast<int>(rows.size()),
           NearestPixels<T, channels>{image.row<T>(0), static_cast<std::size_t>(image.width), to,
                                      static_cast<std::size_t>(out.width()), first, columns.data(), rows.data()});
      return out;
    }
    if constexpr (sizeof(T) == 1) {
      if (by_digits && (work.plan.across || (channels % 2 == 1 && image.width * channels % 4 == 0))) {
        resample_bytes(image, work, to, static_cast<std::size_t>(out.width()), first);
        return out;
      }
    }
    resample(image, work, to, static_cast<std::size_t>(out.width()), first);
    return out;
  }

 private:
  /// Omits a pass that would change nothing.
  static void resample(ConstView image, const ResizeWork& work, T* to, std::size_t out_width, std::size_t first) {
    const auto across = work.across<WeightOf<T>>();
    const auto down = work.down<WeightOf<T>>();
    const auto in_width = static_cast<std::size_t>(image.width);
    if (!work.plan.down) {
      const T* in = image.row<T>(down.first.front());
      return each(across.size(), down.size(), pass<true>(in, in_width, to, out_width, first, across, true, true));
    }
    if (!work.plan.across) {
      const T* in = image.row<T>(0);
      return each(across.size(), down.size(), pass<false>(in, in_width, to, out_width, first, down, true, true));
    }
    const auto width = static_cast<std::size_t>(across.size());
    std::vector<T> between(width * static_cast<std::size_t>(image.height * channels));
    each(across.size(), image.height,
         pass<true>(image.row<T>(0), in_width, between.data(), width, 0, across, true, false));
    each(across.size(), down.size(), pass<false>(between.data(), width, to, out_width, first, down, false, true));
  }

  static DeviceDigits on_device(const AxisDigits& axis) {
    return {axis.first.data(), axis.digits.data(), axis.groups, static_cast<int>(axis.first.size())};
  }
  static void down(const std::vector<T>& in, std::size_t row, const AxisWeights<std::int32_t>& axis, int width,
                   DownPass<channels> pass) {
    std::vector<std::uint32_t> words(in.size() / 4);
    std::memcpy(words.data(), in.data(), words.size() * 4);
    const AxisDigits digits(axis, 1, 1);
    pass.in = words.data();
    pass.in_words = row / 4;
    pass.in_rows = static_cast<int>(in.size() / row);
    pass.row_bytes = static_cast<std::size_t>(width * channels);
    pass.axis = on_device(digits);
    pass.unmultiplies = true;
    each(static_cast<int>((pass.row_bytes + 3) / 4), axis.size(), pass);
  }
  static void resample_bytes(ConstView image, const ResizeWork& work, T* to, std::size_t out_width, std::size_t first) {
    const auto columns = work.down<std::int32_t>();
    const int width = work.plan.place.width;
    DownPass<channels> below;
    below.out = to;
    below.out_width = out_width;
    below.out_first = first;
    if (!work.plan.across) {
      const T* in = image.row<T>(0);
      const auto row = static_cast<std::size_t>(image.width * channels);
      return down({in, in + row * static_cast<std::size_t>(image.height)}, row, columns, width, below);
    }
    const AxisDigits axis(work.across<std::int32_t>(), 4, work.plan.down ? 4 : 1);
    const std::size_t pixels = axis.first.size();
    std::vector<T> between(work.plan.down ? pixels * static_cast<std::size_t>(image.height * channels) : 0);
    AcrossPass<channels> pass;
    pass.in = image.row<T>(work.plan.down ? 0 : columns.first.front());
    pass.in_width = static_cast<std::size_t>(image.width);
    pass.out = work.plan.down ? between.data() : to;
    pass.out_width = work.plan.down ? pixels : out_width;
    pass.out_first = work.plan.down ? 0 : first;
    pass.axis = on_device(axis);
    pass.premultiplies = true;
    pass.unmultiplies = !work.plan.down;
    across(pass, work.plan.down ? image.height : columns.size(), axis.groups_of_run(kLanes));
    if (work.plan.down) {
      down(between, pixels * channels, columns, width, below);
    }
  }
  /// Divides output positions into runs, as for warps.
  static void across(const AcrossPass<channels>& pass, int rows, int stride) {
    for (int first_x = 0; first_x < pass.axis.positions; first_x += kLanes) {
      const int end_x = std::min(first_x + kLanes, pass.axis.positions);
      const int first_group = pass.axis.first[first_x];
      const int groups = pass.axis.first[end_x - 1] + pass.axis.groups - first_group;
      for (int y = 0; y < rows; y += AcrossPass<channels>::kRows) {
        std::vector<std::uint32_t> words(static_cast<std::size_t>(AcrossPass<channels>::kRows * channels * stride));
        for (int group = 0; group < groups; ++group) {
          std::uint32_t planes[AcrossPass<channels>::kRows][channels];
          pass.make_planes(y, rows, first_group + group, planes);
          for (int row = 0; row < AcrossPass<channels>::kRows; ++row) {
            for (int c = 0; c < channels; ++c) {
              words.at(static_cast<std::size_t>((row * channels + c) * stride + group)) = planes[row][c];
            }
          }
        }
        for (int x = first_x; x < end_x; ++x) {
          pass.write_pixels(x, y, rows, words.data(), stride, first_group);
        }
      }
    }
  }
  static constexpr int kLanes = 32;

  template <class Pixel>
  static void each(int width, int height, const Pixel& pixel) {
    for (int y = 0; y < height; ++y) {
      for (int x = 0; x < width; ++x) {
        pixel(x, y);
      }
    }
  }
  template <bool is_across>
  static ResizePass<T, channels, is_across> pass(const T* in, std::size_t in_width, T* out, std::size_t out_width,
                                                 std::size_t first, const AxisWeights<WeightOf<T>>& axis, bool is_first,
                                                 bool is_last) {
    ResizePass<T, channels, is_across> result;
    result.in = in;
    result.in_width = in_width;
    result.out = out;
    result.out_width = out_width;
    result.out_first = first;
    result.axis = {axis.first.data(), axis.starts.data(), axis.weights.data()};
    result.premultiplies = is_first;
    result.unmultiplies = is_last;
    return result;
  }
};

Image on_device(ConstView image, const ResizeOptions& options, bool by_digits = true) {
  const auto of = [&]<class T>() {
    switch (image.format.channels) {
      case 1: return DeviceTwin<T, 1>::run(image, options, by_digits);
      case 2: return DeviceTwin<T, 2>::run(image, options, by_digits);
      case 3: return DeviceTwin<T, 3>::run(image, options, by_digits);
      default: return DeviceTwin<T, 4>::run(image, options, by_digits);
    }
  };
  return image.format.sample == Sample::u8 ? of.template operator()<std::uint8_t>()
                                           : of.template operator()<std::uint16_t>();
}

class Resize : public ::testing::Test {
 protected:
  Image on_cpu(ConstView image, const ResizeOptions& options) {
    return cpu_->download(cpu_->apply(cpu_->upload(image), options));
  }

  void compare(ConstView image, const ResizeOptions& options) {
    const Image wanted = expected(image, options);
    EXPECT_TRUE(test::same_pixels(on_cpu(image, options).view(), wanted.view()));
    const ResizePlan plan = resize_plan(image.width, image.height, options);
    if (plan.across || plan.down) {
      for (const bool by_digits : {false, true}) {
        EXPECT_TRUE(test::same_pixels(on_device(image, options, by_digits).view(), wanted.view()))
            << "as a device computes" << (by_digits ? ", by digits" : "");
      }
    }
  }

  std::unique_ptr<Backend> cpu_ = make_cpu_backend(2);
};

TEST_F(Resize, MatchesTheOracleForEveryFilterAndFormat) {
  test::Random random;
  SCOPED_TRACE(random.trace());
  for (const PixelFormat format : test::photographic_formats()) {
    for (const ResizeFilter filter : kFilters) {
      for (int turn = 0; turn < 6; ++turn) {
        const Image image = test::any_image(random, random.between(1, 70), random.between(1, 70), format);
        ResizeOptions options = stretching(random.between(1, 90), random.between(1, 90), filter);
        if (turn % 3 == 0) {
          options.box = random_box(random, image.width(), image.height());
        }
        SCOPED_TRACE(test::name_of(format) + " by filter " + std::to_string(static_cast<int>(filter)) + ", " +
                     std::to_string(image.width()) + "x" + std::to_string(image.height()) + " to " +
                     std::to_string(*options.width) + "x" + std::to_string(*options.height));
        compare(image.view(), options);
      }
    }
  }
}

TEST_F(Resize, MatchesTheOracleForEveryLevelWithEveryAlpha) {
  for (const PixelFormat format : {PixelFormat{Sample::u8, 2}, {Sample::u8, 4}, {Sample::u16, 2}, {Sample::u16, 4}}) {
    const Image image = test::levels_by_alphas(format);
    for (const auto& [width, height] : {std::pair{512, 256}, {256, 512}, {512, 512}, {77, 77}}) {
      SCOPED_TRACE(test::name_of(format) + " to " + std::to_string(width) + "x" + std::to_string(height));
      compare(image.view(), stretching(width, height, ResizeFilter::box));
    }
  }
}

/// Sizes around those of words of four samples, blocks of 16 rows, vectors and bands.
TEST_F(Resize, MatchesTheOracleForSizesAroundBlocks) {
  test::Random random;
  SCOPED_TRACE(random.trace());
  for (const PixelFormat format : test::photographic_formats()) {
    for (const int side : {1, 3, 4, 5, 15, 16, 17, 31, 33, 63, 65}) {
      const Image image = test::black_and_white_image(random, side, 129 - side, format);
      SCOPED_TRACE(test::name_of(format) + ", side " + std::to_string(side));
      compare(image.view(), stretching(side == 1 ? 1 : side / 2 + 1, side, ResizeFilter::lanczos));
      compare(image.view(), stretching(side, 2 * side + 1, ResizeFilter::bicubic));
    }
  }
}

/// Several threads process bands, and windows have many rows. So a band must move the rows of words that it keeps.
TEST_F(Resize, MatchesTheOracleForTallImages) {
  test::Random random;
  SCOPED_TRACE(random.trace());
  for (const PixelFormat format : {PixelFormat{Sample::u8, 3}, {Sample::u8, 4}, {Sample::u16, 1}, {Sample::u16, 2}}) {
    const Image image = test::any_image(random, 9, 3000, format);
    SCOPED_TRACE(test::name_of(format));
    for (const int height : {1, 7, 800, 2999, 3700}) {
      compare(image.view(), stretching(5, height, ResizeFilter::bicubic));
    }
  }
}

struct FitCase {
  Size image;
  Size asked;
  Size contained;
  std::array<float, 4> covered;  ///< left, top, right, bottom
};

/// The sizes that Pillow 9.4 and 12.3 compute. A side that Pillow makes 0 is 1 here.
constexpr std::array kFits = {
    FitCase{{100, 50}, {40, 40}, {40, 20}, {25.0F, 0.0F, 75.0F, 50.0F}},
    FitCase{{50, 100}, {40, 40}, {20, 40}, {0.0F, 25.0F, 50.0F, 75.0F}},
    FitCase{{3, 2}, {100, 100}, {100, 67}, {0.5F, 0.0F, 2.5F, 2.0F}},
    FitCase{{4672, 3144}, {1024, 1024}, {1024, 689}, {764.0F, 0.0F, 3908.0F, 3144.0F}},
    FitCase{{7, 3}, {5, 5}, {5, 2}, {2.0F, 0.0F, 5.0F, 3.0F}},
    FitCase{{1000, 3}, {50, 50}, {50, 1}, {498.5F, 0.0F, 501.5F, 3.0F}},
    FitCase{{640, 480}, {320, 240}, {320, 240}, {0.0F, 0.0F, 640.0F, 480.0F}},
    FitCase{{30, 20}, {45, 25}, {38, 25}, {0.0F, 1.666666666666666F, 30.0F, 18.333333333333336F}},
    FitCase{{11, 2}, {11, 1}, {6, 1}, {0.0F, 0.5F, 11.0F, 1.5F}},
    FitCase{{6, 4}, {5, 3}, {4, 3}, {0.0F, 0.20000000000000018F, 6.0F, 3.8F}},
};

TEST(ResizePlan, MatchesImageOpsForEveryFit) {
  for (const FitCase& fit : kFits) {
    SCOPED_TRACE(std::to_string(fit.image.width) + "x" + std::to_string(fit.image.height));
    ResizeOptions options = stretching(fit.asked.width, fit.asked.height, ResizeFilter::bicubic);
    options.enlarges = true;
    options.fit = ResizeFit::inside;
    EXPECT_EQ(result_size(fit.image.width, fit.image.height, options), fit.contained);
    options.fit = ResizeFit::cover;
    const ResizePlan cover = resize_plan(fit.image.width, fit.image.height, options);
    EXPECT_EQ((std::array{cover.left, cover.top, cover.right, cover.bottom}), fit.covered);
    EXPECT_EQ((Size{cover.width, cover.height}), fit.asked);
    options.fit = ResizeFit::pad;
    const ResizePlan pad = resize_plan(fit.image.width, fit.image.height, options);
    EXPECT_EQ((Size{pad.place.width, pad.place.height}), fit.contained);
    EXPECT_EQ((Size{pad.width, pad.height}), fit.asked);
  }
}

ResizeOptions asked(std::optional<int> width, std::optional<int> height, std::optional<double> percent) {
  ResizeOptions options;
  options.width = width;
  options.height = height;
  options.percent = percent;
  return options;
}

TEST(ResizePlan, RoundsSizesFromOneSideOrAPercentage) {
  EXPECT_EQ(result_size(640, 427, asked(512, {}, {})), (Size{512, 342}));  // 341.6
  EXPECT_EQ(result_size(640, 427, asked({}, 100, {})), (Size{150, 100}));  // 149.88
  EXPECT_EQ(result_size(5, 3, asked({}, {}, 50.0)), (Size{2, 2}));         // halves to even: 2.5 and 1.5
  EXPECT_EQ(result_size(1000, 1, asked(10, {}, {})), (Size{10, 1}));
}

TEST(ResizePlan, EnlargesOnlyIfAsked) {
  ResizeOptions larger = asked(200, {}, {});
  EXPECT_EQ(result_size(100, 50, larger), (Size{100, 50}));
  EXPECT_FALSE(resize_plan(100, 50, larger).across);
  larger.enlarges = true;
  EXPECT_EQ(result_size(100, 50, larger), (Size{200, 100}));
  larger = asked(300, 300, {});
  EXPECT_EQ(result_size(100, 50, larger), (Size{100, 50}));
  larger.fit = ResizeFit::pad;
  EXPECT_EQ(resize_plan(100, 50, larger).place.width, 300);
}

TEST_F(Resize, PadsWithBarsOfTheChosenColor) {
  test::Random random;
  SCOPED_TRACE(random.trace());
  for (const PixelFormat format : test::photographic_formats()) {
    const Image image = test::any_image(random, 20, 10, format);
    ResizeOptions options = stretching(15, 16, ResizeFilter::bilinear);
    options.fit = ResizeFit::pad;
    options.pad_color = {{10, 200, 30}};
    const Image result = on_cpu(image.view(), options);
    EXPECT_TRUE(test::same_pixels(on_device(image.view(), options).view(), result.view()));
    const std::uint32_t scale = format.sample == Sample::u8 ? 1 : 257;
    const std::uint32_t first = format.color_channels() == 3 ? 10 : 124;  // 0.299 · 10 + 0.587 · 200 + 0.114 · 30
    EXPECT_EQ(test::sample_at(result.view(), 0, 0, 0), first * scale);
    EXPECT_EQ(test::sample_at(result.view(), 14, 15, 0), first * scale);
    if (format.has_alpha()) {
      EXPECT_EQ(test::sample_at(result.view(), 3, 3, format.channels - 1), format.max_value());
    }
    const Image inner = expected(image.view(), stretching(15, 8, ResizeFilter::bilinear));
    ConstView middle = std::as_const(result).view();
    middle.data = middle.row_bytes(4);
    middle.height = 8;
    EXPECT_TRUE(test::same_pixels(middle, inner.view()));
    options.pad_color.reset();
    EXPECT_EQ(test::sample_at(on_cpu(image.view(), options).view(), 0, 0, format.channels - 1), 0U);
  }
}

/// The color of a transparent pixel does not affect its neighbors; an unresized copy keeps the color.
TEST_F(Resize, WeightsColorsByTheirAlpha) {
  const Image image = test::image_of_pixels(2, 1, {Sample::u8, 4}, [](std::size_t i) {
    return i == 0 ? std::vector<std::uint32_t>{200, 10, 30, 255} : std::vector<std::uint32_t>{0, 255, 0, 0};
  });
  const Image half = on_cpu(image.view(), stretching(1, 1, ResizeFilter::box));
  EXPECT_EQ(test::sample_at(half.view(), 0, 0, 1), 9U);  // 5 of 128; the hidden 255 has no effect
  EXPECT_EQ(test::sample_at(half.view(), 0, 0, 3), 128U);
  EXPECT_TRUE(test::same_pixels(on_cpu(image.view(), stretching(2, 1, ResizeFilter::box)).view(), image.view()));
}

TEST_F(Resize, KeepsWhiteWhite) {
  for (const PixelFormat format : test::photographic_formats()) {
    const Image white = test::constant_image(301, 40, format, format.max_value());
    for (const ResizeFilter filter : kFilters) {
      for (const int width : {1, 2, 7, 150, 299, 302, 611}) {
        const Image result = on_cpu(white.view(), stretching(width, 33, filter));
        const Image same = test::constant_image(width, 33, format, format.max_value());
        EXPECT_TRUE(test::same_pixels(result.view(), same.view())) << width;
      }
    }
  }
}

/// Opaque 16-bit images with 257 times the 8-bit levels: at 8 bits, each of the two passes rounds by up to half a
/// level.
TEST_F(Resize, SixteenBitResultsAreCloseToEightBitResults) {
  test::Random random;
  SCOPED_TRACE(random.trace());
  for (const ResizeFilter filter : kFilters) {
    const Image narrow = test::any_image(random, 61, 47, {Sample::u8, 3});
    Image deep(61, 47, {Sample::u16, 3});
    for (int y = 0; y < 47; ++y) {
      for (int x = 0; x < 61 * 3; ++x) {
        deep.view().row<std::uint16_t>(y)[x] = static_cast<std::uint16_t>(257 * narrow.view().row<std::uint8_t>(y)[x]);
      }
    }
    const Image small = on_cpu(narrow.view(), stretching(23, 70, filter));
    const Image fine = on_cpu(deep.view(), stretching(23, 70, filter));
    for (int y = 0; y < 70; ++y) {
      for (int x = 0; x < 23 * 3; ++x) {
        EXPECT_NEAR(fine.view().row<std::uint16_t>(y)[x], 257 * small.view().row<std::uint8_t>(y)[x], 2 * 257);
      }
    }
  }
}

TEST_F(Resize, RejectsInvalidArguments) {
  const Picture picture = cpu_->upload(test::constant_image(20, 10, {Sample::u8, 3}, 1));
  const auto rejected = [&](const ResizeOptions& options) { EXPECT_THROW((void)cpu_->apply(picture, options), Error); };
  rejected({});
  rejected(asked(0, {}, {}));
  rejected(asked({}, kMaxSide + 1, {}));
  rejected(asked(10, {}, 50.0));
  rejected(asked({}, {}, 0.0));
  rejected(asked({}, {}, std::numeric_limits<double>::quiet_NaN()));
  ResizeOptions options = asked(10, {}, {});
  options.fit = ResizeFit::cover;
  rejected(options);
  options = stretching(5, 5, ResizeFilter::box);
  for (const ResizeBox& box : {ResizeBox{0, 0, 20.5, 10}, {-1, 0, 5, 5}, {3, 3, 0, 2}, {19, 9, 1, 1.01}}) {
    options.box = box;
    rejected(options);
  }
  options = asked({}, {}, kPercentLimits.most);
  options.enlarges = true;
  EXPECT_THROW((void)result_size(1 << 20, 1 << 20, options), Error);
}

}  // namespace
}  // namespace gpuimg::test_resize
