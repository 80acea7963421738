// Converts OpenCL error codes to Errors. The kinds are defined in include/gpuimg/error.hpp.
#pragma once

#include "device/api.hpp"

namespace gpuimg::opencl {

/// Throws Error{out_of_memory, backend_unavailable or device_fault} unless the code is CL_SUCCESS. `doing` completes
/// "while …".
void cl_check(cl_int code, const char* doing);

/// True for the codes that report too little memory. Drivers also report a lost device by CL_OUT_OF_RESOURCES, so it
/// counts as memory only where memory is allocated.
bool is_out_of_memory(cl_int code);

}  // namespace gpuimg::opencl
