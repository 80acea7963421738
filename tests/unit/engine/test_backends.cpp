// The list of backends agrees with the backends themselves, and the choice of `auto` with their costs.
#include <gtest/gtest.h>

#include <cstdlib>
#include <memory>
#include <optional>
#include <set>
#include <string>

#include "backends/backends.hpp"
#include "codecs/codec.hpp"
#include "codecs/file_header.hpp"
#include "codecs/image_writer.hpp"
#include "engine/backend_choice.hpp"
#include "engine/worker.hpp"
#include "support/test_images.hpp"

namespace gpuimg::test_backends {
namespace {

TEST(Backends, ListAgreesWithEachBackend) {
  std::set<std::string> names;
  for (const BackendEntry& entry : backends()) {
    EXPECT_TRUE(names.emplace(entry.name).second) << entry.name;
    EXPECT_EQ(&backend_entry(entry.kind), &entry);
    std::unique_ptr<Backend> backend;
    try {
      backend = entry.make({.device = 0, .threads = 1});
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::backend_unavailable) << error.what();
      continue;
    }
    EXPECT_EQ(backend->kind(), entry.kind);
    EXPECT_EQ(backend->name(), entry.name);
    EXPECT_EQ(backend->memory_is_host(), entry.memory_is_host);
  }
}

/// True if the backend is kept after a command line that ends with an error of this kind, or without an error.
bool is_kept_after(Resident& resident, std::optional<ErrorKind> kind) {
  GlobalOptions options;
  options.backend = BackendKind::cpu;
  options.resident = &resident;
  {
    BackendSource source(options);
    EXPECT_EQ(source.guarded([&] { return source.get().kind(); }), BackendKind::cpu);
    if (kind) {
      EXPECT_THROW(source.guarded([&]() -> int { throw Error(*kind, "planted"); }), Error);
    }
  }
  return resident.backends.take(BackendKind::cpu, {options.device, options.threads}) != nullptr;
}

TEST(Backends, AreKeptForTheNextCommandLineUnlessTheyFailed) {
  Resident resident;
  EXPECT_TRUE(is_kept_after(resident, std::nullopt));
  EXPECT_TRUE(is_kept_after(resident, ErrorKind::unsupported));
  EXPECT_TRUE(is_kept_after(resident, ErrorKind::write));
  EXPECT_FALSE(is_kept_after(resident, ErrorKind::out_of_memory));
  EXPECT_FALSE(is_kept_after(resident, ErrorKind::mismatch));
  EXPECT_FALSE(resident.has_lost_device);
  EXPECT_FALSE(is_kept_after(resident, ErrorKind::device_fault));
  EXPECT_TRUE(resident.has_lost_device);
}

bool cuda_is_faster(const Workload& work) {
  return backend_entry(BackendKind::cuda).cost_ms(work) < backend_entry(BackendKind::cpu).cost_ms(work);
}

constexpr std::uint64_t kPhoto = 14'700'000;

double decoding_ms(codecs::FileFormat format) {
  const Image image = test::constant_image(1000, 700, {Sample::u8, 3}, 77);
  return codecs::declared_image(codecs::encode_image(image.view(), format, "x", {}), "x").decoding_ms;
}

TEST(Backends, AutoChoosesCudaForFoldersOfJpegAndPng) {
  using codecs::FileFormat;
  for (const FileFormat format : {FileFormat::jpeg, FileFormat::png}) {
    const double decoding = decoding_ms(format);
    for (const int threads : {2, 8, 16}) {
      SCOPED_TRACE(std::string(codecs::codec_of(format).name) + ", " + std::to_string(threads) + " threads");
      EXPECT_FALSE(cuda_is_faster({1, kPhoto, decoding, threads})) << "one photo";
      EXPECT_FALSE(cuda_is_faster({10, 10 * std::uint64_t{1} << 18, decoding, threads})) << "ten thumbnails";
      EXPECT_TRUE(cuda_is_faster({200, 200 * kPhoto, decoding, threads})) << "a folder";
    }
  }
  EXPECT_TRUE(cuda_is_faster({1, 40 * kPhoto, decoding_ms(FileFormat::jpeg), 16})) << "one huge photo";
  // With 16 cores, files that the host decodes do not justify a GPU.
  EXPECT_EQ(decoding_ms(FileFormat::bmp), 0.0);
  EXPECT_FALSE(cuda_is_faster({200, 200 * kPhoto, 0.0, 16}));
}

/// The rates measured on an H200 with 16 cores, docs/performance.md: hist of PNG photographs with noise.
TEST(Backends, PngCostMatchesTheMeasuredRate) {
  const Workload folder{1000, 1000 * kPhoto, decoding_ms(codecs::FileFormat::png), 16, {.thread_ms = 0.3}};
  const double images_per_second = 1000.0 * 1000.0 / backend_entry(BackendKind::cpu).cost_ms(folder);
  EXPECT_NEAR(images_per_second, 112.0, 12.0);
}

TEST(Backends, AutoChoosesCudaForOneImageOfAnExpensiveOperation) {
  const OperationCost cost{.thread_ms = 400.0, .useful_threads = 64, .device_ms = 4.0};
  for (const int threads : {2, 8, 16}) {
    EXPECT_TRUE(cuda_is_faster({1, 24'000'000, 0.0, threads, cost})) << "one photo, " << threads << " threads";
    EXPECT_FALSE(cuda_is_faster({1, 24'000'000, 0.0, threads})) << "an operation that is limited by memory bandwidth";
    EXPECT_FALSE(cuda_is_faster({1, 1 << 18, 0.0, threads, cost})) << "a thumbnail";
  }
  EXPECT_FALSE(cuda_is_faster({1, 24'000'000, 0.0, 64, cost})) << "all threads help";
}

TEST(Backends, CpuIsAlwaysBuiltIn) { EXPECT_NE(backend_entry(BackendKind::cpu).make({}), nullptr); }

/// Runs in a separate process, because CUDA reads the variable only once.
void expect_queues(const char* of_the_user, const DeviceWork& work, const std::string& queues) {
  const auto check_in_this_process = [&] {
    constexpr const char* kName = "CUDA_DEVICE_MAX_CONNECTIONS";
    (void)(of_the_user == nullptr ? ::unsetenv(kName) : ::setenv(kName, of_the_user, 1));
    expect_work(work);
    expect_work({work.workers + 1, std::nullopt});  // too late: has no effect
    const char* value = std::getenv(kName);
    std::exit(value != nullptr && value == queues ? 0 : 1);
  };
  EXPECT_EXIT(check_in_this_process(), testing::ExitedWithCode(0), "")
      << work.workers << " workers, " << queues << " queues";
}

TEST(Backends, AnUnknownNumberOfImagesGetsAsManyQueuesAsAFolder) {
  expect_queues(nullptr, {1, std::nullopt}, "1");
  expect_queues(nullptr, {16, std::nullopt}, "8");
  expect_queues("12", {16, std::nullopt}, "12");
}

TEST(Backends, MoreImagesGetMoreQueues) {
  expect_queues(nullptr, {1, 1}, "1");
  expect_queues(nullptr, {16, 0}, "1");
  expect_queues(nullptr, {16, 35}, "1");
  expect_queues(nullptr, {16, 36}, "2");
  expect_queues(nullptr, {16, 256}, "4");
  expect_queues(nullptr, {16, 899}, "7");
  expect_queues(nullptr, {16, 900}, "8");
  expect_queues(nullptr, {2, 900}, "2");
  expect_queues(nullptr, {16, 17'999}, "8");
  expect_queues(nullptr, {16, 18'000}, "9");
  expect_queues(nullptr, {16, 1'000'000}, "16");
  expect_queues(nullptr, {100, 1'000'000}, "32");
  expect_queues("2", {16, 8'000}, "2");
}

/// The value that CUDA sees; runs in a separate process.
void expect_visible(const char* of_the_user, std::optional<int> only_device, const std::string& visible) {
  const auto check_in_this_process = [&] {
    constexpr const char* kName = "CUDA_VISIBLE_DEVICES";
    (void)::setenv(kName, of_the_user, 1);
    expect_work({.workers = 1, .images = 1, .only_device = only_device});
    std::exit(std::getenv(kName) == visible ? 0 : 1);
  };
  EXPECT_EXIT(check_in_this_process(), testing::ExitedWithCode(0), "") << of_the_user << ", not " << visible;
}

TEST(Backends, CudaSeesOnlyTheSelectedDevice) {
  expect_visible("0,1", 0, "0");
  expect_visible("3,1,2", 1, "1");
  expect_visible("GPU-8932f937,MIG-1a,GPU-7", 2, "GPU-7");
  expect_visible("0,1", std::nullopt, "0,1");
  expect_visible("1", 0, "1");
  expect_visible("", 0, "");
}

TEST(Backends, CudaDoesNotSeeDevicesThatTheUserHides) {
  expect_visible("0,1", 2, "0,1");
  expect_visible("0,1,-1,2", 2, "0,1,-1,2");
  expect_visible("0,,2", 1, "0,,2");
  expect_visible("-1,0", 0, "-1,0");
}

}  // namespace
}  // namespace gpuimg::test_backends
