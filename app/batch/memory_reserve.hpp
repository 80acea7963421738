// A memory reserve that lets the bookkeeping between images continue after an image has exhausted memory.
// docs/batch.md, "Memory".
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <new>
#include <utility>

#include "engine/memory.hpp"
#include "gpuimg/error.hpp"

namespace gpuimg {

/// Thread-safe. The reserve is never accessed, so it takes address space but no physical memory.
class MemoryReserve {
 public:
  static constexpr std::size_t kBytes = std::size_t{1} << 20;

  /// Images in flight hold memory of `budget`. After `is_abandoned()` becomes true, they may never release it.
  MemoryReserve(MemoryBudget& budget, std::function<bool()> is_abandoned)
      : budget_(budget), is_abandoned_(std::move(is_abandoned)) {
    refill();
  }

  /// Runs step(), which must have the strong exception guarantee. If step() runs out of memory, retries it: first with
  /// the reserve freed, then each time an image in flight ends. Rethrows the last failure. The caller must not hold a
  /// part of the budget.
  template <class Step>
  void retry_on_oom(const Step& step) {
    for (;;) {
      const std::uint64_t releases = budget_.releases();
      try {
        step();
        refill();
        return;
      } catch (const std::bad_alloc&) {
        if (!wait_for_more(releases)) {
          throw;
        }
      } catch (const Error& error) {
        if (error.kind() != ErrorKind::out_of_memory || !wait_for_more(releases)) {
          throw;
        }
      }
    }
  }

  [[nodiscard]] bool is_held() const {
    const std::lock_guard lock(mutex_);
    return held_ != nullptr;
  }

 private:
  /// Frees the reserve. If it is already free, waits until there are more releases than `releases`. Returns false if
  /// neither is possible.
  bool wait_for_more(std::uint64_t releases) {
    {
      const std::lock_guard lock(mutex_);
      if (held_ != nullptr) {
        held_.reset();
        return true;
      }
    }
    return budget_.wait_for_release(releases, is_abandoned_);
  }

  void refill() {
    const std::lock_guard lock(mutex_);
    if (held_ == nullptr) {
      held_.reset(new (std::nothrow) std::byte[kBytes]);
    }
  }

  MemoryBudget& budget_;
  std::function<bool()> is_abandoned_;
  mutable std::mutex mutex_;
  std::unique_ptr<std::byte[]> held_;
};

}  // namespace gpuimg
