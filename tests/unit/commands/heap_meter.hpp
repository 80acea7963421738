// Counts the memory that this process has allocated, in every library.
#pragma once

#include <cstddef>

namespace gpuimg::test {

/// False if a sanitizer brings its own allocator.
bool heap_is_metered();

/// The largest number of bytes that were allocated at a time since this object was made, without those allocated
/// before.
class HeapMeter {
 public:
  HeapMeter();
  [[nodiscard]] std::size_t peak() const;

 private:
  std::size_t before_;
};

}  // namespace gpuimg::test
