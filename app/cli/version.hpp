// The version of this build.
#pragma once

#include <string>

namespace gpuimg {

/// "0.2.0 (94e52ff)": version and commit.
std::string version_number();

}  // namespace gpuimg
