// Whether the libjpeg that is loaded is the one that gpuimg was compiled for.
#pragma once

#include <cstddef>
#include <string>

namespace gpuimg::codecs {

/// One sentence with the version that is loaded, the one that gpuimg was built for, and what to do; empty if they fit
/// together.
std::string jpeg_library_problem();

/// The same for a program built for another interface, for tests.
std::string jpeg_library_problem(int built_version, std::size_t built_struct_bytes);

}  // namespace gpuimg::codecs
