// What to tell a person whose output cannot be written.
#pragma once

#include <string>

namespace gpuimg {

/// Throws Error{write} reading "path: cannot write: why; what to do", the path made printable.
[[noreturn]] void fail_writing(const std::string& path, const std::string& why_and_what_to_do);

/// "why; what to do" for an errno of open, write, close, rename and the like.
std::string write_advice(int error);

}  // namespace gpuimg
