// --devices: several devices share the images of a batch. The devices are host twins.
#include <gtest/gtest.h>

#include <chrono>
#include <condition_variable>
#include <filesystem>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "batch/devices.hpp"
#include "support/command_run.hpp"
#include "support/jpeg_maker.hpp"
#include "support/temporary_folder.hpp"
#include "support/test_images.hpp"
#include "support/twin_device.hpp"

namespace gpuimg::test_devices {
namespace {

using namespace test;

using Words = std::vector<std::string>;

class Devices : public ::testing::Test {
 protected:
  void SetUp() override {
    twin_device().reset();
    std::filesystem::create_directory(folder_ / "in");
    for (int i = 0; i < kImages; ++i) {
      const FileBytes file = make_jpeg(smooth_image(random_, 50 + i, 40, {Sample::u8, 3}).view());
      put_text(folder_ / ("in/p" + std::to_string(i) + ".jpg"),
               {reinterpret_cast<const char*>(file.data()), file.size()});
    }
  }
  void TearDown() override { twin_device().reset(); }

  CommandRun run_batch(const Words& options, const std::string& out) {
    Words words = {"equalize", "--format", "bmp", folder_ / "in", folder_ / out};
    words.insert(words.end(), options.begin(), options.end());
    return run_command(words);
  }

  std::string outputs(const std::string& out) const {
    std::string all;
    for (int i = 0; i < kImages; ++i) {
      all += text_in(folder_ / (out + "p" + std::to_string(i) + ".bmp"));
    }
    return all;
  }

  /// From now on, operations wait until this many devices compute at the same time, with a time limit.
  void meet(std::size_t devices) {
    twin_device().on_operation = [this, devices](int device) {
      std::unique_lock lock(mutex_);
      used_.insert(device);
      changed_.notify_all();
      changed_.wait_for(lock, std::chrono::seconds(30), [&] { return used_.size() >= devices; });
    };
  }

  static constexpr int kImages = 9;
  TemporaryFolder folder_;
  Random random_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::set<int> used_;
};

TEST_F(Devices, ShareTheImagesAndWriteTheSameFiles) {
  twin_device().devices = 3;
  ASSERT_EQ(run_batch({"-q", "--backend", "cpu"}, "cpu/").code, ExitCode::ok);
  const std::string expected = outputs("cpu/");
  struct Case {
    const char* list;
    std::set<int> used;
  };
  for (const Case& each : {Case{"0,1", {0, 1}}, Case{"2,0", {0, 2}}, Case{"all", {0, 1, 2}}, Case{"1", {1}}}) {
    SCOPED_TRACE(each.list);
    used_.clear();
    meet(each.used.size());
    const std::string manifest = folder_ / "run.jsonl";
    const CommandRun ran = run_batch(
        {"--backend", "cuda", "--devices", each.list, "--jobs", "3", "--force", "-v", "--manifest", manifest}, "cuda/");
    EXPECT_EQ(ran.code, ExitCode::ok) << ran.err;
    EXPECT_EQ(used_, each.used);
    EXPECT_TRUE(outputs("cuda/") == expected);
    const std::string lines = text_in(manifest);
    for (int device = 0; device < 3; ++device) {
      const bool is_used = each.used.count(device) != 0;
      const std::string number = std::to_string(device);
      EXPECT_EQ(lines.find(R"("device": )" + number) != std::string::npos, is_used) << device;
      EXPECT_EQ(ran.err.find("twin (device " + number + ")") != std::string::npos, is_used) << device;
    }
    EXPECT_EQ(ran.err.find("shared by the CUDA devices") != std::string::npos, each.used.size() > 1) << ran.err;
  }
}

TEST_F(Devices, ArePreparedForManyImagesBeforeTheFirst) {
  const std::string photo = folder_ / "in/p0.jpg";
  const std::string drawing = folder_ / "in/p9.png";
  ASSERT_EQ(run_command({"equalize", "-q", "--backend", "cpu", photo, drawing}).code, ExitCode::ok);
  for (const char* format : {"jpg", "png", "bmp"}) {
    const CommandRun ran = run_command({"equalize", "-q", "--backend", "cuda", "--jobs", "3", "--format", format,
                                        "--force", folder_ / "in", folder_ / "out/"});
    EXPECT_EQ(ran.code, ExitCode::ok) << ran.err;
    EXPECT_GT(twin_device().decoded, 0);
    EXPECT_GT(twin_device().uploaded, 0);
    EXPECT_EQ(twin_device().unprepared, 0) << format;
  }
  ASSERT_EQ(run_command({"equalize", "--backend", "cuda", photo, folder_ / "one.png"}).code, ExitCode::ok);
  EXPECT_GT(twin_device().unprepared, 0) << "one image does without";
}

TEST_F(Devices, AMissingDeviceEndsTheRunBeforeAnyWork) {
  twin_device().devices = 2;
  const std::string manifest = folder_ / "run.jsonl";
  const CommandRun batch = run_batch({"--backend", "cuda", "--devices", "0,2", "--manifest", manifest}, "cuda/");
  EXPECT_EQ(batch.code, ExitCode::no_backend) << batch.err;
  const std::string out = folder_ / "out.png";
  const CommandRun one = run_command({"equalize", "--backend", "cuda", "--devices", "0,2", folder_ / "in/p0.jpg", out});
  EXPECT_EQ(one.code, ExitCode::no_backend) << one.err;
  EXPECT_EQ(twin_device().made, 0);
  EXPECT_FALSE(std::filesystem::exists(folder_ / "cuda"));
  EXPECT_FALSE(std::filesystem::exists(manifest));
  EXPECT_FALSE(std::filesystem::exists(out));
}

TEST_F(Devices, OneImageGoesToTheFirstDevice) {
  twin_device().devices = 2;
  meet(1);
  const std::string photo = folder_ / "in/p0.jpg";
  for (const Words& outputs : {Words{folder_ / "out.png"}, Words{"-"}, Words{"--jobs", "2", folder_ / "folder/"}}) {
    Words words = {"equalize", "--backend", "cuda", "--devices", "1,0", photo};
    words.insert(words.end(), outputs.begin(), outputs.end());
    const CommandRun ran = run_command(words);
    EXPECT_EQ(ran.code, ExitCode::ok) << ran.err;
  }
  EXPECT_EQ(used_, std::set<int>{1});
}

TEST_F(Devices, AutoAndTheCpuAcceptTheList) {
  EXPECT_EQ(run_batch({"-q", "--devices", "all"}, "auto/").code, ExitCode::ok);
  const CommandRun host = run_batch({"--devices", "0,1", "--backend", "cpu"}, "cpu/");
  EXPECT_EQ(host.code, ExitCode::ok);
  EXPECT_NE(host.err.find("--devices has no effect: the backend is the CPU"), std::string::npos) << host.err;
  EXPECT_TRUE(outputs("auto/") == outputs("cpu/"));
}

TEST(DeviceListText, AcceptsNumbersOrAll) {
  EXPECT_TRUE(parse_device_list("all").all);
  EXPECT_TRUE(parse_device_list("").numbers.empty());
  EXPECT_EQ(parse_device_list("3,0,12").numbers, (std::vector{3, 0, 12}));
  for (const char* text : {"0,", ",0", "0,,1", "-1", "0 1", "+1", "1x", "ALL", "all,0", "65537", "0,1,0"}) {
    EXPECT_THROW((void)parse_device_list(text), Error) << text;
  }
}

DeviceWork work_of(const char* list, int jobs, std::optional<std::uint64_t> images, const GlobalOptions& globals = {}) {
  return work_per_device(parse_device_list(list), globals, jobs, images);
}

TEST(DeviceList, DividesJobsAndImages) {
  EXPECT_EQ(work_of("all", 16, 100), (DeviceWork{16, 100, std::nullopt}));
  EXPECT_EQ(work_of("0,1", 16, 100), (DeviceWork{8, 50, std::nullopt}));
  EXPECT_EQ(work_of("0,1,2", 16, 100), (DeviceWork{6, 34, std::nullopt}));
  EXPECT_EQ(work_of("0,1,2", 1, 1), (DeviceWork{1, 1, std::nullopt}));
  EXPECT_EQ(work_of("0,1,2", 6, std::nullopt), (DeviceWork{2, std::nullopt, std::nullopt}));
}

TEST(DeviceList, KnowsTheOnlyDevice) {
  GlobalOptions globals;
  EXPECT_EQ(work_of("", 16, 100, globals), (DeviceWork{16, 100, 0}));
  EXPECT_EQ(work_of("2", 16, 100, globals), (DeviceWork{16, 100, 2}));
  globals.device = 3;
  EXPECT_EQ(work_of("", 16, 100, globals), (DeviceWork{16, 100, 3}));
  globals.backend = BackendKind::opencl;  // OpenCL may list CUDA's devices under other numbers
  EXPECT_EQ(work_of("", 16, 100, globals), (DeviceWork{16, 100, std::nullopt}));
}

TEST(WorkerPool, LeasesOnTheLeastBusyDevice) {
  GlobalOptions options;
  options.backend = BackendKind::cpu;
  WorkerPool pool(options, {7, 3});
  const WorkerPool::Lease first = pool.lease();
  auto second = std::unique_ptr<WorkerPool::Lease>(new WorkerPool::Lease(pool.lease()));
  const WorkerPool::Lease third = pool.lease();
  EXPECT_EQ(first.device(), 7);
  EXPECT_EQ(second->device(), 3);
  EXPECT_EQ(third.device(), 7);
  second.reset();
  auto fourth = std::unique_ptr<WorkerPool::Lease>(new WorkerPool::Lease(pool.lease()));
  EXPECT_EQ(fourth->device(), 3);
  fourth->discard();
  fourth.reset();
  EXPECT_EQ(pool.lease().device(), 3) << "a discarded worker is not busy";
  pool.clear();
  EXPECT_EQ(pool.lease().device(), 3);
}

}  // namespace
}  // namespace gpuimg::test_devices
