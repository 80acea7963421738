// Memory kept for the bookkeeping between images, so that it goes on where an image takes all there is. docs/batch.md,
// "Memory".
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <mutex>
#include <new>

#include "batch/memory_budget.hpp"
#include "gpuimg/error.hpp"

namespace gpuimg {

/// Thread-safe. What is kept is never touched: it takes address space, and no pages.
class MemoryReserve {
 public:
  static constexpr std::size_t kBytes = std::size_t{1} << 20;

  /// Images in flight hold memory of `budget`. Once `is_abandoned()`, those that hold some may never give it back.
  MemoryReserve(MemoryBudget& budget, std::function<bool()> is_abandoned);

  /// Runs step(), which has no effect where it throws. Where memory runs out it runs again: with the reserve given
  /// back, then whenever an image in flight has ended. Throws what the last attempt threw. The caller holds none of the
  /// budget.
  template <class Step>
  void insist(const Step& step) {
    for (;;) {
      const std::uint64_t releases = budget_.releases();
      try {
        step();
        refill();
        return;
      } catch (const std::bad_alloc&) {
        if (!has_more(releases)) {
          throw;
        }
      } catch (const Error& error) {
        if (error.kind() != ErrorKind::out_of_memory || !has_more(releases)) {
          throw;
        }
      }
    }
  }

  [[nodiscard]] bool is_held() const;

 private:
  /// Gives back the reserve, or else waits until there were more than `releases`; false if neither can help.
  bool has_more(std::uint64_t releases);
  void refill();

  MemoryBudget& budget_;
  std::function<bool()> is_abandoned_;
  mutable std::mutex mutex_;
  std::unique_ptr<std::byte[]> held_;
};

}  // namespace gpuimg
