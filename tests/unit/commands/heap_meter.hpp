// Counts the memory that this process allocates, in all libraries.
#pragma once

#include <cstddef>

namespace gpuimg::test {

/// False if a sanitizer replaces the allocator.
bool heap_is_metered();

/// The maximum number of bytes allocated at a time since this object was created, without earlier allocations.
class HeapMeter {
 public:
  HeapMeter();
  [[nodiscard]] std::size_t peak() const;

 private:
  std::size_t before_;
};

}  // namespace gpuimg::test
