// The CUDA backend returns the same bytes as the CPU backend: every operation, option, depth and channel count, at
// sizes around those of warps, groups, blocks and tiles, and with a million pixels in one row or column. Tests named
// Small have few enough cases for compute-sanitizer.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <vector>

#include "backends.hpp"
#include "support/batteries.hpp"

namespace gpuimg::test {
namespace {

struct Size {
  int width;
  int height;
};

std::vector<PixelFormat> formats_of(Sample sample) {
  std::vector<PixelFormat> formats = photographic_formats();
  std::erase_if(formats, [sample](const PixelFormat& format) { return format.sample != sample; });
  return formats;
}

class CudaParity : public CudaTest {
 protected:
  template <class Battery>
  void each_image(std::initializer_list<Size> sizes, const Battery& battery) {
    each_image(sizes, photographic_formats(), battery);
  }

  template <class Battery>
  void each_image(std::initializer_list<Size> sizes, const std::vector<PixelFormat>& formats, const Battery& battery) {
    Random random;
    SCOPED_TRACE(random.trace());
    for (const Size size : sizes) {
      for (const PixelFormat format : formats) {
        SCOPED_TRACE(std::to_string(size.width) + "x" + std::to_string(size.height) + " " + name_of(format));
        const Image image = any_image(random, size.width, size.height, format);
        battery(Pair(gpu(), cpu(), image), random);
        if (HasFailure()) {
          return;
        }
      }
    }
  }

  /// Windows with a side of `least`, a random side, the largest side that reaches past the image by less than the
  /// image's size, and a larger side. A part of the image is white, so that sums can exceed 32 bits and means change as
  /// fast as possible.
  void large_windows(int least, std::initializer_list<Size> sizes) {
    Random random;
    SCOPED_TRACE(random.trace());
    for (const Size size : sizes) {
      SCOPED_TRACE(std::to_string(size.width) + "x" + std::to_string(size.height));
      Image image = any_image(random, size.width, size.height, {Sample::u8, 1});
      for (int y = random.between(0, size.height); y < size.height; ++y) {
        std::memset(image.view().row_bytes(y), 255, static_cast<std::size_t>(random.between(0, size.width)));
      }
      const Pair pair(gpu(), cpu(), image);
      const int most = 2 * std::min(size.width, size.height) - 1;
      for (const int window :
           {least, 2 * random.between(least / 2, most / 2) + 1, most, 2 * std::max(size.width, size.height) - 1}) {
        SCOPED_TRACE("window of " + std::to_string(window));
        for (const Border border : {Border::reflect101, Border::replicate, Border::cut}) {
          WindowOptions options;
          options.size = window;
          options.border = border;
          pair.operation(options);
        }
        for (const auto method : {ThresholdMethod::mean, ThresholdMethod::bradley}) {
          ThresholdOptions options;
          options.method = method;
          options.window = window;
          options.offset = random.between(-40, 40) / 4.0;
          options.sensitivity = random.between(0, 100);
          pair.operation(options);
        }
        if (HasFailure()) {
          return;
        }
      }
    }
  }
};

constexpr std::initializer_list<Size> kSmall = {{1, 1}, {33, 5}, {1, 300}, {257, 3}, {1025, 2}};
constexpr std::initializer_list<Size> kEdges = {{1, 1},     {1, 7},     {7, 1},      {31, 9},   {32, 9},   {33, 9},
                                                {255, 4},   {256, 4},   {257, 4},    {1, 5000}, {5000, 1}, {1023, 33},
                                                {1024, 32}, {1025, 31}, {1023, 129}, {4097, 3}};
constexpr std::initializer_list<Size> kLong = {{1000000, 1}, {1, 1000000}};
constexpr std::initializer_list<Size> kMedium = {{640, 480}, {2053, 1031}, {1280, 1024}};

/// With a progress callback, the kernel is launched for one band of rows at a time.
TEST_F(CudaParity, SmallDenoisingReportsProgress) {
  Random random;
  SCOPED_TRACE(random.trace());
  for (const int patch : {3, 5, 7, 9}) {
    const Image image = any_image(random, 9, 70'000, {Sample::u8, 1});
    DenoiseOptions options;
    options.patch = patch;
    options.search = 3;
    const Image expected = cpu().download(cpu().apply(cpu().upload(image.view()), options));
    std::vector<double> parts;
    options.on_progress = [&](double part) { parts.push_back(part); };
    const Image found = gpu().download(gpu().apply(gpu().upload(image.view()), options));
    EXPECT_TRUE(same_pixels(found.view(), expected.view())) << patch;
    EXPECT_TRUE(std::is_sorted(parts.begin(), parts.end()));
    ASSERT_FALSE(parts.empty());
    EXPECT_EQ(parts.back(), 1.0);
  }
}

TEST_F(CudaParity, SmallOperationsOfTheList) {
  each_image(kSmall, [](const Pair& pair, Random&) { pair.trials(); });
}
TEST_F(CudaParity, SmallHistograms) {
  each_image(kSmall, [](const Pair& pair, Random& random) { pair.histograms(random); });
}
TEST_F(CudaParity, SmallEqualizations) {
  each_image(kSmall, [](const Pair& pair, Random& random) { pair.equalizations(random); });
}
TEST_F(CudaParity, SmallClaheOf8Bits) {
  each_image(kSmall, formats_of(Sample::u8), [](const Pair& pair, Random& random) { pair.clahe(random); });
}
/// Only two sizes: each tile has 65,536 counters, and racecheck takes minutes because it watches each of them.
TEST_F(CudaParity, SmallClaheOf16Bits) {
  each_image({{33, 5}, {257, 3}}, formats_of(Sample::u16),
             [](const Pair& pair, Random& random) { pair.clahe(random); });
}
TEST_F(CudaParity, SmallMatches) {
  each_image(kSmall, [](const Pair& pair, Random& random) { pair.matches(random); });
}
TEST_F(CudaParity, SmallIntegrals) {
  each_image(kSmall, [](const Pair& pair, Random& random) { pair.integrals(random); });
}
TEST_F(CudaParity, SmallHsl) {
  each_image(kSmall, [](const Pair& pair, Random& random) { pair.hsl(random); });
}
TEST_F(CudaParity, SmallWindows) {
  each_image(kSmall, [](const Pair& pair, Random& random) { pair.windows(random); });
}
TEST_F(CudaParity, SmallWindowsOfAlignedRows) {
  each_image({{16, 3}, {528, 70}}, [](const Pair& pair, Random& random) { pair.windows(random); });
}
TEST_F(CudaParity, SmallDenoising) {
  each_image(kSmall, [](const Pair& pair, Random& random) { pair.denoising(random); });
}
TEST_F(CudaParity, SmallGeometry) {
  each_image(kSmall, [](const Pair& pair, Random& random) { pair.geometry(random); });
}
TEST_F(CudaParity, TranslucentResizes) { translucent_resizes(gpu(), cpu()); }

TEST_F(CudaParity, EdgeOperationsOfTheList) {
  each_image(kEdges, [](const Pair& pair, Random&) { pair.trials(); });
}
TEST_F(CudaParity, EdgeHistograms) {
  each_image(kEdges, [](const Pair& pair, Random& random) { pair.histograms(random); });
}
TEST_F(CudaParity, EdgeEqualizations) {
  each_image(kEdges, [](const Pair& pair, Random& random) { pair.equalizations(random); });
}
TEST_F(CudaParity, EdgeClahe) {
  each_image(kEdges, [](const Pair& pair, Random& random) { pair.clahe(random); });
}
TEST_F(CudaParity, EdgeMatches) {
  each_image(kEdges, [](const Pair& pair, Random& random) { pair.matches(random); });
}
TEST_F(CudaParity, EdgeIntegrals) {
  each_image(kEdges, [](const Pair& pair, Random& random) { pair.integrals(random); });
}
TEST_F(CudaParity, EdgeHsl) {
  each_image(kEdges, [](const Pair& pair, Random& random) { pair.hsl(random); });
}
TEST_F(CudaParity, EdgeWindows) {
  each_image(kEdges, [](const Pair& pair, Random& random) { pair.windows(random); });
}
TEST_F(CudaParity, EdgeDenoising) {
  each_image(kEdges, [](const Pair& pair, Random& random) { pair.denoising(random); });
}
TEST_F(CudaParity, EdgeGeometry) {
  each_image(kEdges, [](const Pair& pair, Random& random) { pair.geometry(random); });
}

TEST_F(CudaParity, MediumOperationsOfTheList) {
  each_image(kMedium, [](const Pair& pair, Random&) { pair.trials(); });
}
TEST_F(CudaParity, MediumHistograms) {
  each_image(kMedium, [](const Pair& pair, Random& random) { pair.histograms(random); });
}
TEST_F(CudaParity, MediumEqualizations) {
  each_image(kMedium, [](const Pair& pair, Random& random) { pair.equalizations(random); });
}
TEST_F(CudaParity, MediumClahe) {
  each_image(kMedium, [](const Pair& pair, Random& random) { pair.clahe(random); });
}
TEST_F(CudaParity, MediumMatches) {
  each_image(kMedium, [](const Pair& pair, Random& random) { pair.matches(random); });
}
TEST_F(CudaParity, MediumIntegrals) {
  each_image(kMedium, [](const Pair& pair, Random& random) { pair.integrals(random); });
}
TEST_F(CudaParity, MediumHsl) {
  each_image(kMedium, [](const Pair& pair, Random& random) { pair.hsl(random); });
}
TEST_F(CudaParity, MediumWindows) {
  each_image(kMedium, [](const Pair& pair, Random& random) { pair.windows(random); });
}
TEST_F(CudaParity, MediumGeometry) {
  each_image({{1283, 721}, {2053, 1031}}, [](const Pair& pair, Random& random) { pair.geometry(random, 6); });
}

// Sliding windows over one 8-bit channel: rows of up to 4096 and 16384 pixels, and wider rows, which are split into
// parts.
TEST_F(CudaParity, SmallLargeWindows) { large_windows(65, {{70, 40}, {33, 90}, {4100, 36}, {16400, 33}}); }
TEST_F(CudaParity, LargeWindows) {
  large_windows(65,
                {{257, 300}, {4096, 40}, {4097, 41}, {5003, 500}, {16384, 35}, {16385, 36}, {32768, 33}, {40009, 140}});
}
/// Sums of more than 32 bits.
TEST_F(CudaParity, HugeWindows) { large_windows(4101, {{2432, 2304}, {2051, 2600}, {4160, 2070}, {4100, 4105}}); }

/// Only some formats, because the CPU takes half a minute for all trials of one format.
TEST_F(CudaParity, LongOperationsOfTheList) {
  each_image(kLong, {{Sample::u8, 4}, {Sample::u16, 1}}, [](const Pair& pair, Random&) { pair.trials(); });
}
TEST_F(CudaParity, LongHistograms) {
  each_image(kLong, [](const Pair& pair, Random& random) { pair.histograms(random); });
}
TEST_F(CudaParity, LongEqualizations) {
  each_image(kLong, [](const Pair& pair, Random& random) { pair.equalizations(random); });
}
TEST_F(CudaParity, LongClahe) {
  each_image(kLong, [](const Pair& pair, Random& random) { pair.clahe(random); });
}
TEST_F(CudaParity, LongMatches) {
  each_image(kLong, [](const Pair& pair, Random& random) { pair.matches(random); });
}
TEST_F(CudaParity, LongIntegrals) {
  each_image(kLong, [](const Pair& pair, Random& random) { pair.integrals(random); });
}
TEST_F(CudaParity, LongHsl) {
  each_image(kLong, [](const Pair& pair, Random& random) { pair.hsl(random); });
}
TEST_F(CudaParity, LongGeometry) {
  each_image(kLong, {PixelFormat{Sample::u8, 4}, {Sample::u16, 1}},
             [](const Pair& pair, Random& random) { pair.geometry(random, 6); });
}

TEST_F(CudaParity, ConstantImages) {
  Random random;
  SCOPED_TRACE(random.trace());
  for (std::uint32_t value = 0; value < 256; ++value) {
    for (const PixelFormat format : photographic_formats()) {
      SCOPED_TRACE(name_of(format) + " of " + std::to_string(value));
      const std::uint32_t level = format.sample == Sample::u8 ? value : value * 257;
      const Pair pair(gpu(), cpu(), constant_image(33, 33, format, level));
      pair.histogram({});
      pair.to_hsl(HslEncoding::u16);
      for (const auto formula :
           {EqualizeFormula::opencv, EqualizeFormula::cdf, EqualizeFormula::pillow, EqualizeFormula::stretch}) {
        EqualizeOptions options;
        options.formula = formula;
        options.color = static_cast<EqualizeColor>(random.below(5));
        pair.equalization(options);
      }
      if (HasFailure()) {
        return;
      }
    }
  }
}

TEST_F(CudaParity, FlatAndPosterized16BitImagesThatFillCounters) {
  Random random;
  SCOPED_TRACE(random.trace());
  for (const int channels : {1, 2, 3, 4}) {
    const PixelFormat format{Sample::u16, channels};
    for (const Image& image : {constant_image(4099, 2503, format, 65535), constant_image(4099, 2503, format, 32767),
                               posterized_image(random, 4099, 2503, format)}) {
      const Pair pair(gpu(), cpu(), image);
      pair.histogram({});
      pair.equalization({});
      pair.clahe({});
    }
  }
}

/// A block counts 14000 pixels of a small 16-bit image, or up to 65519 pixels if the image needs more blocks than
/// the device has multiprocessors (here 108, 114 and 132). Blocks store counts in bytes, so counts above 255 do not
/// fit.
TEST_F(CudaParity, FlatImagesAroundTheCapacityOfBlocksAndCounters) {
  constexpr int kSizes[] = {1,     254,   255,         256,         257,         13999,       14000,       14001,
                            65535, 65536, 108 * 14000, 114 * 14000, 132 * 14000, 108 * 65519, 114 * 65519, 132 * 65519};
  Random random;
  SCOPED_TRACE(random.trace());
  for (const int size : kSizes) {
    for (const int more : {-1, 0, 1, 7}) {
      const int pixels = std::max(1, size + more);
      SCOPED_TRACE(pixels);
      const auto level = static_cast<std::uint32_t>(random.between(0, 65535));
      Pair(gpu(), cpu(), constant_image(pixels, 1, {Sample::u16, 1}, level)).histogram({});
    }
  }
}

/// Blocks of 14000 pixels with about 55 levels: all counters in use are close to 255.
TEST_F(CudaParity, FlatPartsThatJustFillBytes) {
  Random random;
  SCOPED_TRACE(random.trace());
  for (const int levels : {1, 2, 53, 54, 55, 56, 200, 255}) {
    for (const int channels : {1, 2, 3, 4}) {
      const auto factor = static_cast<std::uint32_t>(random.between(1, 257));
      Image image = constant_image(1400, 1320, {Sample::u16, channels}, 65535);
      for (int y = 0; y < image.height(); ++y) {
        auto* row = image.view().row<std::uint16_t>(y);
        for (int x = 0; x < image.width(); ++x) {
          const auto level = static_cast<std::uint16_t>(static_cast<std::uint32_t>((y * 1400 + x) % levels) * factor);
          std::fill_n(row + x * channels, channels, level);
        }
      }
      const Pair pair(gpu(), cpu(), image);
      pair.histogram({});
      pair.equalization({});
    }
  }
}

/// Each block first counts many levels, and then enough pixels of one level to overflow that level's 16-bit counter.
TEST_F(CudaParity, FlatPartAfterAVariedPartOf16BitImages) {
  constexpr int kWidth = 4096;
  constexpr int kSpreadRows = 3500;
  Random random;
  SCOPED_TRACE(random.trace());
  for (const int channels : {1, 2, 3, 4}) {
    const PixelFormat format{Sample::u16, channels};
    Image image = random_image(random, kWidth, 2 * kSpreadRows, format);
    const View pixels = image.view();
    for (int y = kSpreadRows; y < image.height(); ++y) {
      std::memset(pixels.row_bytes(y), 0x5A, image.pitch_bytes());
    }
    const Pair pair(gpu(), cpu(), image);
    pair.histogram({});
    pair.equalization({});
    ClaheOptions one_tile;
    one_tile.tiles_x = one_tile.tiles_y = 1;
    pair.clahe(one_tile);
  }
}

/// A 16-bit tile that is just large enough for counters in shared memory.
TEST_F(CudaParity, SmallTileOf16BitCounters) {
  Random random;
  SCOPED_TRACE(random.trace());
  ClaheOptions one_tile;
  one_tile.tiles_x = one_tile.tiles_y = 1;
  for (const int width : {512, 513}) {
    Pair(gpu(), cpu(), any_image(random, width, 261, {Sample::u16, 1})).clahe(one_tile);
  }
}

/// More 16-bit tiles than the device processes at a time.
TEST_F(CudaParity, ManyTilesOf16BitImages) {
  Random random;
  SCOPED_TRACE(random.trace());
  ClaheOptions options;
  options.tiles_x = 64;
  options.tiles_y = random.between(9, 12);
  const Pair pair(gpu(), cpu(), any_image(random, 641, 479, {Sample::u16, 1}));
  pair.clahe(options);
}

TEST_F(CudaParity, ImagesAboveTwoToThe24) {
  Random random;
  SCOPED_TRACE(random.trace());
  for (const PixelFormat format : photographic_formats()) {
    SCOPED_TRACE(name_of(format));
    const Pair pair(gpu(), cpu(), any_image(random, 4099, 4101, format));
    pair.histogram({});
    HistogramOptions rgb;
    rgb.channels = {Channel::red, Channel::green, Channel::blue};
    pair.histogram(rgb);
    for (const auto color : {EqualizeColor::luma, EqualizeColor::rgb, EqualizeColor::joint}) {
      EqualizeOptions options;
      options.color = color;
      pair.equalization(options);
    }
    for (const auto color : {EqualizeColor::luma, EqualizeColor::rgb}) {
      ClaheOptions options;
      options.color = color;
      pair.clahe(options);
    }
    IntegralOptions sums;
    pair.integral(sums);
    sums.type = Sample::u32;
    sums.allow_wrap = true;
    pair.integral(sums);
    pair.to_hsl(HslEncoding::f32);
  }
}

/// Images so large that blocks work one tile ahead. Each image is processed twice, because the second launch starts
/// with the states that the first one left.
TEST_F(CudaParity, ManyTilesOfIntegrals) {
  Random random;
  SCOPED_TRACE(random.trace());
  constexpr Size kSizes[] = {{5793, 5793},   {8192, 4096},    {257, 130'561},
                             {130'561, 257}, {1, 33'554'433}, {33'554'433, 1}};
  IntegralOptions sums;
  sums.type = Sample::u32;
  sums.allow_wrap = true;
  for (const Size size : kSizes) {
    SCOPED_TRACE(std::to_string(size.width) + "x" + std::to_string(size.height));
    const Pair pair(gpu(), cpu(), any_image(random, size.width, size.height, {Sample::u8, 1}));
    for (const auto layout : {TableLayout::inclusive, TableLayout::padded}) {
      sums.layout = layout;
      pair.integral(sums);
      pair.integral(sums);
    }
    ASSERT_FALSE(HasFailure());
  }
}

TEST_F(CudaParity, PitchWiderThanTheRow) {
  Random random;
  SCOPED_TRACE(random.trace());
  for (const PixelFormat format : photographic_formats()) {
    const Image image = any_image(random, 129, 41, format);
    const std::size_t pitch = image.pitch_bytes() + 37 * sample_bytes(format.sample);
    std::vector<std::byte> padded(pitch * 41, std::byte{0xA5});
    for (int y = 0; y < 41; ++y) {
      std::copy_n(image.view().row_bytes(y), image.pitch_bytes(), padded.data() + static_cast<std::size_t>(y) * pitch);
    }
    const std::vector<std::byte> before = padded;
    const Picture picture = gpu().upload(ConstView{padded.data(), 129, 41, pitch, format});
    EXPECT_TRUE(same_pixels(gpu().download(picture).view(), image.view()));
    EXPECT_TRUE(padded == before);
  }
}

}  // namespace
}  // namespace gpuimg::test
