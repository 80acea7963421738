// GPUIMG_VERSION and GPUIMG_COMMIT come from app/cli/CMakeLists.txt.
#include "cli/version.hpp"

#include <fmt/format.h>

namespace gpuimg {

std::string version_number() { return fmt::format("{} ({})", GPUIMG_VERSION, GPUIMG_COMMIT); }

}  // namespace gpuimg
