// Reads an input whole into memory. Not mapped: a file that shrinks while it is read must not end the process.
#pragma once

#include <string>

#include "io/bytes.hpp"

namespace gpuimg {

/// `path` names a regular file, or is "-" for standard input. Throws Error{read} naming the path (escaped for a
/// terminal) and the reason; a fifo, device or folder is refused. Throws Error{out_of_memory}.
Bytes read_input(const std::string& path);

/// What to say of a name that cannot be opened: "NAME: cannot be read: reason; what to do".
std::string cannot_be_read(const std::string& path, int error_number);

}  // namespace gpuimg
