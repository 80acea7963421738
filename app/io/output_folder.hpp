// Creates the folders of a mirrored output tree.
#pragma once

#include <cstddef>
#include <string>

namespace gpuimg {

/// Creates the parent folders of `path` if they are missing. Safe to call from many threads and processes at once.
/// Throws Error{write}.
void make_folder_of(const std::string& path);

}  // namespace gpuimg
