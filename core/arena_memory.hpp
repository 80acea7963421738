// Keeps oneTBB 2022 from waiting forever where memory runs out. docs/reliability.md, "Known limits".
#pragma once

namespace gpuimg {

/// To be called before a tbb::task_arena is used for the first time. Throws std::bad_alloc unless there is memory for
/// what oneTBB allocates then: from version 2022.0 on, it waits for its own lock if an allocation fails there.
void require_arena_memory();

}  // namespace gpuimg
