// Decides how many threads a codec may use, and where its tasks run.
#pragma once

#include <tbb/global_control.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <cstddef>
#include <optional>
#include <utility>

#include "pixel_memory.hpp"

namespace gpuimg::codecs {

/// `wanted` is the value of an option: 0 means as many as the caller may use. The result is at least 1 and at most
/// oneTBB's limit.
inline int allowed_threads(int wanted) {
  const std::size_t allowed = tbb::global_control::active_value(tbb::global_control::max_allowed_parallelism);
  return std::min(wanted > 0 ? wanted : tbb::this_task_arena::max_concurrency(), static_cast<int>(allowed));
}

/// An arena of `threads` threads, or the caller's arena if oneTBB has only two threads, that is, a single worker
/// thread. After its last task in an arena, a worker looks for more tasks there for a while. The stages of a command
/// run alternately, so if each had its own arena, the single worker would often wait in one arena while another has
/// tasks. With more than two threads, each arena has workers.
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
