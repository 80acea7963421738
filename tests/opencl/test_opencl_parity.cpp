// The OpenCL backend returns the same bytes as the CPU backend: every operation, option, depth and channel count, at
// sizes around those of groups of pixels, work-groups and tiles, and on a device with little local memory.
#include <gtest/gtest.h>

#include <cstddef>
#include <vector>

#include "backends.hpp"
#include "support/batteries.hpp"

namespace gpuimg::test {
namespace {

struct Size {
  int width;
  int height;
};

ThresholdOptions threshold_of(ThresholdMethod method, int window) {
  ThresholdOptions options;
  options.method = method;
  options.window = window;
  return options;
}

class OpenclParity : public OpenclTest {
 protected:
  void run_gpu_kernel_variants(Size size);

  template <class Battery>
  void each_image(Backend& tested, std::initializer_list<Size> sizes, const Battery& battery) {
    Random random;
    SCOPED_TRACE(random.trace());
    for (const Size size : sizes) {
      for (const PixelFormat format : photographic_formats()) {
        SCOPED_TRACE(std::to_string(size.width) + "x" + std::to_string(size.height) + " " + name_of(format));
        const Image image = any_image(random, size.width, size.height, format);
        battery(Pair(tested, cpu(), image), random);
        if (HasFailure()) {
          return;
        }
      }
    }
  }
};

void OpenclParity::run_gpu_kernel_variants(Size size) {
  ClaheOptions few_tiles;  // because Oclgrind is slow
  few_tiles.tiles_x = 3;
  few_tiles.tiles_y = 2;
  Random random;
  SCOPED_TRACE(random.trace());
  for (const PixelFormat format : {PixelFormat{Sample::u8, 1}, PixelFormat{Sample::u8, 3}, PixelFormat{Sample::u8, 4},
                                   PixelFormat{Sample::u16, 3}}) {
    SCOPED_TRACE(name_of(format));
    const Pair pair(device_as_gpu(), cpu(), any_image(random, size.width, size.height, format));
    pair.histogram({});
    pair.equalization({});
    pair.clahe(few_tiles);
    if (format.channels == 3) {
      pair.to_hsl(HslEncoding::f32);
      pair.to_hsl(HslEncoding::u16);
      pair.from_hsl(HslEncoding::u16, format.sample);
      pair.adjustment({25.5F, 1.25F, 0.75F});
    } else if (format.channels == 1) {
      pair.integral({});
      pair.operation(WindowOptions{.size = 5});
      pair.operation(threshold_of(ThresholdMethod::otsu, 1));
      const int aligned = (size.width + 15) / 16 * 16;  // every row is aligned for wide loads
      Pair(device_as_gpu(), cpu(), any_image(random, aligned, size.height, format)).integral({});
    } else {
      pair.operation(threshold_of(ThresholdMethod::wolf, 7));
    }
  }
}

constexpr std::initializer_list<Size> kSizes = {{1, 1},    {1, 7},    {33, 9},    {257, 5},
                                                {1, 3001}, {3001, 1}, {1025, 67}, {528, 66}};
// Only one size, which ends inside groups and tiles, because the batteries take long.
constexpr std::initializer_list<Size> kOne = {{517, 67}};

TEST_F(OpenclParity, OperationsOfTheList) {
  each_image(device(), kSizes, [](const Pair& pair, Random&) { pair.trials(); });
}
TEST_F(OpenclParity, Histograms) {
  each_image(device(), kOne, [](const Pair& pair, Random& random) { pair.histograms(random); });
}
TEST_F(OpenclParity, Equalizations) {
  each_image(device(), kOne, [](const Pair& pair, Random& random) { pair.equalizations(random); });
}
// OperationsOfTheList covers the other formats.
TEST_F(OpenclParity, Integrals) {
  Random random;
  SCOPED_TRACE(random.trace());
  for (const PixelFormat format : {PixelFormat{Sample::u8, 1}, PixelFormat{Sample::u16, 2}}) {
    for (const int width : {517, 528}) {  // rows that are unaligned, and rows that are aligned for wide loads
      Pair(device(), cpu(), any_image(random, width, 67, format)).integrals(random);
    }
  }
}
/// More tiles than a work-group has work-items, and more bands than each part of a scan loads at once.
TEST_F(OpenclParity, IntegralsOfManyTiles) {
  Random random;
  SCOPED_TRACE(random.trace());
  for (const Size size : {Size{16900, 65}, Size{5, 4700}}) {
    Pair(device(), cpu(), any_image(random, size.width, size.height, {Sample::u8, 1})).integrals(random);
  }
}
TEST_F(OpenclParity, Hsl) {
  each_image(device(), kOne, [](const Pair& pair, Random& random) { pair.hsl(random); });
}

TEST_F(OpenclParity, Clahe) {
  each_image(device(), kOne, [](const Pair& pair, Random& random) { pair.clahe(random); });
}
TEST_F(OpenclParity, Windows) {
  each_image(device(), {{61, 43}}, [](const Pair& pair, Random& random) { pair.windows(random); });
}
/// Windows that are several times larger than the image.
TEST_F(OpenclParity, WindowsOfSmallImages) {
  each_image(device(), {{1, 1}, {1, 9}, {7, 2}}, [](const Pair& pair, Random& random) { pair.windows(random); });
}

/// Levels far apart, so that sums of windows exceed 32 bits, and sums of squares exceed 64 bits.
TEST_F(OpenclParity, WindowsOfLargeSums) {
  Random random;
  SCOPED_TRACE(random.trace());
  for (const PixelFormat format : {PixelFormat{Sample::u8, 1}, PixelFormat{Sample::u16, 2}}) {
    const Pair pair(device(), cpu(), random_image(random, 37, 4300, format));
    for (const Border border : {Border::reflect101, Border::replicate, Border::cut}) {
      for (const auto statistic : {WindowStatistic::mean, WindowStatistic::deviation}) {
        WindowOptions options;
        options.size = 8191;
        options.statistic = statistic;
        options.border = border;
        pair.operation(options);
      }
    }
  }
}

/// Devices without 64-bit floats compute the same bits with integers. Huge, tiny and negative parameters lead to
/// infinities, subnormal numbers and NaN.
TEST_F(OpenclParity, WithoutFloat64) {
  const auto poor = make_tested_backend({.lacks_float64 = true});
  Random random;
  SCOPED_TRACE(random.trace());
  for (const PixelFormat format : {PixelFormat{Sample::u8, 1}, PixelFormat{Sample::u16, 4}}) {
    SCOPED_TRACE(name_of(format));
    const Image image = any_image(random, 31, 17, format);
    Pair(*poor, cpu(), image).windows(random);
    Pair(*poor, cpu(), image).clahe(random);
    for (Backend* tested : {&device(), poor.get()}) {
      const Pair pair(*tested, cpu(), image);
      for (const auto method :
           {ThresholdMethod::niblack, ThresholdMethod::sauvola, ThresholdMethod::wolf, ThresholdMethod::nick}) {
        for (const double k : {-1.7e308, -1e-310, 0.0, 1.0 / 3.0, 1e300}) {
          for (const double range : {5e-324, 0.7, 1e300}) {
            ThresholdOptions options = threshold_of(method, 1 + 2 * static_cast<int>(random.below(9)));
            options.k = k;
            options.range = range;
            SCOPED_TRACE("method " + std::to_string(static_cast<int>(method)) + ", k " + std::to_string(k) +
                         ", range " + std::to_string(range));
            pair.operation(options);
          }
        }
      }
    }
  }
}

/// Clip limits for which the product with the number of pixels must be rounded.
TEST_F(OpenclParity, ClipLimits) {
  const auto poor = make_tested_backend({.lacks_float64 = true});
  Random random;
  SCOPED_TRACE(random.trace());
  for (const PixelFormat format : {PixelFormat{Sample::u8, 1}, PixelFormat{Sample::u16, 1}}) {
    const Image image = any_image(random, 83, 61, format);
    for (Backend* tested : {&device(), poor.get()}) {
      const Pair pair(*tested, cpu(), image);
      for (const double clip : {-1.0, 5e-324, 1e-9, 0.1, 1.0, 256.0 / 83.0, 3.0000000000000004, 255.99, 256.0, 1e300}) {
        ClaheOptions options;
        options.tiles_x = 3;
        options.tiles_y = 2;
        options.clip = clip;
        options.full_bins = random.below(2) == 0;
        pair.clahe(options);
      }
    }
  }
}

TEST_F(OpenclParity, TablesBeyondLocalMemory) {
  Random random;
  SCOPED_TRACE(random.trace());
  for (const int channels : {1, 4}) {
    const Pair pair(poor_device(), cpu(), any_image(random, 517, 67, {Sample::u8, channels}));
    pair.histograms(random);
    pair.equalizations(random);
    pair.clahe(random);
  }
}

// The kernel variants for GPUs: one program per kind of request, wide groups of pixels that pass through local memory,
// copies of tables, and division by corrected reciprocals. Few cases, because compiling each program on a CPU takes as
// long as a whole battery of the CPU variants.
TEST_F(OpenclParity, GpuKernelVariants) { run_gpu_kernel_variants({517, 67}); }

// Also runs in oclgrind.
TEST_F(OpenclParity, TinyGpuKernelVariants) { run_gpu_kernel_variants({37, 9}); }

TEST_F(OpenclParity, TranslucentResizes) { translucent_resizes(device(), cpu()); }

TEST_F(OpenclParity, Geometry) {
  Random random;
  SCOPED_TRACE(random.trace());
  for (const PixelFormat format : photographic_formats()) {
    SCOPED_TRACE(name_of(format));
    Pair(device(), cpu(), any_image(random, 131, 67, format)).geometry(random);
    Pair(device(), cpu(), any_image(random, 1, 9, format)).geometry(random);
  }
}

TEST_F(OpenclParity, ConstantImages) {
  for (const std::uint32_t value : {0U, 1U, 127U, 128U, 254U, 255U}) {
    for (const PixelFormat format : photographic_formats()) {
      SCOPED_TRACE(name_of(format) + " of " + std::to_string(value));
      const std::uint32_t level = format.sample == Sample::u8 ? value : value * 257;
      const Pair pair(device(), cpu(), constant_image(65, 33, format, level));
      pair.histogram({});
      pair.to_hsl(HslEncoding::u16);
      pair.clahe(ClaheOptions{});
      pair.operation(WindowOptions{.statistic = WindowStatistic::flat, .size = 9});
      pair.operation(WindowOptions{.statistic = WindowStatistic::deviation, .size = 9});
      for (const auto method :
           {ThresholdMethod::otsu, ThresholdMethod::bradley, ThresholdMethod::sauvola, ThresholdMethod::wolf}) {
        pair.operation(threshold_of(method, 9));
      }
      for (const auto formula : {EqualizeFormula::opencv, EqualizeFormula::cdf, EqualizeFormula::pillow}) {
        EqualizeOptions options;
        options.formula = formula;
        pair.equalization(options);
      }
    }
  }
}

/// Strengths whose products are not exact, so that the sum rounds differently for small and large samples.
TEST_F(OpenclParity, StrengthsThatRoundAtTies) {
  Random random;
  SCOPED_TRACE(random.trace());
  for (const double strength : {0.0, 1e-300, 0.1, 0.3, 0.5, 0.7, 0.9, 1.0 - 1e-16}) {
    for (const PixelFormat format : {PixelFormat{Sample::u8, 3}, PixelFormat{Sample::u16, 1}}) {
      EqualizeOptions options;
      options.strength = strength;
      Pair(device(), cpu(), random_image(random, 257, 129, format)).equalization(options);
    }
  }
}

TEST_F(OpenclParity, PitchWiderThanTheRow) {
  Random random;
  SCOPED_TRACE(random.trace());
  for (const PixelFormat format : photographic_formats()) {
    const Image image = any_image(random, 129, 41, format);
    const std::size_t pitch = image.pitch_bytes() + 37 * sample_bytes(format.sample);
    std::vector<std::byte> padded(pitch * 41, std::byte{0xA5});
    copy_pixels(image.view(), View{padded.data(), 129, 41, pitch, format});
    const Picture picture = device().upload(ConstView{padded.data(), 129, 41, pitch, format});
    EXPECT_TRUE(same_pixels(device().download(picture).view(), image.view()));
  }
}

}  // namespace
}  // namespace gpuimg::test
