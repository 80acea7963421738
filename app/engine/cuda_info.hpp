// What is to be said of CUDA: what is built in, the driver, the devices. Without CUDA it says that there is none.
#pragma once

#include <string>

namespace gpuimg {

/// One line, without touching the driver: "CUDA runtime 13.0, code for sm_75 sm_90", or "CUDA none: built without it".
std::string cuda_build_text();

/// The versions that are built in and of the driver, or that there is no driver, or that CUDA is not built in.
std::string cuda_version_facts();

/// False where no CUDA device can be: the driver has made no device file, or CUDA_VISIBLE_DEVICES is empty. Touches no
/// driver.
bool cuda_device_may_be_there();

/// A line for each device. Throws Error{backend_unavailable} that names what is missing.
std::string cuda_device_facts();

}  // namespace gpuimg
