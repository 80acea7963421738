// Counts what this process has allocated, of every library.
#pragma once

#include <cstddef>

namespace gpuimg::test {

/// False where a sanitizer has the allocator.
bool heap_is_metered();

/// The most bytes that were allocated at a time since the object was made, beyond those that were before.
class HeapMeter {
 public:
  HeapMeter();
  [[nodiscard]] std::size_t peak() const;

 private:
  std::size_t before_;
};

}  // namespace gpuimg::test
