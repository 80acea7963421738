// `gpuimg --version`.
#pragma once

#include <string>

namespace gpuimg {

/// Version, commit, compiler, CUDA runtime and architectures, libraries: a line each.
std::string version_text();

}  // namespace gpuimg
