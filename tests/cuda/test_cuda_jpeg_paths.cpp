// Paths through the device's JPEG decoder that photos rarely take: states found by the host, too little shared memory,
// and several backends at the same time.
#include <gtest/gtest.h>

#include <array>
#include <string>
#include <thread>

#include "gpuimg/error.hpp"
#include "jpeg_on_device.hpp"
#include "support/random_jpeg.hpp"

namespace gpuimg::test {
namespace {

class CudaJpegPaths : public CudaTest {};

/// Subsequences of flat images never synchronize, so the host finds the states.
TEST_F(CudaJpegPaths, FlatImages) {
  for (const std::uint32_t value : {0U, 1U, 100U, 128U, 255U}) {
    for (const JpegSampling sampling : kJpegSamplings) {
      SCOPED_TRACE(std::to_string(value) + ", sampling " + std::to_string(sampling.horizontal) + "x" +
                   std::to_string(sampling.vertical));
      const Image image = constant_image(3000, 2000, {Sample::u8, 3}, value);
      ASSERT_NO_FATAL_FAILURE(expect_taken(gpu(), make_jpeg(image.view(), {.horizontal_sampling = sampling.horizontal,
                                                                           .vertical_sampling = sampling.vertical})));
    }
  }
}

/// Some tiles synchronize and others do not. Restart markers make segments of both kinds adjoin.
TEST_F(CudaJpegPaths, FlatImagesWithNoiseInTheMiddle) {
  Random random;
  SCOPED_TRACE(random.trace());
  for (int round = 0; round < 12; ++round) {
    Image image = constant_image(2400, 1600, {Sample::u8, 3}, random.below(256));
    const Image noise = random_image(random, 700, random.between(1, 500), {Sample::u8, 3});
    const int top = random.between(0, image.height() - noise.height());
    for (int y = 0; y < noise.height(); ++y) {
      std::copy_n(noise.view().row_bytes(y), noise.view().tight_pitch_bytes(),
                  image.view().row_bytes(top + y) + std::size_t{3} * 811);
    }
    const JpegChoices choices = any_jpeg(random, 60, 20000);
    SCOPED_TRACE("restart interval " + std::to_string(choices.restart_interval));
    ASSERT_NO_FATAL_FAILURE(expect_taken(gpu(), make_jpeg(image.view(), choices)));
  }
}

/// Damaged flat images: the host finds the damage while it computes the states, or the device finds it later.
TEST_F(CudaJpegPaths, MutantsOfFlatImages) {
  Random random;
  SCOPED_TRACE(random.trace());
  const Image image = constant_image(1400, 1000, {Sample::u8, 3}, 255);
  for (int round = 0; round < 100; ++round) {
    const FileBytes file = make_jpeg(image.view(), any_jpeg(random, 60, 5000));
    int taken = 0;
    ASSERT_NO_FATAL_FAILURE(expect_same_or_left(gpu(), mutant_of_jpeg(random, file), taken));
  }
}

/// If shared memory is too small for the kernels, the backend leaves the file to the host. The smallest supported
/// devices have 64 KiB, which suffice.
TEST_F(CudaJpegPaths, LittleSharedMemory) {
  Random random;
  SCOPED_TRACE(random.trace());
  const FileBytes file = make_jpeg(photo_like_image(random, 300, 200, 3).view());
  for (const std::size_t kibibytes : {48U, 64U, 99U}) {
    SCOPED_TRACE(kibibytes);
    const std::unique_ptr<Backend> limited = make_tested_backend(kibibytes << 10U);
    int taken = 0;
    ASSERT_NO_FATAL_FAILURE(expect_same_or_left(*limited, file, taken));
    EXPECT_EQ(taken, kibibytes >= 64 ? 1 : 0);
    const Picture uploaded = limited->upload(read_with_libjpeg(file));  // the backend still works
    EXPECT_TRUE(same_pixels(limited->download(uploaded).view(), read_with_libjpeg(file).view()));
  }
}

/// Decodes sound and damaged files alternately on a backend of its own.
void decode_by_turns(const std::vector<FileBytes>& sound, const std::vector<FileBytes>& damaged, std::string& failure) {
  try {
    const std::unique_ptr<Backend> backend = make_tested_backend();
    for (int round = 0; round < 5; ++round) {
      for (std::size_t i = 0; i < sound.size(); ++i) {
        const std::optional<Image> found = decode_on(*backend, sound[i]);
        if (!found || !same_pixels(found->view(), read_with_libjpeg(sound[i]).view())) {
          failure = "file " + std::to_string(i) + (found ? " has other pixels" : " is left to the host");
          return;
        }
        (void)decode_on(*backend, damaged[i]);
      }
    }
  } catch (const Error& error) {
    failure = error.what();
  }
}

TEST_F(CudaJpegPaths, FourBackendsOnFourThreads) {
  constexpr std::size_t kThreads = 4;
  Random random;
  SCOPED_TRACE(random.trace());
  std::array<std::vector<FileBytes>, kThreads> sound;
  std::array<std::vector<FileBytes>, kThreads> damaged;
  for (std::size_t i = 0; i < kThreads; ++i) {
    for (int k = 0; k < 12; ++k) {
      const Image image = k == 0 ? constant_image(1400, 1000, {Sample::u8, 3}, 255)
                                 : photo_like_image(random, random.between(1, 900), random.between(1, 900), 3);
      sound[i].push_back(make_jpeg(image.view(), any_jpeg(random, 60, 40)));
      damaged[i].push_back(mutant_of_jpeg(random, sound[i].back()));
    }
  }
  std::array<std::string, kThreads> failures;
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < kThreads; ++i) {
    threads.emplace_back(decode_by_turns, std::cref(sound[i]), std::cref(damaged[i]), std::ref(failures[i]));
  }
  for (std::thread& thread : threads) {
    thread.join();
  }
  for (const std::string& failure : failures) {
    EXPECT_EQ(failure, "");
  }
}

}  // namespace
}  // namespace gpuimg::test
