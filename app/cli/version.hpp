// `gpuimg --version`.
#pragma once

#include <string>

namespace gpuimg {

/// Version, commit, compiler, CUDA runtime and architectures, libraries: a line each.
std::string version_text();

/// "0.1.0 (94e52ff)".
std::string version_number();

}  // namespace gpuimg
