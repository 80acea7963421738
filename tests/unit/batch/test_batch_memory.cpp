// A batch's memory limit, and the memory reserve for its bookkeeping. docs/batch.md, "Memory".
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <new>
#include <thread>
#include <vector>

#include "batch/memory_reserve.hpp"
#include "engine/memory.hpp"
#include "support/emulation.hpp"
#include "support/sanitizers.hpp"

namespace gpuimg::test_batch_memory {
namespace {

bool never() { return false; }

TEST(MemoryBudget, IsLimitedByFreeMemoryAndItsInitialSize) {
  MemoryBudget budget(100);
  budget.limit_to(40);
  EXPECT_EQ(budget.bytes(), 40U);
  ASSERT_TRUE(budget.acquire(30));
  EXPECT_FALSE(budget.acquire(20, [] { return true; })) << "there is no room beside the first";
  budget.limit_to(1000);
  EXPECT_EQ(budget.bytes(), 100U);
  EXPECT_TRUE(budget.acquire(70));
}

TEST(MemoryBudget, AdmitsWhatFitsAndRunsLargerItemsAlone) {
  MemoryBudget budget(100);
  budget.acquire(60);
  budget.acquire(40);
  std::atomic<int> stage = 0;
  std::thread waiting([&] {
    budget.acquire(50);
    stage = 1;
    budget.release(50);
    budget.acquire(1000);
    stage = 2;
    budget.release(1000);
  });
  std::this_thread::sleep_for(std::chrono::milliseconds(30));
  EXPECT_EQ(stage, 0);
  budget.release(60);
  while (stage == 0) {
    std::this_thread::yield();
  }
  std::this_thread::sleep_for(std::chrono::milliseconds(30));
  EXPECT_EQ(stage, 1);  // 40 bytes are still in use
  budget.release(40);
  waiting.join();
  EXPECT_EQ(stage, 2);
}

TEST(MemoryReserve, IsFreedOnOutOfMemoryAndRefilled) {
  MemoryBudget budget(0);
  MemoryReserve reserve(budget, never);
  ASSERT_TRUE(reserve.is_held());
  int attempts = 0;
  const auto step = [&](auto&& complain) {
    return [&attempts, &reserve, complain] {
      ++attempts;
      if (reserve.is_held()) {
        complain();
      }
    };
  };
  reserve.retry_on_oom(step([] { throw std::bad_alloc(); }));
  EXPECT_EQ(attempts, 2);
  EXPECT_TRUE(reserve.is_held());
  reserve.retry_on_oom(step([] { throw Error(ErrorKind::out_of_memory, "none"); }));
  EXPECT_EQ(attempts, 4);
  EXPECT_THROW(reserve.retry_on_oom(step([] { throw Error(ErrorKind::write, "no"); })), Error);
  EXPECT_EQ(attempts, 5);
}

TEST(MemoryReserve, ThrowsIfNothingInFlightCanReleaseMemory) {
  MemoryBudget budget(0);
  MemoryReserve reserve(budget, never);
  int attempts = 0;
  EXPECT_THROW(reserve.retry_on_oom([&] {
    ++attempts;
    throw std::bad_alloc();
  }),
               std::bad_alloc);
  EXPECT_EQ(attempts, 2);
}

TEST(MemoryReserve, WaitsForAnImageInFlight) {
  MemoryBudget budget(10);
  MemoryReserve reserve(budget, never);
  ASSERT_TRUE(budget.acquire(4, never));
  std::atomic<bool> is_free = false;
  std::thread image([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(30));
    is_free = true;
    budget.release(4);
  });
  reserve.retry_on_oom([&] {
    if (!is_free) {
      throw std::bad_alloc();
    }
  });
  EXPECT_TRUE(is_free);
  image.join();
}

TEST(MemoryReserve, DoesNotWaitForAbandonedImages) {
  MemoryBudget budget(10);
  MemoryReserve reserve(budget, [] { return true; });
  ASSERT_TRUE(budget.acquire(4, never));
  EXPECT_THROW(reserve.retry_on_oom([] { throw std::bad_alloc(); }), std::bad_alloc);
  EXPECT_FALSE(budget.acquire(8, [] { return true; }));
}

/// Uses up all memory in smaller and smaller blocks, then runs a step that needs memory. Exits with 0 if the second
/// attempt at this step succeeds.
[[noreturn]] void retry_without_memory() {
  MemoryBudget budget(0);
  MemoryReserve reserve(budget, never);
  const rlimit limit{std::size_t{256} << 20, std::size_t{256} << 20};
  ::setrlimit(RLIMIT_AS, &limit);
  for (std::size_t bytes = std::size_t{64} << 20; bytes >= 16; bytes /= 2) {
    while (void* taken = std::malloc(bytes)) {
      *static_cast<void* volatile*>(taken) = taken;
    }
  }
  int attempts = 0;
  reserve.retry_on_oom([&] {
    ++attempts;
    const std::vector<char> bookkeeping(20000);
  });
  std::_Exit(attempts == 2 ? 0 : 1);
}

TEST(MemoryReserveDeathTest, SufficesWhenTheAddressSpaceIsFull) {
  if (test::kHasSanitizer) {
    GTEST_SKIP() << "the sanitizer's shadow memory needs an unlimited address space";
  }
  if (test::is_emulated()) {
    GTEST_SKIP() << "the emulator needs address space, and cannot start the program again";
  }
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(retry_without_memory(), testing::ExitedWithCode(0), "");
}

}  // namespace
}  // namespace gpuimg::test_batch_memory
