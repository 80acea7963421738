// Makes each call to OpenCL fail once. The backend must then throw an Error of the right kind, or work around the
// failure and return the same result. Nothing crashes, and the backend works again after a failed allocation.
#include <dlfcn.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <string>
#include <vector>

#include "backends.hpp"
#include "support/test_images.hpp"

namespace gpuimg::test {
namespace {

constexpr int kOutOfMemory = -4;    // CL_MEM_OBJECT_ALLOCATION_FAILURE
constexpr int kDeviceIsGone = -36;  // CL_INVALID_COMMAND_QUEUE
constexpr long kMaxCalls = 2000;

class OpenclFaults : public OpenclTest {
 protected:
  /// GPUIMG_TEST_FAILING_LOADER overrides the path if the tests run on another machine than the build.
  static std::string failing_loader() {
    const char* elsewhere = std::getenv("GPUIMG_TEST_FAILING_LOADER");
    return elsewhere != nullptr ? elsewhere : GPUIMG_FAILING_LOADER;
  }
  using FailAt = long (*)(long at, int with);
  static FailAt fail_at() {
    static void* loader = ::dlopen(failing_loader().c_str(), RTLD_NOW);
    return reinterpret_cast<FailAt>(::dlsym(loader, "gpuimg_test_fail_at"));
  }
  void each_call_fails(const std::function<void(Backend& backend)>& use, long min_errors);
  static std::unique_ptr<Backend> failing_backend() {
    return opencl::make_test_backend(tested_options(), {.library = failing_loader()});
  }
};

/// Results of the CPU backend.
struct Expected {
  Expected(Backend& cpu, const Image& image) : picture(cpu.upload(image.view())) {
    equalizing.strength = 0.5;
    counts = cpu.histogram(picture, {}).channels.front().counts;
    equalized = cpu.download(cpu.equalize(picture, equalizing));
    table = cpu.download(cpu.integral(picture, {}));
    adjusted = cpu.download(cpu.adjust_hsl(picture, adjustment));
  }
  Picture picture;
  EqualizeOptions equalizing;
  HslAdjustment adjustment{10.0F, 1.0F, 1.0F};
  std::vector<std::uint64_t> counts;
  Image equalized{1, 1, {Sample::u8, 1}};
  Image table{1, 1, {Sample::u8, 1}};
  Image adjusted{1, 1, {Sample::u8, 1}};
};

void expect_same(Backend& backend, const Picture& result, const Image& expected) {
  EXPECT_TRUE(same_pixels(backend.download(result).view(), expected.view()));
}

/// Does everything that a command does: pinned memory, upload, operations, download.
void use(Backend& backend, const Image& image, const Expected& expected) {
  Image pinned = backend.new_image(image.width(), image.height(), image.format());
  copy_pixels(image.view(), pinned.view());
  const Picture here = backend.upload(std::as_const(pinned).view());
  EXPECT_TRUE(backend.histogram(here, {}).channels.front().counts == expected.counts);
  expect_same(backend, backend.equalize(here, expected.equalizing), expected.equalized);
  expect_same(backend, backend.integral(here, {}), expected.table);
  expect_same(backend, backend.adjust_hsl(here, expected.adjustment), expected.adjusted);
}

/// Creates and uses a backend without a fault, then again with each call to OpenCL failing in turn.
void OpenclFaults::each_call_fails(const std::function<void(Backend& backend)>& use, long min_errors) {
  use(*failing_backend());  // fills the cache of programs
  for (const int code : {kOutOfMemory, kDeviceIsGone}) {
    bool has_failed = true;
    long errors = 0;
    for (long call = 1; has_failed && call < kMaxCalls; ++call) {
      SCOPED_TRACE("call " + std::to_string(call) + " fails with " + std::to_string(code));
      (void)fail_at()(call, code);
      std::unique_ptr<Backend> backend;
      try {
        backend = failing_backend();
        use(*backend);
      } catch (const Error& error) {
        ++errors;
        EXPECT_EQ(error.kind(), code == kOutOfMemory ? ErrorKind::out_of_memory : ErrorKind::device_fault)
            << error.what();
        EXPECT_EQ(std::string(error.what()).find('\n'), std::string::npos);
      }
      has_failed = fail_at()(0, 0) >= call;
      if (code == kOutOfMemory && backend != nullptr) {
        use(*backend);  // still usable
      }
      if (HasFailure()) {
        return;
      }
    }
    EXPECT_FALSE(has_failed) << "more calls than the sweep expects";
    EXPECT_GT(errors, min_errors);
  }
}

TEST_F(OpenclFaults, EveryCall) {
  Random random;
  SCOPED_TRACE(random.trace());
  const Image image = random_image(random, 600, 601, {Sample::u8, 3});  // pinned: more than PixelPool::kMinBytes
  const Expected expected(cpu(), image);
  each_call_fails([&](Backend& backend) { use(backend, image, expected); }, 20);
}

/// CLAHE, and a threshold that first computes its scale.
TEST_F(OpenclFaults, EveryCallOfLocalOperations) {
  Random random;
  SCOPED_TRACE(random.trace());
  const Image image = random_image(random, 23, 17, {Sample::u8, 1});
  ThresholdOptions wolf;
  wolf.method = ThresholdMethod::wolf;
  wolf.window = 5;
  const PictureOperation operations[] = {ClaheOptions{}, wolf};
  std::vector<Image> expected;
  for (const PictureOperation& operation : operations) {
    expected.push_back(cpu().download(cpu().apply(cpu().upload(image.view()), operation)));
  }
  each_call_fails(
      [&](Backend& backend) {
        const Picture here = backend.upload(image.view());
        for (std::size_t i = 0; i < expected.size(); ++i) {
          expect_same(backend, backend.apply(here, operations[i]), expected[i]);
        }
      },
      20);
}

TEST_F(OpenclFaults, NoLoader) {
  try {
    (void)opencl::make_test_backend({}, {.library = "libNoOpenCL.so.1"});
    ADD_FAILURE() << "was made";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::backend_unavailable);
    EXPECT_NE(std::string(error.what()).find("libNoOpenCL.so.1 cannot be opened"), std::string::npos);
  }
}

TEST_F(OpenclFaults, NoSuchDevice) {
  try {
    (void)make_opencl_backend({1000, {}});
    ADD_FAILURE() << "was made";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::backend_unavailable);
  }
}

TEST_F(OpenclFaults, DamagedProgramsAreCompiledAgain) {
  const std::filesystem::path folder = std::filesystem::current_path() / "opencl_damaged";
  std::filesystem::remove_all(folder);
  const OpenclOptions options{tested_options().device, folder.string()};
  const Image image = constant_image(5, 3, {Sample::u8, 1}, 7);
  const auto count = [&] {
    const auto backend = make_opencl_backend(options);
    return backend->histogram(backend->upload(image.view()), {}).channels.front().counts[7];
  };
  EXPECT_EQ(count(), 15U);
  long files = 0;
  for (const auto& file : std::filesystem::recursive_directory_iterator(folder)) {
    if (file.is_regular_file()) {
      ++files;
      std::filesystem::resize_file(file.path(), std::filesystem::file_size(file.path()) / 2);
    }
  }
  EXPECT_EQ(files, 1);
  EXPECT_EQ(count(), 15U);
  for (const auto& file : std::filesystem::recursive_directory_iterator(folder)) {
    if (file.is_regular_file()) {
      std::ofstream(file.path(), std::ios::binary) << "not a program";
    }
  }
  EXPECT_EQ(count(), 15U);
}

/// A picture larger than the largest buffer is rejected. The engine then cuts strips of available_bytes() / 2.
TEST_F(OpenclFaults, LargestBuffer) {
  const auto backend = make_tested_backend({.max_allocation = 4096});
  EXPECT_EQ(backend->available_bytes(), 8192U);
  try {
    (void)backend->upload(constant_image(100, 100, {Sample::u8, 1}, 1).view());
    ADD_FAILURE() << "was uploaded";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::out_of_memory);
  }
  EXPECT_NO_THROW((void)backend->upload(constant_image(10, 10, {Sample::u8, 1}, 1).view()));
}

}  // namespace
}  // namespace gpuimg::test
