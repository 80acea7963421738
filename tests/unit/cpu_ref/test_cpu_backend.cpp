// The CPU backend as a whole: the bytes do not depend on the number of threads; reuse of memory; upload of padded rows.
#include <gtest/gtest.h>
#include <tbb/global_control.h>

#include <cstdlib>
#include <cstring>
#include <fstream>
#include <string>
#include <thread>

#include "gpuimg/backend.hpp"
#include "operations/operations.hpp"
#include "operations/result_checks.hpp"
#include "support/emulation.hpp"
#include "support/sanitizers.hpp"
#include "support/test_images.hpp"

namespace gpuimg::test_cpu_backend {
namespace {

using Answer = std::vector<HostResult>;

/// Runs every operation with every option.
Answer everything(Backend& backend, const Image& image) {
  Answer answer;
  const Picture picture = backend.upload(image.view());
  for (const Trial& trial : trials_on(BackendKind::cpu, image.format())) {
    answer.push_back(host_result(trial, backend, picture));
  }
  return answer;
}

void expect_same(const Answer& actual, const Answer& expected) {
  ASSERT_EQ(actual.size(), expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i) {
    EXPECT_EQ(first_difference(actual[i], "actual", expected[i], "expected"), "") << "result " << i;
  }
}

int threads_of_this_process() {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with("Threads:")) {
      return std::stoi(line.substr(8));
    }
  }
  return 0;
}

/// Exits with 0 if a backend with 16 threads starts at most `max_started` threads in addition to the calling thread.
[[noreturn]] void start_threads_for(int width, int height, int max_started) {
  const tbb::global_control more_than_processors(tbb::global_control::max_allowed_parallelism, 16);
  const int before = threads_of_this_process();
  const auto backend = make_cpu_backend(16);
  (void)everything(*backend, test::constant_image(width, height, {Sample::u8, 3}, 7));
  const int of_sanitizer = test::kHasThreadSanitizer ? 1 : 0;  // the sanitizer starts one thread of its own
  std::_Exit(threads_of_this_process() - before <= max_started + of_sanitizer ? 0 : 1);
}

TEST(CpuBackendDeathTest, StartsNoIdleThreadsForSmallImages) {
  if (test::is_emulated()) {
    GTEST_SKIP() << "the emulator cannot start the program again";
  }
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(start_threads_for(1, 1, 0), testing::ExitedWithCode(0), "");
  EXPECT_EXIT(start_threads_for(100, 100, 0), testing::ExitedWithCode(0), "");
  EXPECT_EXIT(start_threads_for(256, 300, 3), testing::ExitedWithCode(0), "");
}

TEST(CpuBackend, ReportsKindAndName) {
  EXPECT_EQ(make_cpu_backend(1)->kind(), BackendKind::cpu);
  EXPECT_EQ(make_cpu_backend(1)->name(), "cpu");
  EXPECT_TRUE(make_cpu_backend(1)->memory_is_host());
  EXPECT_EQ(make_cpu_backend(1)->description(), "CPU, 1 thread");
  EXPECT_EQ(make_cpu_backend(3)->description(), "CPU, 3 threads");
  EXPECT_FALSE(make_cpu_backend(0)->description().empty());
}

TEST(CpuBackend, SameBytesForEveryNumberOfThreads) {
  test::Random random;
  SCOPED_TRACE(random.trace());
  const auto one = make_cpu_backend(1);
  for (const PixelFormat format : test::photographic_formats()) {
    for (const auto& [width, height] : {std::pair{517, 311}, std::pair{3, 2000}, std::pair{70'000, 3}}) {
      SCOPED_TRACE(test::name_of(format) + ", width " + std::to_string(width));
      const Image image = test::any_image(random, width, height, format);
      const Answer expected = everything(*one, image);
      for (const int threads : {2, 3, 8}) {
        SCOPED_TRACE(std::to_string(threads) + " threads");
        const auto backend = make_cpu_backend(threads);
        expect_same(everything(*backend, image), expected);
      }
    }
  }
}

TEST(CpuBackend, AReusedBackendMatchesANewOne) {
  test::Random random;
  SCOPED_TRACE(random.trace());
  const auto reused = make_cpu_backend(2);
  const int rounds = test::kHasSanitizer ? 4 : 40;  // a round takes four seconds under a sanitizer
  for (int round = 0; round < rounds; ++round) {
    const PixelFormat format = test::photographic_formats()[random.below(8)];
    const Image image = test::any_image(random, random.between(1, 300), random.between(1, 300), format);
    SCOPED_TRACE("round " + std::to_string(round));
    const Answer first = everything(*reused, image);
    expect_same(everything(*reused, image), first);
    expect_same(everything(*make_cpu_backend(2), image), first);
  }
}

TEST(CpuBackend, TwoBackendsRunOnTwoThreads) {
  test::Random random;
  SCOPED_TRACE(random.trace());
  const Image image = test::random_image(random, 300, 200, PixelFormat{Sample::u8, 3});
  const Answer expected = everything(*make_cpu_backend(1), image);
  Answer answers[2];
  std::vector<std::thread> workers;
  for (Answer& answer : answers) {
    workers.emplace_back([&image, &answer] { answer = everything(*make_cpu_backend(2), image); });
  }
  for (std::thread& worker : workers) {
    worker.join();
  }
  expect_same(answers[0], expected);
  expect_same(answers[1], expected);
}

TEST(CpuBackend, UploadsRowsWithAPitch) {
  test::Random random;
  SCOPED_TRACE(random.trace());
  const auto backend = make_cpu_backend(2);
  for (const PixelFormat format : test::photographic_formats()) {
    for (const std::size_t padding : {std::size_t{1}, std::size_t{7}, std::size_t{64}}) {
      SCOPED_TRACE(test::name_of(format) + ", padding " + std::to_string(padding));
      const Image image = test::random_image(random, 33, 17, format);
      const std::size_t pitch = image.pitch_bytes() + padding;
      // The data start at an odd address, because 16-bit rows need not be aligned.
      std::vector<std::byte> bytes(1 + pitch * 17);
      for (auto& byte : bytes) {
        byte = static_cast<std::byte>(random.below(256));
      }
      for (std::size_t y = 0; y < 17; ++y) {
        std::memcpy(&bytes[1 + y * pitch], image.view().row_bytes(static_cast<int>(y)), image.pitch_bytes());
      }
      const std::vector<std::byte> before = bytes;
      const Picture picture = backend->upload(ConstView{bytes.data() + 1, 33, 17, pitch, format});
      EXPECT_TRUE(test::same_pixels(backend->download(picture).view(), image.view()));
      EXPECT_EQ(backend->histogram(picture, {}).channels[0].counts,
                backend->histogram(backend->upload(image.view()), {}).channels[0].counts);
      EXPECT_EQ(bytes, before);
    }
  }
}

TEST(CpuBackend, OperationsDoNotModifyTheirInput) {
  test::Random random;
  SCOPED_TRACE(random.trace());
  const auto backend = make_cpu_backend(2);
  const Image image = test::random_image(random, 64, 64, PixelFormat{Sample::u8, 4});
  const Picture picture = backend->upload(image.clone());
  (void)backend->equalize(picture, {});
  (void)backend->integral(picture, {});
  (void)backend->to_hsl(picture, HslEncoding::u16);
  (void)backend->adjust_hsl(picture, {10.0F, 1.0F, 1.0F});
  backend->wait();
  EXPECT_TRUE(test::same_pixels(backend->download(picture).view(), image.view()));
}

TEST(CpuBackend, UploadAndDownloadCanTransferTheMemory) {
  const auto backend = make_cpu_backend(1);
  Image image = test::constant_image(8, 8, PixelFormat{Sample::u16, 1}, 77);
  const Image kept = image.clone();
  Picture picture = backend->upload(std::move(image));
  EXPECT_EQ(picture.width(), 8);
  EXPECT_EQ(picture.pixel_count(), 64U);
  EXPECT_TRUE(test::same_pixels(backend->download(picture).view(), kept.view()));
  EXPECT_TRUE(test::same_pixels(backend->download(std::move(picture)).view(), kept.view()));
}

TEST(CpuBackend, EqualizingInPlaceGivesTheSameBytes) {
  test::Random random;
  SCOPED_TRACE(random.trace());
  const auto backend = make_cpu_backend(2);
  const Picture mask = backend->upload(test::random_image(random, 333, 45, PixelFormat{Sample::u8, 1}));
  for (const PixelFormat format : test::photographic_formats()) {
    for (const EqualizeColor color :
         {EqualizeColor::luma, EqualizeColor::rgb, EqualizeColor::joint, EqualizeColor::ycbcr, EqualizeColor::hsl}) {
      for (const bool partly : {false, true}) {
        EqualizeOptions options;
        options.color = color;
        options.strength = partly ? 0.3 : 1.0;
        options.selection.mask = partly ? &mask : nullptr;
        Picture picture = backend->upload(test::random_image(random, 333, 45, format));
        LevelTables used;
        const Image expected = backend->download(backend->equalize(std::as_const(picture), options));
        const Image result = backend->download(backend->equalize(std::move(picture), options, &used));
        ASSERT_TRUE(test::same_pixels(result.view(), expected.view())) << test::name_of(format);
        ASSERT_FALSE(used.maps.empty());
      }
    }
  }
}

TEST(CpuBackend, ResultsReuseMemory) {
  const auto backend = make_cpu_backend(2);
  test::Random random;
  SCOPED_TRACE(random.trace());
  const Picture picture = backend->upload(test::random_image(random, 1500, 1001, PixelFormat{Sample::u8, 3}));
  const Image kept = backend->download(backend->equalize(picture, {}));
  const std::byte* first = nullptr;
  for (int round = 0; round < 5; ++round) {
    const Image again = backend->download(backend->equalize(picture, {}));
    EXPECT_NE(again.view().data, kept.view().data);
    EXPECT_TRUE(test::same_pixels(again.view(), kept.view())) << "round " << round;
    if (first != nullptr) {
      EXPECT_EQ(again.view().data, first);
    }
    first = again.view().data;
  }
}

TEST(CpuBackend, ResultsOutliveTheirBackendAndCanBeFreedOnAnyThread) {
  test::Random random;
  SCOPED_TRACE(random.trace());
  const Image image = test::random_image(random, 2000, 1100, PixelFormat{Sample::u8, 1});
  auto backend = make_cpu_backend(2);
  const Picture picture = backend->upload(image.view());
  Image result = backend->download(backend->equalize(picture, {}));
  std::thread([other = backend->download(backend->equalize(picture, {}))] { EXPECT_FALSE(other.empty()); }).join();
  backend.reset();
  EXPECT_TRUE(test::same_pixels(make_cpu_backend(1)->download(picture).view(), image.view()));
  std::thread([last = std::move(result)] { EXPECT_FALSE(last.empty()); }).join();
}

TEST(CpuBackend, CopiesImagesOfManySizesInTurn) {
  test::Random random;
  SCOPED_TRACE(random.trace());
  const auto backend = make_cpu_backend(2);
  for (int round = 0; round < 30; ++round) {
    const Image image =
        test::random_image(random, random.between(500, 2500), random.between(300, 1500), PixelFormat{Sample::u8, 1});
    const Image copy = backend->download(backend->adjust_hsl(backend->upload(image.view()), {}));
    EXPECT_TRUE(test::same_pixels(copy.view(), image.view())) << "round " << round;
  }
}

TEST(CpuBackend, UploadsTablesAndFloats) {
  const auto backend = make_cpu_backend(1);
  for (const Sample sample : {Sample::u32, Sample::u64, Sample::f32, Sample::f64}) {
    Image image(5, 3, PixelFormat{sample, 3});
    std::memset(image.view().data, 0x3C, image.size_bytes());
    EXPECT_TRUE(test::same_pixels(backend->download(backend->upload(image.view())).view(), image.view()));
  }
}

}  // namespace
}  // namespace gpuimg::test_cpu_backend
