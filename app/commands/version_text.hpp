// What --version, `gpuimg version` and `gpuimg doctor` print about this build.
#pragma once

#include <string>

namespace gpuimg {

/// Version, commit, compiler, CUDA runtime and architectures, and libraries: one line each.
std::string version_text();

}  // namespace gpuimg
