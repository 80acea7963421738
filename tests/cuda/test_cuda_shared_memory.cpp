// On devices with less shared memory per block, 64 KiB (Turing) or 99 KiB (GeForce RTX 30 and 40), the backend uses
// other kernels and returns the same bytes. The limits are emulated on any device.
#include <gtest/gtest.h>

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

INSTANTIATE_TEST_SUITE_P(KiB, CudaSharedMemory, ::testing::Values(64, 99));

}  // namespace
}  // namespace gpuimg::test
