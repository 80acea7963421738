// How many threads a codec may use, and where its tasks run.
#pragma once

#include <tbb/global_control.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <cstddef>
#include <optional>
#include <utility>

#include "pixel_memory.hpp"

namespace gpuimg::codecs {

/// `wanted` is the value of an option: 0 means as many as the caller may use. Never more than oneTBB's limit, and at
/// least 1.
inline int allowed_threads(int wanted) {
  const std::size_t allowed = tbb::global_control::active_value(tbb::global_control::max_allowed_parallelism);
  return std::min(wanted > 0 ? wanted : tbb::this_task_arena::max_concurrency(), static_cast<int>(allowed));
}

/// An arena of `threads` threads, or the caller's arena if oneTBB has only two threads. In that case oneTBB has a
/// single worker, which keeps looking for tasks in one arena for a while after its last task. A command's stages take
/// turns: with an arena for each stage, the worker would wait in one while another has tasks. With more threads, each
/// arena has workers.
class CodecArena {
 public:
  /// Throws std::bad_alloc.
  explicit CodecArena(int threads) {
    constexpr int kTwo = 2;
    const std::size_t all = tbb::global_control::active_value(tbb::global_control::max_allowed_parallelism);
    if (threads != kTwo || all != kTwo || tbb::this_task_arena::max_concurrency() != kTwo) {
      require_arena_memory();
      own_.emplace(threads);
      own_->initialize();
    }
  }

  template <class Work>
  void execute(Work&& work) {
    if (own_) {
      own_->execute(std::forward<Work>(work));
    } else {
      std::forward<Work>(work)();
    }
  }

 private:
  std::optional<tbb::task_arena> own_;
};

}  // namespace gpuimg::codecs
