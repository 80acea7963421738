// Keeps oneTBB 2022 from waiting forever where memory runs out. docs/reliability.md, "Known limits".
#pragma once

namespace gpuimg {

/// To be called before a tbb::task_arena is used for the first time. With oneTBB 2022 and later, throws std::bad_alloc
/// unless there is memory for what oneTBB allocates then: if that allocation fails, oneTBB waits for its own lock.
void require_arena_memory();

}  // namespace gpuimg
