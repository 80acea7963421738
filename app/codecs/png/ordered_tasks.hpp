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
/// task only where it would wait for one. (A oneTBB pipeline would keep that thread until all tasks are done.)
class OrderedTasks {
 public:
  /// At most `in_flight` tasks are submitted and unfinished at once, on at most `threads` threads. `run(number)` may
  /// throw. Throws std::bad_alloc.
  OrderedTasks(int threads, std::size_t in_flight, std::function<void(int number)> run);
  ~OrderedTasks() noexcept;
  OrderedTasks(const OrderedTasks&) = delete;
  OrderedTasks& operator=(const OrderedTasks&) = delete;

  /// How many tasks have been submitted; also the number of the next one.
  [[nodiscard]] int begun() const { return begun_; }

  /// Submits the next task, after waiting for the task whose slot it takes. Throws that task's exception unless
  /// wait_for() has thrown it already. Do not call begin() again after abandon(), or after begin() has thrown.
  void begin();

  /// Waits until this task is done, and throws its exception. Returns at once if the number is below 0.
  void wait_for(int number);

  /// Drops the tasks that have not started, and waits for those that run.
  void abandon() noexcept;

 private:
  struct Slot {
    std::exception_ptr error;
    std::atomic<bool> is_done = true;
  };
  struct OtherThreads {
    explicit OtherThreads(int threads) : arena(threads) {}

    CodecArena arena;
    tbb::task_group group;  // one per submitted task; a late one finds no task left
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
