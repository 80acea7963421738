// Reads a whole input into memory. Not memory-mapped: a file that shrinks during the read must not crash the process
// (SIGBUS).
#pragma once

#include <string>

#include "io/bytes.hpp"

namespace gpuimg {

/// `path` is a regular file, or "-" for standard input. Throws Error{read} with the escaped path and the reason, also
/// for a fifo, device or folder. Throws Error{out_of_memory}.
Bytes read_input(const std::string& path);

/// The message for a file that cannot be opened: "NAME: cannot be read: reason; what to do".
std::string cannot_be_read(const std::string& path, int error_number);

}  // namespace gpuimg
