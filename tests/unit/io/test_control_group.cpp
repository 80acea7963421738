// Limits of control groups, versions 1 and 2, read below a fake root folder.
#include <gtest/gtest.h>

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

#include "io/control_group.hpp"
#include "support/temporary_folder.hpp"

namespace gpuimg::test_control_group {
namespace {

constexpr const char* kVersion1Mounts =
    "25 30 0:23 / /sys rw,nosuid shared:7 - sysfs sysfs rw\n"
    "31 25 0:28 / /sys/fs/cgroup ro,nosuid shared:9 - tmpfs tmpfs ro,mode=755\n"
    "35 31 0:32 / /sys/fs/cgroup/memory rw,relatime shared:10 - cgroup cgroup rw,memory\n"
    "36 31 0:33 / /sys/fs/cgroup/cpu,cpuacct rw,relatime - cgroup cgroup rw,cpu,cpuacct\n"
    "41 31 0:38 / /sys/fs/cgroup/unified rw,relatime - cgroup2 cgroup2 rw\n";
constexpr const char* kVersion2Mount = "31 23 0:28 / /sys/fs/cgroup rw,relatime - cgroup2 cgroup2 rw,nsdelegate\n";
constexpr const char* kNoLimit = "9223372036854771712\n";

/// A root folder with the files that a test writes.
class Root {
 public:
  Root(const std::string& membership, const std::string& mounts) {
    put("/proc/self/cgroup", membership);
    put("/proc/self/mountinfo", mounts);
  }

  void put(const std::string& path, const std::string& text) const {
    const std::filesystem::path file = folder_ / path.substr(1);
    std::filesystem::create_directories(file.parent_path());
    test::put_text(file, text);
  }

  [[nodiscard]] std::optional<std::uint64_t> free(std::uint64_t free_swap = 0) const {
    const std::optional<GroupMemory> memory = group_memory(free_swap, folder_ / "");
    return memory ? std::optional(memory->free) : std::nullopt;
  }
  [[nodiscard]] std::optional<std::uint64_t> free_with_swap(std::uint64_t free_swap) const {
    const std::optional<GroupMemory> memory = group_memory(free_swap, folder_ / "");
    return memory ? std::optional(memory->free_with_swap) : std::nullopt;
  }
  [[nodiscard]] std::optional<int> processors() const { return group_processors(folder_ / ""); }

 private:
  test::TemporaryFolder folder_;
};

class ControlGroupV1 : public ::testing::Test {
 protected:
  Root root_{"11:memory:/job/7\n4:cpu,cpuacct:/job/7\n1:name=systemd:/init\n0::/\n", kVersion1Mounts};
  std::string memory_ = "/sys/fs/cgroup/memory";
  std::string cpu_ = "/sys/fs/cgroup/cpu,cpuacct";
};

class ControlGroupV2 : public ::testing::Test {
 protected:
  Root root_{"0::/user.slice/job.scope\n", kVersion2Mount};
  std::string group_ = "/sys/fs/cgroup/user.slice/job.scope";
  std::string above_ = "/sys/fs/cgroup/user.slice";
};

TEST_F(ControlGroupV1, FreeMemoryIsTheLimitMinusUsage) {
  root_.put(memory_ + "/job/7/memory.limit_in_bytes", "1000000\n");
  root_.put(memory_ + "/job/7/memory.usage_in_bytes", "300000\n");
  EXPECT_EQ(root_.free(), 700000U);
  root_.put(memory_ + "/job/7/memory.usage_in_bytes", "1200000\n");
  EXPECT_EQ(root_.free(), 0U);
}

TEST_F(ControlGroupV1, FileCacheCountsAsFree) {
  root_.put(memory_ + "/job/7/memory.limit_in_bytes", "1000000\n");
  root_.put(memory_ + "/job/7/memory.usage_in_bytes", "300000\n");
  root_.put(memory_ + "/job/7/memory.stat",
            "cache 1\ninactive_file 5\ntotal_inactive_file 200000\ntotal_active_file 50000\n");
  EXPECT_EQ(root_.free(), 950000U);
}

TEST_F(ControlGroupV1, TheSmallestLimitOfTheTreeCounts) {
  root_.put(memory_ + "/memory.limit_in_bytes", kNoLimit);
  root_.put(memory_ + "/job/memory.limit_in_bytes", "5000\n");
  root_.put(memory_ + "/job/memory.usage_in_bytes", "4000\n");
  root_.put(memory_ + "/job/7/memory.limit_in_bytes", kNoLimit);
  root_.put(memory_ + "/job/7/memory.usage_in_bytes", "100\n");
  EXPECT_EQ(root_.free(), 1000U);
  root_.put(memory_ + "/job/7/memory.limit_in_bytes", "600\n");
  EXPECT_EQ(root_.free(), 500U);
}

TEST_F(ControlGroupV1, AHugeLimitMeansNoLimit) {
  root_.put(memory_ + "/job/7/memory.limit_in_bytes", kNoLimit);
  root_.put(memory_ + "/job/7/memory.usage_in_bytes", "100\n");
  root_.put(memory_ + "/job/7/memory.stat", "hierarchical_memory_limit 9223372036854771712\n");
  EXPECT_EQ(root_.free(), std::nullopt);
}

TEST_F(ControlGroupV1, StatisticsGiveTheLimitOfAnUnmountedGroup) {
  root_.put("/proc/self/mountinfo", "35 31 0:32 /job/7 /sys/fs/cgroup/memory ro - cgroup cgroup rw,memory\n");
  root_.put(memory_ + "/memory.limit_in_bytes", kNoLimit);
  root_.put(memory_ + "/memory.usage_in_bytes", "100\n");
  root_.put(memory_ + "/memory.stat", "hierarchical_memory_limit 3000\nhierarchical_memsw_limit 9223372036854771712\n");
  EXPECT_EQ(root_.free(), 2900U);
}

TEST_F(ControlGroupV1, SwapCountsAsFreeMemory) {
  root_.put(memory_ + "/job/7/memory.limit_in_bytes", "1000\n");
  root_.put(memory_ + "/job/7/memory.usage_in_bytes", "100\n");
  EXPECT_EQ(root_.free_with_swap(5000), 5900U);
  root_.put(memory_ + "/job/7/memory.memsw.limit_in_bytes", "2000\n");
  root_.put(memory_ + "/job/7/memory.memsw.usage_in_bytes", "150\n");
  EXPECT_EQ(root_.free_with_swap(5000), 1850U);
  EXPECT_EQ(root_.free(5000), 900U);
}

TEST_F(ControlGroupV1, QuotasAreRoundedUpAndTheSmallestCounts) {
  EXPECT_EQ(root_.processors(), std::nullopt);
  root_.put(cpu_ + "/job/7/cpu.cfs_period_us", "100000\n");
  root_.put(cpu_ + "/job/7/cpu.cfs_quota_us", "-1\n");
  EXPECT_EQ(root_.processors(), std::nullopt);
  root_.put(cpu_ + "/job/7/cpu.cfs_quota_us", "250000\n");
  EXPECT_EQ(root_.processors(), 3);
  root_.put(cpu_ + "/job/cpu.cfs_period_us", "50000\n");
  root_.put(cpu_ + "/job/cpu.cfs_quota_us", "100000\n");
  EXPECT_EQ(root_.processors(), 2);
  root_.put(cpu_ + "/job/7/cpu.cfs_quota_us", "1000\n");
  EXPECT_EQ(root_.processors(), 1);
}

TEST_F(ControlGroupV2, FreeMemoryIsTheLimitMinusUsageExceptFileCache) {
  root_.put(group_ + "/memory.max", "1000000\n");
  root_.put(group_ + "/memory.current", "300000\n");
  EXPECT_EQ(root_.free(), 700000U);
  root_.put(group_ + "/memory.stat", "anon 50000\nfile 250000\ninactive_file 200000\nactive_file 50000\n");
  EXPECT_EQ(root_.free(), 950000U);
}

TEST_F(ControlGroupV2, TheSmallestLimitOfTheTreeCounts) {
  root_.put(group_ + "/memory.max", "max\n");
  root_.put(group_ + "/memory.current", "100\n");
  EXPECT_EQ(root_.free(), std::nullopt);
  root_.put(above_ + "/memory.max", "5000\n");
  root_.put(above_ + "/memory.current", "4000\n");
  EXPECT_EQ(root_.free(), 1000U);
  root_.put(group_ + "/memory.high", "700\n");
  EXPECT_EQ(root_.free(), 600U);
}

TEST_F(ControlGroupV2, SwapCountsAsFreeMemory) {
  root_.put(group_ + "/memory.max", "1000\n");
  root_.put(group_ + "/memory.current", "100\n");
  EXPECT_EQ(root_.free_with_swap(5000), 5900U);
  root_.put(group_ + "/memory.swap.max", "400\n");
  root_.put(group_ + "/memory.swap.current", "150\n");
  EXPECT_EQ(root_.free_with_swap(5000), 1150U);
  EXPECT_EQ(root_.free(5000), 900U);
}

TEST_F(ControlGroupV2, QuotasAreRoundedUpAndTheSmallestCounts) {
  root_.put(group_ + "/cpu.max", "max 100000\n");
  EXPECT_EQ(root_.processors(), std::nullopt);
  root_.put(above_ + "/cpu.max", "150000 100000\n");
  EXPECT_EQ(root_.processors(), 2);
  root_.put(group_ + "/cpu.max", "100000 100000\n");
  EXPECT_EQ(root_.processors(), 1);
}

TEST_F(ControlGroupV2, AContainerSeesItsGroupAsTheRoot) {
  root_.put("/proc/self/cgroup", "0::/\n");
  root_.put("/sys/fs/cgroup/memory.max", "1000\n");
  root_.put("/sys/fs/cgroup/memory.current", "100\n");
  root_.put("/sys/fs/cgroup/cpu.max", "200000 100000\n");
  EXPECT_EQ(root_.free(), 900U);
  EXPECT_EQ(root_.processors(), 2);
}

TEST(ControlGroup, HybridMountsAreBothRead) {
  const Root root("11:memory:/job\n4:cpu,cpuacct:/\n0::/job\n", kVersion1Mounts);
  root.put("/sys/fs/cgroup/memory/job/memory.limit_in_bytes", "800\n");
  root.put("/sys/fs/cgroup/unified/job/cpu.max", "300000 100000\n");
  EXPECT_EQ(root.free(), 800U);
  EXPECT_EQ(root.processors(), 3);
  root.put("/sys/fs/cgroup/unified/job/memory.max", "700\n");
  EXPECT_EQ(root.free(), 700U);
}

TEST(ControlGroup, AMountOfAnInnerGroupShowsOnlyTheGroupsBelow) {
  const Root root("11:memory:/docker/abc/inner\n",
                  "35 31 0:32 /docker/abc /sys/fs/cgroup/memory ro - cgroup cgroup rw,memory\n");
  root.put("/sys/fs/cgroup/memory/inner/memory.limit_in_bytes", "800\n");
  EXPECT_EQ(root.free(), 800U);
  root.put("/sys/fs/cgroup/memory/memory.limit_in_bytes", "500\n");
  EXPECT_EQ(root.free(), 500U);
}

TEST(ControlGroup, APathOutsideTheMountMeansTheMountItself) {
  for (const char* path : {"/elsewhere/x", "/docker/abcd", "/../host", "/"}) {
    const Root root("11:memory:" + std::string(path) + "\n",
                    "35 31 0:32 /docker/abc /sys/fs/cgroup/memory ro - cgroup cgroup rw,memory\n");
    root.put("/sys/fs/cgroup/memory/memory.limit_in_bytes", "500\n");
    EXPECT_EQ(root.free(), 500U) << path;
  }
}

TEST(ControlGroup, MountsOfOtherGroupsAreIgnored) {
  const Root root("0::/job\n", std::string(kVersion2Mount) + "52 23 0:28 /other /mnt/other rw - cgroup2 cgroup2 rw\n");
  root.put("/sys/fs/cgroup/job/memory.max", "800\n");
  root.put("/mnt/other/memory.max", "5\n");
  EXPECT_EQ(root.free(), 800U);
}

TEST(ControlGroup, NamesMayContainColonsAndSpaces) {
  const Root root("0::/a:b c\n", "31 23 0:28 / /my\\040groups rw - cgroup2 cgroup2 rw\n");
  root.put("/my groups/a:b c/memory.max", "800\n");
  EXPECT_EQ(root.free(), 800U);
}

TEST(ControlGroup, MissingOrMalformedFilesMeanNoLimit) {
  const Root empty("", "");
  EXPECT_EQ(empty.free(), std::nullopt);
  EXPECT_EQ(empty.processors(), std::nullopt);
  const Root unreadable("nonsense\n0:\n4:memory\n", "31 23\n - \n1 2 3 4 5 - cgroup2\n");
  EXPECT_EQ(unreadable.free(), std::nullopt);
  const Root root("0::/job\n4:memory:/job\n",
                  std::string(kVersion2Mount) + "35 31 0:32 / /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory\n");
  EXPECT_EQ(root.free(), std::nullopt);
  for (const char* text : {"", "\n", "12x\n", "-1\n", "99999999999999999999999\n", "max\n"}) {
    root.put("/sys/fs/cgroup/job/memory.max", text);
    root.put("/sys/fs/cgroup/job/cpu.max", text);
    root.put("/sys/fs/cgroup/memory/job/memory.limit_in_bytes", text);
    EXPECT_EQ(root.free(), std::nullopt) << text;
    EXPECT_EQ(root.processors(), std::nullopt) << text;
  }
  for (const char* text : {"0 100000\n", "100000 0\n", "100000\n", "max max\n"}) {
    root.put("/sys/fs/cgroup/job/cpu.max", text);
    EXPECT_EQ(root.processors(), std::nullopt) << text;
  }
}

TEST(ControlGroup, ReadsTheGroupsOfThisMachine) {
  EXPECT_GE(group_processors().value_or(1), 1);
  (void)group_memory(0);
}

}  // namespace
}  // namespace gpuimg::test_control_group
