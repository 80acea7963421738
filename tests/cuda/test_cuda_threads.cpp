// Several backends at the same time, exhausted memory, and errors when there is no device.
#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "backends.hpp"
#include "gpuimg/cuda.hpp"
#include "support/batteries.hpp"

namespace gpuimg::test {
namespace {

class CudaBackends : public CudaTest {};

TEST_F(CudaBackends, TwoRunOnTwoThreads) {
  Random seeds;
  SCOPED_TRACE(seeds.trace());
  const auto work = [](const Image& first, const Image& second, std::string& failure) {
    try {
      const auto tested = make_tested_backend();
      const auto reference = make_cpu_backend(1);
      for (int turn = 0; turn < 20; ++turn) {
        const Image& image = turn % 2 == 0 ? first : second;
        const Picture a = tested->upload(image.view());
        const Picture b = reference->upload(image.view());
        if (!same_pixels(tested->download(tested->equalize(a, {})).view(),
                         reference->download(reference->equalize(b, {})).view()) ||
            !same_pixels(tested->download(tested->integral(a, {})).view(),
                         reference->download(reference->integral(b, {})).view()) ||
            tested->histogram(a, {}).channels.front().counts != reference->histogram(b, {}).channels.front().counts) {
          failure = "turn " + std::to_string(turn) + " differs";
          return;
        }
      }
    } catch (const Error& error) {
      failure = error.what();
    }
  };
  const Image gray = smooth_image(seeds, 777, 555, {Sample::u8, 1});
  const Image color = random_image(seeds, 1031, 301, {Sample::u8, 3});
  const Image deep = smooth_image(seeds, 640, 333, {Sample::u16, 4});
  std::string failures[2];
  std::thread one(work, std::cref(gray), std::cref(color), std::ref(failures[0]));
  std::thread two(work, std::cref(deep), std::cref(gray), std::ref(failures[1]));
  one.join();
  two.join();
  EXPECT_EQ(failures[0], "");
  EXPECT_EQ(failures[1], "");
}

/// The kernel for color uses more shared memory for larger images; the limit is one setting for all threads.
TEST_F(CudaBackends, ColorOfManySizesOnManyThreads) {
  Random random;
  SCOPED_TRACE(random.trace());
  struct Work {
    explicit Work(Image pixels) : image(std::move(pixels)) {}
    Image image;
    std::unique_ptr<Backend> backend = make_tested_backend();
    Picture picture = backend->upload(image.view());
    Picture result = backend->equalize(picture, {});
    std::string failure;
  };
  const auto equalize_often = [](Work& work) {
    constexpr int kTurns = 300;
    try {
      for (int turn = 0; turn < kTurns; ++turn) {
        work.result = work.backend->equalize(work.picture, {});
      }
    } catch (const Error& error) {
      work.failure = error.what();
    }
  };
  std::vector<Work> works;
  for (const auto& [width, height] : {std::pair(64, 48), {1280, 1024}, {1601, 1201}, {300, 200}}) {
    works.emplace_back(random_image(random, width, height, {Sample::u8, 3}));
  }
  std::vector<std::thread> threads;
  for (Work& work : works) {
    threads.emplace_back(equalize_often, std::ref(work));
  }
  for (std::thread& thread : threads) {
    thread.join();
  }
  for (const Work& work : works) {
    SCOPED_TRACE(work.image.width());
    ASSERT_EQ(work.failure, "");
    const Picture expected = cpu().equalize(cpu().upload(work.image.view()), {});
    EXPECT_TRUE(same_pixels(work.backend->download(work.result).view(), cpu().download(expected).view()));
  }
}

TEST_F(CudaBackends, PictureOutlivesItsBackend) {
  Random random;
  auto backend = make_tested_backend();
  const Picture picture = backend->upload(random_image(random, 64, 64, {Sample::u8, 3}).view());
  backend.reset();
  EXPECT_EQ(picture.width(), 64);
}

TEST_F(CudaBackends, WorkAfterOutOfMemory) {
  Random random;
  SCOPED_TRACE(random.trace());
  const Image image = random_image(random, 300, 200, {Sample::u8, 3});
  for (int turn = 0; turn < 2; ++turn) {
    try {
      (void)gpu().measure_copy_rate(std::size_t{1} << 46);
      FAIL() << "70 TB were allocated";
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::out_of_memory) << error.what();
    }
    const Pair pair(gpu(), cpu(), image);
    pair.histogram({});
    pair.equalization({});
    pair.integral({});
  }
}

TEST_F(CudaBackends, CopyRateIsPlausible) { EXPECT_GT(gpu().measure_copy_rate(std::size_t{1} << 28), 1e10); }

TEST_F(CudaBackends, MissingDevicesAreUnavailable) {
  for (const int device : {-1, 1000}) {
    try {
      (void)make_cuda_backend(device);
      FAIL() << "device " << device;
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::backend_unavailable) << error.what();
    }
  }
}

TEST(CudaWithoutDevice, SaysWhatIsMissing) {
  try {
    (void)cuda_devices();
    GTEST_SKIP() << "there is a device";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::backend_unavailable);
    EXPECT_NE(std::string(error.what()).find("no CUDA device: "), std::string::npos) << error.what();
    EXPECT_NE(std::string(error.what()).find("--backend cpu"), std::string::npos) << error.what();
    EXPECT_EQ(std::string(error.what()).find('\n'), std::string::npos) << error.what();
  }
  try {
    (void)make_cuda_backend(0);
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::backend_unavailable) << error.what();
  }
}

TEST(CudaWithoutDevice, ReportsVersions) {
  const CudaVersions versions = cuda_versions(false);
  EXPECT_GE(versions.runtime, 12000);
  EXPECT_EQ(versions.driver, 0);
  EXPECT_FALSE(versions.architectures.empty());
}

}  // namespace
}  // namespace gpuimg::test
