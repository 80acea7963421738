// Allocates and frees as much as the first arena of a process takes.
#include "arena_memory.hpp"

#include <oneapi/tbb/version.h>

#include <cstddef>
#include <new>

namespace gpuimg {

void require_arena_memory() {
  constexpr int kFirstThatWaits = 12140;  // the interface version of oneTBB 2022.0
  if (TBB_runtime_interface_version() < kFirstThatWaits) {
    return;
  }
  constexpr std::size_t kBytes = std::size_t{16} << 20;  // oneTBB's allocator takes megabytes at a time
  void* const memory = ::operator new(kBytes);
  *static_cast<volatile char*>(memory) = 0;  // else the compiler may leave out both calls
  ::operator delete(memory);
}

}  // namespace gpuimg
