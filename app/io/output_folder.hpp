// The folders that a mirrored tree of outputs needs.
#pragma once

#include <cstddef>
#include <string>

namespace gpuimg {

/// Creates the folder that `path` lies in, and those above it, where they are missing. Many threads and processes may
/// do so at once. Throws Error{write}.
void make_folder_of(const std::string& path);

}  // namespace gpuimg
