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

class OpenclParity : public OpenclTest {
 protected:
  void as_gpus_run_it(Size size);

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

void OpenclParity::as_gpus_run_it(Size size) {
  Random random;
  SCOPED_TRACE(random.trace());
  for (const PixelFormat format : {PixelFormat{Sample::u8, 1}, PixelFormat{Sample::u8, 3}, PixelFormat{Sample::u8, 4},
                                   PixelFormat{Sample::u16, 3}}) {
    SCOPED_TRACE(name_of(format));
    const Pair pair(device_as_gpu(), cpu(), any_image(random, size.width, size.height, format));
    pair.histogram({});
    pair.equalization({});
    if (format.channels == 3) {
      pair.to_hsl(HslEncoding::f32);
      pair.to_hsl(HslEncoding::u16);
      pair.from_hsl(HslEncoding::u16, format.sample);
      pair.adjustment({25.5F, 1.25F, 0.75F});
    } else if (format.channels == 1) {
      pair.integral({});
      const int aligned = (size.width + 15) / 16 * 16;  // every row is aligned for wide loads
      Pair(device_as_gpu(), cpu(), any_image(random, aligned, size.height, format)).integral({});
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

TEST_F(OpenclParity, TablesBeyondLocalMemory) {
  Random random;
  SCOPED_TRACE(random.trace());
  for (const int channels : {1, 4}) {
    const Pair pair(poor_device(), cpu(), any_image(random, 517, 67, {Sample::u8, channels}));
    pair.histograms(random);
    pair.equalizations(random);
  }
}

// The kernel variants for GPUs: one program per kind of request, wide groups of pixels that pass through local memory,
// copies of tables, and division by corrected reciprocals. Few cases, because compiling each program on a CPU takes as
// long as a whole battery of the CPU variants.
TEST_F(OpenclParity, AsGpusRunIt) { as_gpus_run_it({517, 67}); }

// Also runs in oclgrind.
TEST_F(OpenclParity, TinyAsGpusRunIt) { as_gpus_run_it({37, 9}); }

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
