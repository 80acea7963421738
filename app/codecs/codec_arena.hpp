// Where the tasks of a codec run.
#pragma once

#include <tbb/global_control.h>
#include <tbb/task_arena.h>

#include <cstddef>
#include <optional>
#include <utility>

#include "arena_memory.hpp"

namespace gpuimg::codecs {

/// The caller's arena, if the codec may use all threads and so may the caller; else one with `threads` of its own.
/// Threads without work look for it in their arena for a while, and a command's stages take turns: apart, each would
/// wait for threads that search where the other's tasks were.
class CodecArena {
 public:
  /// Throws std::bad_alloc.
  explicit CodecArena(int threads) {
    const std::size_t all = tbb::global_control::active_value(tbb::global_control::max_allowed_parallelism);
    if (static_cast<std::size_t>(threads) != all || tbb::this_task_arena::max_concurrency() != threads) {
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
