// Fault injection for memory: this executable's malloc family overrides the C library's in every loaded library, so
// that libpng, libjpeg and oneTBB meet the same faults as gpuimg's own code.
#include <dlfcn.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <oneapi/tbb/detail/_small_object_pool.h>
#include <oneapi/tbb/task_arena.h>
#include <oneapi/tbb/version.h>

#include <cerrno>
#include <cstdlib>
#include <new>
#include <optional>

#include "fault_plan.hpp"

using gpuimg::faults::fails;
using gpuimg::faults::Kind;

// Calls the real allocator by its internal symbol, because dlsym would allocate.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define REAL(name) __interceptor_##name
#else
#define REAL(name) __libc_##name
#endif

extern "C" {
void* REAL(malloc)(std::size_t size);
void* REAL(calloc)(std::size_t count, std::size_t size);
void* REAL(realloc)(void* old, std::size_t size);
void* REAL(memalign)(std::size_t alignment, std::size_t size);

void* malloc(std::size_t size) noexcept {
  if (fails(Kind::malloc)) {
    errno = ENOMEM;
    return nullptr;
  }
  return REAL(malloc)(size);
}

void* calloc(std::size_t count, std::size_t size) noexcept {
  if (fails(Kind::malloc)) {
    errno = ENOMEM;
    return nullptr;
  }
  return REAL(calloc)(count, size);
}

void* realloc(void* old, std::size_t size) noexcept {
  if (fails(Kind::malloc)) {
    errno = ENOMEM;
    return nullptr;
  }
  return REAL(realloc)(old, size);
}

void* aligned_alloc(std::size_t alignment, std::size_t size) noexcept {
  if (fails(Kind::malloc)) {
    errno = ENOMEM;
    return nullptr;
  }
  return REAL(memalign)(alignment, size);
}

void* memalign(std::size_t alignment, std::size_t size) noexcept { return aligned_alloc(alignment, size); }

int posix_memalign(void** memory, std::size_t alignment, std::size_t size) noexcept {
  void* found = aligned_alloc(alignment, size);
  if (found == nullptr) {
    return ENOMEM;
  }
  *memory = found;
  return 0;
}

/// glibc 2.36 (Debian 12) crashes if memory runs out in dlopen, which oneTBB calls.
void* dlopen(const char* name, int mode) noexcept {
  const gpuimg::faults::Suspension suspended;
  static auto* const real_dlopen = reinterpret_cast<void* (*)(const char*, int)>(::dlsym(RTLD_NEXT, "dlopen"));
  return real_dlopen(name, mode);
}

/// Covers memory that oneTBB's allocator maps directly from the system, and files mapped for writing.
void* mmap(void* wanted, std::size_t size, int protection, int flags, int file, off_t offset) noexcept {
  const bool is_memory = (flags & MAP_ANONYMOUS) != 0;
  const bool is_output = !is_memory && (flags & MAP_SHARED) != 0;
  if ((is_memory && fails(Kind::mmap)) || (is_output && fails(Kind::map))) {
    errno = ENOMEM;
    return MAP_FAILED;
  }
  // NOLINTNEXTLINE: the system call returns an address as a number
  return reinterpret_cast<void*>(::syscall(SYS_mmap, wanted, size, protection, flags, file, offset));
}
}

// oneTBB takes memory for tasks from pools and from its own allocator, which seldom call the functions above.
namespace tbb::detail::r1 {

void* allocate(d1::small_object_pool*& pool, std::size_t bytes, const d1::execution_data& execution) {
  if (fails(Kind::task)) {
    throw std::bad_alloc();
  }
  using Allocate = void* (*)(d1::small_object_pool*&, std::size_t, const d1::execution_data&);
  static const auto real_allocate = reinterpret_cast<Allocate>(
      ::dlsym(RTLD_NEXT, "_ZN3tbb6detail2r18allocateERPNS0_2d117small_object_poolEmRKNS2_14execution_dataE"));
  return real_allocate(pool, bytes, execution);
}

/// With oneTBB 2022 (interface 12140 and later), nothing fails in this function, because oneTBB would deadlock after a
/// failed allocation (docs/reliability.md, "Known limits"). The symbol is the same in 2021.8 and 2022.
void initialize(d1::task_arena_base& arena) {
  constexpr int kFirstThatHangs = 12140;
  std::optional<gpuimg::faults::Suspension> suspended;
  if (TBB_runtime_interface_version() >= kFirstThatHangs) {
    suspended.emplace();
  }
  using Initialize = void (*)(d1::task_arena_base&);
  static const auto real_initialize =
      reinterpret_cast<Initialize>(::dlsym(RTLD_NEXT, "_ZN3tbb6detail2r110initializeERNS0_2d115task_arena_baseE"));
  real_initialize(arena);
}

}  // namespace tbb::detail::r1

// The standard operators call malloc, but a sanitizer's operators do not. These operators call malloc in every build.
namespace {

void* allocated(std::size_t size, std::size_t alignment) noexcept {
  return alignment <= __STDCPP_DEFAULT_NEW_ALIGNMENT__ ? malloc(size) : aligned_alloc(alignment, size);
}

void* allocated_or_thrown(std::size_t size, std::size_t alignment) {
  void* memory = allocated(size == 0 ? 1 : size, alignment);
  if (memory == nullptr) {
    throw std::bad_alloc();
  }
  return memory;
}

}  // namespace

void* operator new(std::size_t size) { return allocated_or_thrown(size, 1); }
void* operator new[](std::size_t size) { return allocated_or_thrown(size, 1); }
void* operator new(std::size_t size, std::align_val_t alignment) {
  return allocated_or_thrown(size, static_cast<std::size_t>(alignment));
}
void* operator new[](std::size_t size, std::align_val_t alignment) {
  return allocated_or_thrown(size, static_cast<std::size_t>(alignment));
}
void* operator new(std::size_t size, const std::nothrow_t&) noexcept { return allocated(size, 1); }
void* operator new[](std::size_t size, const std::nothrow_t&) noexcept { return allocated(size, 1); }
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete[](void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete[](void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete(void* memory, std::align_val_t) noexcept { std::free(memory); }
void operator delete[](void* memory, std::align_val_t) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t, std::align_val_t) noexcept { std::free(memory); }
void operator delete[](void* memory, std::size_t, std::align_val_t) noexcept { std::free(memory); }
