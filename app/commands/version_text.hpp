// What --version, `gpuimg version` and `gpuimg doctor` print about this build.
#pragma once

#include <string>

namespace gpuimg {

/// Version, commit, compiler, CUDA runtime and architectures, and libraries: one line each.
std::string version_text();

/// What reads HEIC and AVIF: the library and its codecs, or why there is none.
std::string heif_reader();

}  // namespace gpuimg
