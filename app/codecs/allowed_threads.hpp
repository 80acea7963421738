// How many threads a codec may use.
#pragma once

#include <tbb/global_control.h>
#include <tbb/task_arena.h>

#include <algorithm>

namespace gpuimg {

/// `wanted` as options have it, 0 = all that the caller may use; at most as many as oneTBB is allowed. 1 or more.
inline int allowed_threads(int wanted) {
  const std::size_t allowed = tbb::global_control::active_value(tbb::global_control::max_allowed_parallelism);
  return std::min(wanted > 0 ? wanted : tbb::this_task_arena::max_concurrency(), static_cast<int>(allowed));
}

}  // namespace gpuimg
