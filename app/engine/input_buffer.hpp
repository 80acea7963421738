// Memory that the files of one worker are read into, one after another: page-locked if its backend has such memory, so
// that coded bytes reach the device without a copy on the host.
#pragma once

#include <cstddef>
#include <memory>

#include "gpuimg/backend.hpp"
#include "io/bytes.hpp"

namespace gpuimg {

class InputBuffer {
 public:
  /// At least `bytes` bytes, which come back when the result is destroyed. Null if they are lent already, or too many.
  /// Throws Error{out_of_memory}.
  ByteMemory lend(Backend& backend, std::size_t bytes);

 private:
  std::shared_ptr<Image> memory_;  ///< also held by what is lent
};

}  // namespace gpuimg
