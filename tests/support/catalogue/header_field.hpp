// A number in a file header, and the value that makes the file invalid.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "support/file_bytes.hpp"

namespace gpuimg::test {

struct HeaderField {
  const char* what;  ///< part of the file name
  std::size_t offset;
  std::uint32_t value;
  const char* words;  ///< part of the error
  int bytes = 1;      ///< size of the number, which is little-endian
};

inline FileBytes with_field(FileBytes file, const HeaderField& field) {
  FileBytes number;
  add_le(number, field.value, field.bytes);
  std::copy(number.begin(), number.end(), file.begin() + static_cast<std::ptrdiff_t>(field.offset));
  return file;
}

}  // namespace gpuimg::test
