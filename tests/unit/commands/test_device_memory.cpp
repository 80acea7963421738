// --max-device-memory: the images in flight on a device share one limit. The device is a host twin.
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "engine/worker.hpp"
#include "png/strips.hpp"
#include "support/command_run.hpp"
#include "support/jpeg_maker.hpp"
#include "support/temporary_folder.hpp"
#include "support/test_images.hpp"
#include "support/twin_device.hpp"

namespace gpuimg::test_device_memory {
namespace {

using namespace test;

constexpr int kSide = 48;
constexpr PixelFormat kRgb{Sample::u8, 3};
constexpr int kExclusive = 100;  ///< the weight of an operation that must run alone

/// The memory that the engine reserves for an image of `side` × `side` pixels and any result. The moments of windows,
/// and PNG with 16 bits per channel, take the most.
std::uint64_t needed(int side) {
  const auto pixels = static_cast<std::uint64_t>(side) * static_cast<std::uint64_t>(side);
  constexpr std::uint64_t kMoments = 2 + 8 + 8 + 4;
  const std::uint64_t deep = 2 * pixels * kRgb.bytes_per_pixel();
  return pixels * kRgb.bytes_per_pixel() + std::max(pixels * kMoments, deep + png::encoding_bytes(deep));
}

/// Tracks the operations that run at the same time.
class Inside {
 public:
  void enter(int weight) {
    const std::lock_guard lock(mutex_);
    now_ += weight;
    most_ = std::max(most_, now_);
    changed_.notify_all();
  }
  void leave(int weight) {
    const std::lock_guard lock(mutex_);
    now_ -= weight;
  }
  /// Waits until operations with this total weight run at the same time. Returns false after some seconds.
  bool meets(int weight) {
    std::unique_lock lock(mutex_);
    return changed_.wait_for(lock, std::chrono::seconds(30), [&] { return most_ >= weight; });
  }
  [[nodiscard]] int most() const { return most_; }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  int now_ = 0;
  int most_ = 0;
};

Bytes bytes_of(const FileBytes& file) {
  Bytes bytes{ByteMemory(new std::byte[file.size()]), file.size()};
  std::copy(file.begin(), file.end(), bytes.data.get());
  return bytes;
}

void linger() { std::this_thread::sleep_for(std::chrono::milliseconds(1)); }

bool is_striped(const Backend& backend) { return backend.description().ends_with("in strips"); }

class DeviceMemoryTotal : public ::testing::Test {
 protected:
  void SetUp() override { twin_device().reset(); }
  void TearDown() override { twin_device().reset(); }

  static GlobalOptions options_with(std::uint64_t max_device_memory) {
    GlobalOptions options;
    options.backend = BackendKind::cuda;
    options.threads = 1;
    options.max_device_memory = max_device_memory;
    return options;
  }

  /// Runs work(worker, thread number) on this many threads, each with its own worker as in a batch.
  static void on_threads(int threads, std::uint64_t max_device_memory, const std::function<void(Worker&, int)>& work) {
    const auto shared = std::make_shared<SharedByWorkers>();
    std::vector<std::thread> workers;
    for (int number = 0; number < threads; ++number) {
      workers.emplace_back([&, number] {
        Worker worker(options_with(max_device_memory), Worker::Role::batch, shared);
        try {
          work(worker, number);
        } catch (const Error& error) {
          ADD_FAILURE() << error.what();
        }
      });
    }
    for (std::thread& worker : workers) {
      worker.join();
    }
  }

  Image image(int side) { return smooth_image(random_, side, side, kRgb); }

  /// Equalizes one image. `inside_` tracks the operation, with the weight kExclusive if it runs in strips. If
  /// `must_strip`, the device has too little memory for the whole image.
  void equalize(Worker& worker, OperationInput input, bool must_strip = false) {
    worker.begin_item();
    const Step step{[&](Backend& backend, const Picture& picture, const Picture*) {
      const int weight = is_striped(backend) ? kExclusive : 1;
      inside_.enter(weight);
      linger();
      Picture result = backend.equalize(picture, EqualizeOptions());
      inside_.leave(weight);
      if (must_strip && !is_striped(backend)) {
        throw Error(ErrorKind::out_of_memory, "the test has no memory");
      }
      return result;
    }};
    (void)worker.executor.process(std::move(input), {step});
  }

  Random random_;
  Inside inside_;
};

TEST_F(DeviceMemoryTotal, LargeImagesNeverRunTogether) {
  const Image large = image(kSide);
  on_threads(4, needed(kSide) * 2 - 1, [&](Worker& worker, int) {
    for (int i = 0; i < 8; ++i) {
      equalize(worker, OperationInput(large.clone()));
    }
  });
  EXPECT_EQ(inside_.most(), 1);
  EXPECT_EQ(twin_device().uploaded, 4 * 8) << "no strips";
}

TEST_F(DeviceMemoryTotal, DefaultsToFreeDeviceMemory) {
  twin_device().available_bytes = (std::size_t{64} << 20) + needed(kSide) * 2 - 1;
  const Image large = image(kSide);
  on_threads(4, 0, [&](Worker& worker, int) {
    for (int i = 0; i < 8; ++i) {
      equalize(worker, OperationInput(large.clone()));
    }
  });
  EXPECT_EQ(inside_.most(), 1);
  EXPECT_EQ(twin_device().uploaded, 4 * 8) << "no strips";
}

TEST_F(DeviceMemoryTotal, SmallImagesRunSideBySide) {
  const Image small = image(kSide);
  on_threads(3, needed(kSide) * 3, [&](Worker& worker, int) {
    const Step step{[&](Backend& backend, const Picture& picture, const Picture*) {
      inside_.enter(1);
      EXPECT_TRUE(inside_.meets(3));
      return backend.equalize(picture, EqualizeOptions());
    }};
    (void)worker.executor.process(OperationInput(small.clone()), {step});
  });
}

TEST_F(DeviceMemoryTotal, LargerImagesRunAloneInStrips) {
  const Image small = image(kSide);
  const Image larger = image(3 * kSide);
  on_threads(4, needed(kSide) * 3, [&](Worker& worker, int number) {
    for (int i = 0; i < (number < 2 ? 4 : 16); ++i) {
      equalize(worker, OperationInput((number < 2 ? larger : small).clone()));
    }
  });
  EXPECT_EQ(inside_.most(), kExclusive);
  EXPECT_GT(twin_device().uploaded, 2 * 4 + 2 * 16) << "strips";
}

TEST_F(DeviceMemoryTotal, AnImageRunsAloneAfterItRanOutOfMemory) {
  const Image small = image(kSide);
  on_threads(4, needed(kSide) * 4, [&](Worker& worker, int number) {
    for (int i = 0; i < 8; ++i) {
      equalize(worker, OperationInput(small.clone()), number == 0);
    }
  });
  EXPECT_EQ(inside_.most(), kExclusive) << "other images ran at the same time as strips";
}

/// Memory that another program takes is noticed before the next image starts. Memory that it frees is noticed when an
/// image runs alone on the device.
TEST_F(DeviceMemoryTotal, FollowsTheMemoryUseOfOtherPrograms) {
  constexpr std::size_t kScratch = std::size_t{64} << 20;
  const std::size_t plenty = kScratch + needed(kSide) * 4;
  const std::size_t little = kScratch + needed(kSide) / 2;
  const Image pixels = image(kSide);
  for (const std::uint64_t option : {std::uint64_t{0}, needed(kSide) * 3}) {
    twin_device().reset();
    twin_device().available_bytes = plenty;
    Worker worker(options_with(option), Worker::Role::batch);
    std::string attempts;
    const Step step{[&](Backend& backend, const Picture& picture, const Picture*) {
      attempts += is_striped(backend) ? 's' : 'w';
      return backend.equalize(picture, EqualizeOptions());
    }};
    const auto equalize = [&] {
      worker.begin_item();
      (void)worker.executor.process(OperationInput(pixels.clone()), {step});
    };
    equalize();
    twin_device().available_bytes = little;
    twin_device().rejected_operations = 1;
    equalize();
    equalize();
    twin_device().available_bytes = plenty;
    equalize();
    equalize();
    EXPECT_EQ(attempts, "wwsssw") << option;
  }
}

TEST_F(DeviceMemoryTotal, ADecodedImageKeepsItsShareUntilTheResultExists) {
  constexpr int kPhotoSide = 400;
  constexpr int kPhotos = 3;
  constexpr std::uint64_t kDecoding = 2600000;  // exceeds the memory that decoding takes in addition to the image
  ASSERT_GT(needed(kPhotoSide) + (std::uint64_t{1} << 20), kDecoding) << "a second decoder would find room";
  const FileBytes file = make_jpeg(image(kPhotoSide).view());
  on_threads(3, needed(kPhotoSide) + kDecoding, [&](Worker& worker, int) {
    for (int i = 0; i < kPhotos; ++i) {
      worker.begin_item();
      codecs::DecodedImage decoded = worker.loader.decode(bytes_of(file), "photo.jpg");
      ASSERT_TRUE(decoded.picture.has_value());
      inside_.enter(1);
      linger();
      const Step step{[&](Backend& backend, const Picture& picture, const Picture*) {
        Picture result = backend.equalize(picture, EqualizeOptions());
        inside_.leave(1);
        return result;
      }};
      (void)worker.executor.process(OperationInput(std::move(decoded)), {step});
    }
  });
  EXPECT_EQ(inside_.most(), 1);
}

TEST_F(DeviceMemoryTotal, FailedAndDroppedImagesReturnTheirShare) {
  const auto shared = std::make_shared<SharedByWorkers>();
  const GlobalOptions options = options_with(needed(700));
  Worker first(options, Worker::Role::batch, shared);
  Worker second(options, Worker::Role::batch, shared);
  const auto reject = [](Backend&, const Picture&, const Picture*) -> Picture {
    throw Error(ErrorKind::unsupported, "the test rejects");
  };
  const Image large = image(700);
  EXPECT_THROW((void)first.executor.process(OperationInput(large.clone()), {Step{reject}}), Error);
  equalize(second, OperationInput(large.clone()));
  // A file is decoded, and its pixels are dropped.
  const FileBytes file = make_jpeg(image(300).view());
  ASSERT_TRUE(first.loader.decode(bytes_of(file), "photo.jpg").picture.has_value());
  first.begin_item();
  equalize(second, OperationInput(large.clone()));
  // The same, but the worker is destroyed instead of starting the next item.
  {
    Worker third(options, Worker::Role::batch, shared);
    ASSERT_TRUE(third.loader.decode(bytes_of(file), "photo.jpg").picture.has_value());
  }
  equalize(second, OperationInput(large.clone()));
}

TEST_F(DeviceMemoryTotal, TheHostDecodesTheSecondImageOfAnItem) {
  const FileBytes file = make_jpeg(image(300).view());
  const GlobalOptions options = options_with(needed(700));
  Worker worker(options);
  const codecs::DecodedImage first = worker.loader.decode(bytes_of(file), "photo.jpg");
  const codecs::DecodedImage second = worker.loader.decode(bytes_of(file), "photo.jpg");
  EXPECT_TRUE(first.picture.has_value());
  EXPECT_FALSE(second.picture.has_value()) << "it would wait for memory that the first may hold";
}

TEST_F(DeviceMemoryTotal, BatchesOfAllSizesGiveTheSameBytes) {
  SCOPED_TRACE(random_.trace());
  const TemporaryFolder folder;
  std::vector<std::string> names;
  for (int i = 0; i < 16; ++i) {
    const Image photo = smooth_image(random_, random_.between(1, 300), random_.between(1, 300), kRgb);
    const JpegChoices choices{.progressive = random_.below(4) == 0};
    const FileBytes file = make_jpeg(photo.view(), choices);
    names.push_back("p" + std::to_string(i) + ".jpg");
    put_text(folder / names.back(), {reinterpret_cast<const char*>(file.data()), file.size()});
  }
  const auto outputs = [&](const std::vector<std::string>& options) {
    std::vector<std::string> command = {"equalize", "-q", "--force", "--format", "bmp", "--jobs", "4"};
    command.insert(command.end(), options.begin(), options.end());
    for (const std::string& name : names) {
      command.push_back(folder / name);
    }
    command.push_back(folder / "out/");
    const CommandRun ran = run_command(command);
    EXPECT_EQ(ran.code, ExitCode::ok) << ran.err;
    std::string all;
    for (int i = 0; i < 16; ++i) {
      all += text_in(folder / ("out/p" + std::to_string(i) + ".bmp"));
    }
    return all;
  };
  const std::string expected = outputs({"--backend", "cpu"});
  for (const char* total : {"1", "10K", "1500K", "2M", "3M", "1G"}) {
    EXPECT_TRUE(outputs({"--backend", "cuda", "--max-device-memory", total}) == expected) << total;
  }
}

}  // namespace
}  // namespace gpuimg::test_device_memory
