// Counts the memory that this process allocates, in all libraries.
#pragma once

#include <cstddef>

namespace gpuimg::test {

/// False if a sanitizer replaces the allocator.
bool heap_is_metered();

/// The peak of the allocated bytes since this object was created, not counting earlier allocations.
class HeapMeter {
 public:
  HeapMeter();
  [[nodiscard]] std::size_t peak() const;

 private:
  std::size_t before_;
};

}  // namespace gpuimg::test
