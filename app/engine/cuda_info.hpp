// Describes CUDA: what is built in, the driver and the devices. In a build without CUDA, says so.
#pragma once

#include <string>

namespace gpuimg {

/// One line, without touching the driver: "CUDA runtime 13.0, code for sm_75 sm_90", or "CUDA none: built without it".
std::string cuda_build_text();

/// The built-in versions and that of the driver; says so if there is no driver or CUDA is not built in.
std::string cuda_version_info();

/// False if there can be no CUDA device: no driver has made its device file, or CUDA_VISIBLE_DEVICES is empty. Does not
/// touch the driver.
bool cuda_device_may_be_there();

/// One line per device. Throws Error{backend_unavailable} that names what is missing.
std::string cuda_device_info();

}  // namespace gpuimg
