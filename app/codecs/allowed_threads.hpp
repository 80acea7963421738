// How many threads a codec may use.
#pragma once

#include <tbb/global_control.h>
#include <tbb/task_arena.h>

#include <algorithm>

namespace gpuimg::codecs {

/// `wanted` is the value of an option: 0 means as many as the caller may use. Never more than oneTBB's limit, and at
/// least 1.
inline int allowed_threads(int wanted) {
  const std::size_t allowed = tbb::global_control::active_value(tbb::global_control::max_allowed_parallelism);
  return std::min(wanted > 0 ? wanted : tbb::this_task_arena::max_concurrency(), static_cast<int>(allowed));
}

}  // namespace gpuimg::codecs
