// On devices with less shared memory per block, the backend uses other kernels and returns the same bytes. The limits
// are emulated on any device. Real devices have 64 KiB (compute capability 7.5), 99 KiB (8.6, 8.9 and 12.0) or 163 KiB
// (8.0 and 8.7). No device has 48 KiB: with this limit, every kernel that needs more is replaced. A launch that ignores
// the limit throws an error. test_cuda_jpeg_paths.cpp and test_cuda_png_decode.cpp test the decoders.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>

#include "backends.hpp"
#include "support/batteries.hpp"

namespace gpuimg::test {
namespace {

class CudaSharedMemory : public CudaTest, public ::testing::WithParamInterface<int> {
 protected:
  void SetUp() override {
    CudaTest::SetUp();
    if (!IsSkipped() && !HasFatalFailure()) {
      backend_ = make_tested_backend(static_cast<std::size_t>(GetParam()) * 1024);
    }
  }
  Backend& limited() { return *backend_; }

 private:
  std::unique_ptr<Backend> backend_;
};

TEST_P(CudaSharedMemory, EveryOperation) {
  Random random;
  SCOPED_TRACE(random.trace());
  for (const auto& [width, height] : {std::pair{1, 1}, {33, 5}, {257, 129}, {640, 480}}) {
    for (const PixelFormat format : photographic_formats()) {
      SCOPED_TRACE(std::to_string(width) + "x" + std::to_string(height) + " " + name_of(format));
      const Image image = any_image(random, width, height, format);
      const Pair pair(limited(), cpu(), image);
      pair.histograms(random);
      pair.equalizations(random);
      pair.clahe(random);
      pair.integrals(random);
      pair.hsl(random);
    }
  }
}

TEST_P(CudaSharedMemory, LargeImages) {
  Random random;
  SCOPED_TRACE(random.trace());
  EqualizeOptions joint;
  joint.color = EqualizeColor::joint;
  EqualizeOptions by_channel;
  by_channel.color = EqualizeColor::rgb;
  for (const Sample sample : {Sample::u8, Sample::u16}) {
    for (int channels = 1; channels <= 4; ++channels) {
      const PixelFormat format{sample, channels};
      SCOPED_TRACE(name_of(format));
      const Image image = random_image(random, 4099, 2053, format);
      const Pair pair(limited(), cpu(), image);
      pair.histogram({});
      pair.equalization({});
      pair.equalization(joint);
      pair.equalization(by_channel);
      pair.clahe({});
      pair.integral({});
    }
  }
}

/// Small color images are equalized by one launch, whose blocks have as many warps as fit.
TEST_P(CudaSharedMemory, FusedEqualization) {
  Random random;
  SCOPED_TRACE(random.trace());
  for (const auto& [width, height] : {std::pair{31, 7}, {1023, 511}, {2309, 1731}}) {
    for (const int channels : {1, 3}) {
      SCOPED_TRACE(std::to_string(width) + "x" + std::to_string(height) + ", channels: " + std::to_string(channels));
      const Pair pair(limited(), cpu(), random_image(random, width, height, {Sample::u8, channels}));
      pair.equalization({});
    }
  }
}

/// Sums of 32 bits, because only their tiles need so much shared memory that the limits matter. An image of 2²³ pixels
/// is summed by large tiles, and one of 2²⁵ by blocks that work ahead.
TEST_P(CudaSharedMemory, LargeTables) {
  Random random;
  SCOPED_TRACE(random.trace());
  IntegralOptions options;
  options.type = Sample::u32;
  options.allow_wrap = true;
  for (const auto& [width, height] : {std::pair{4101, 2049}, {8193, 4099}}) {
    SCOPED_TRACE(std::to_string(width) + "x" + std::to_string(height));
    const Pair pair(limited(), cpu(), random_image(random, width, height, {Sample::u8, 1}));
    pair.integral(options);
  }
}

/// Windows of one 8-bit channel, from matrix products (up to 63) or sliding sums (rows of up to and more than 4096
/// pixels). The image is partly white, so that sums are large.
TEST_P(CudaSharedMemory, WindowsAndThresholds) {
  Random random;
  SCOPED_TRACE(random.trace());
  for (const auto& [width, height] : {std::pair{33, 5}, {640, 480}, {5003, 300}}) {
    Image image = any_image(random, width, height, {Sample::u8, 1});
    for (int y = height / 2; y < height; ++y) {
      std::memset(image.view().row_bytes(y), 255, static_cast<std::size_t>(width) / 3);
    }
    const Pair pair(limited(), cpu(), image);
    for (const int wanted : {9, 63, 201}) {
      const int side = std::min(wanted, 2 * std::max(width, height) - 1);
      SCOPED_TRACE(std::to_string(width) + "x" + std::to_string(height) + ", window of " + std::to_string(side));
      for (const Border border : {Border::reflect101, Border::replicate, Border::cut}) {
        WindowOptions window;
        window.size = side;
        window.border = border;
        pair.operation(window);
      }
      for (const auto method :
           {ThresholdMethod::otsu, ThresholdMethod::mean, ThresholdMethod::bradley, ThresholdMethod::niblack,
            ThresholdMethod::sauvola, ThresholdMethod::wolf, ThresholdMethod::nick}) {
        SCOPED_TRACE("threshold by method " + std::to_string(static_cast<int>(method)));
        ThresholdOptions threshold;
        threshold.method = method;
        threshold.window = WindowSize(side);
        threshold.offset = random.between(-40, 40) / 4.0;
        threshold.sensitivity = random.between(0, 100);
        threshold.k = random.between(-50, 50) / 100.0;
        pair.operation(threshold);
      }
    }
  }
}

TEST_P(CudaSharedMemory, FlatAndPosterized16BitImages) {
  Random random;
  SCOPED_TRACE(random.trace());
  const PixelFormat gray{Sample::u16, 1};
  for (const Image& each : {posterized_image(random, 1023, 511, gray), constant_image(1023, 511, gray, 65535)}) {
    const Pair pair(limited(), cpu(), each);
    pair.histogram({});
    pair.equalization({});
  }
}

INSTANTIATE_TEST_SUITE_P(KiB, CudaSharedMemory, ::testing::Values(48, 64, 99, 163));

}  // namespace
}  // namespace gpuimg::test
