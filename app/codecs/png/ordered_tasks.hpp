// Tasks that one thread begins, and whichever has time runs.
#pragma once

#include <tbb/task_group.h>

#include <atomic>
#include <cstddef>
#include <exception>
#include <functional>
#include <optional>
#include <vector>

#include "codecs/threads.hpp"

namespace gpuimg::codecs::png {

/// Numbered from 0, and taken up in this order. The thread that begins them goes on with what is its own, and runs
/// tasks only where it would wait for one; a pipeline of oneTBB would keep it until all are done.
class OrderedTasks {
 public:
  /// At most `in_flight` tasks are begun and not done, on at most `threads` threads. `run(number)` may throw. Throws
  /// std::bad_alloc.
  OrderedTasks(int threads, std::size_t in_flight, std::function<void(int number)> run);
  ~OrderedTasks() noexcept;
  OrderedTasks(const OrderedTasks&) = delete;
  OrderedTasks& operator=(const OrderedTasks&) = delete;

  /// How many: the number of the next.
  [[nodiscard]] int begun() const { return begun_; }

  /// Begins the next task; waits before for that in its place. What that has thrown, and nobody has waited for, is
  /// thrown. After abandon(), or if this throws, no task may be begun.
  void begin();

  /// Until this task is done; at once if its number is below 0. Throws what it has thrown.
  void wait_for(int number);

  /// Returns when no task runs; no other will.
  void abandon() noexcept;

 private:
  struct Slot {
    std::exception_ptr error;
    std::atomic<bool> is_done = true;
  };
  struct OtherThreads {
    explicit OtherThreads(int threads) : arena(threads) {}

    CodecArena arena;
    tbb::task_group group;  // as many as tasks were begun; those that come too late find none
  };

  Slot& slot_of(int number) { return slots_[static_cast<std::size_t>(number) % slots_.size()]; }
  bool run_next() noexcept;

  std::function<void(int number)> run_;
  std::vector<Slot> slots_;  ///< used in turn
  std::atomic<int> begun_ = 0;
  std::atomic<int> taken_ = 0;          ///< by the thread that runs it
  std::optional<OtherThreads> others_;  ///< empty if there is one thread
};

}  // namespace gpuimg::codecs::png
