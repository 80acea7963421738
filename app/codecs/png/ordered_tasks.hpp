// Ordered tasks: one thread submits them, and any idle thread runs them.
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

/// Tasks are numbered from 0, and start in this order. The submitting thread continues with its own work, and runs a
/// task only when it would otherwise wait. (A oneTBB pipeline would keep that thread until all tasks are done.)
class OrderedTasks {
 public:
  /// Runs tasks on at most `threads` threads, and never has more than `in_flight` submitted tasks that are unfinished.
  /// `run(number)` may throw. Throws std::bad_alloc.
  OrderedTasks(int threads, std::size_t in_flight, std::function<void(int number)> run);
  ~OrderedTasks() noexcept;
  OrderedTasks(const OrderedTasks&) = delete;
  OrderedTasks& operator=(const OrderedTasks&) = delete;

  /// The number of submitted tasks, which is also the number of the next task.
  [[nodiscard]] int begun() const { return begun_; }

  /// Submits the next task. First waits for the earlier task that used the same slot. Throws that task's exception
  /// unless wait_for() has thrown it already. Do not call begin() again after abandon(), or after begin() has thrown.
  void begin();

  /// Waits until this task is done, and throws its exception. Returns immediately if the number is negative.
  void wait_for(int number);

  /// Drops the tasks that have not started, and waits for the running ones.
  void abandon() noexcept;

 private:
  struct Slot {
    std::exception_ptr error;
    std::atomic<bool> is_done = true;
  };
  struct OtherThreads {
    explicit OtherThreads(int threads) : arena(threads) {}

    CodecArena arena;
    tbb::task_group group;  // one entry per submitted task; an entry that runs late finds no task left
  };

  Slot& slot_of(int number) { return slots_[static_cast<std::size_t>(number) % slots_.size()]; }
  bool run_next() noexcept;

  std::function<void(int number)> run_;
  std::vector<Slot> slots_;  ///< used in rotation
  std::atomic<int> begun_ = 0;
  std::atomic<int> taken_ = 0;          ///< number of tasks that threads have taken
  std::optional<OtherThreads> others_;  ///< empty if only one thread is used
};

}  // namespace gpuimg::codecs::png
