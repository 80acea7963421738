// Replaces the C library's allocator in this executable, and forwards each call to it.
#include "heap_meter.hpp"

#include <malloc.h>

#include <atomic>
#include <cerrno>
#include <cstdlib>

#include "support/sanitizers.hpp"

namespace gpuimg::test {
namespace {

std::atomic<std::size_t> allocated = 0;
std::atomic<std::size_t> most = 0;

[[maybe_unused]] void* counted(void* memory) {
  if (memory != nullptr) {
    const std::size_t now = allocated += ::malloc_usable_size(memory);
    std::size_t seen = most;
    while (seen < now && !most.compare_exchange_weak(seen, now)) {
    }
  }
  return memory;
}

[[maybe_unused]] void uncount(void* memory) {
  if (memory != nullptr) {
    allocated -= ::malloc_usable_size(memory);
  }
}

}  // namespace

bool heap_is_metered() { return !kHasSanitizer; }

HeapMeter::HeapMeter() : before_(allocated) { most = before_; }

std::size_t HeapMeter::peak() const { return most - before_; }

}  // namespace gpuimg::test

#if !GPUIMG_HAS_SANITIZER  // a sanitizer has its own allocator

using gpuimg::test::counted;
using gpuimg::test::uncount;

extern "C" {

void* __libc_malloc(std::size_t bytes);
void* __libc_calloc(std::size_t count, std::size_t bytes);
void* __libc_realloc(void* memory, std::size_t bytes);
void* __libc_memalign(std::size_t alignment, std::size_t bytes);
void __libc_free(void* memory);

void* malloc(std::size_t bytes) { return counted(__libc_malloc(bytes)); }
void* calloc(std::size_t count, std::size_t bytes) { return counted(__libc_calloc(count, bytes)); }
void* realloc(void* memory, std::size_t bytes) {
  uncount(memory);
  void* moved = __libc_realloc(memory, bytes);
  (void)counted(moved == nullptr && bytes > 0 ? memory : moved);
  return moved;
}
void* aligned_alloc(std::size_t alignment, std::size_t bytes) { return counted(__libc_memalign(alignment, bytes)); }
void* memalign(std::size_t alignment, std::size_t bytes) { return counted(__libc_memalign(alignment, bytes)); }
int posix_memalign(void** memory, std::size_t alignment, std::size_t bytes) {
  *memory = counted(__libc_memalign(alignment, bytes));
  return *memory != nullptr ? 0 : ENOMEM;
}
void free(void* memory) {
  uncount(memory);
  __libc_free(memory);
}

}  // extern "C"

#endif
