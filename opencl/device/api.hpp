// The functions of OpenCL 1.2 that the backend calls, from a loader that is opened when asked for, and what their error
// codes mean. The executable does not link the loader, so it also starts where there is none.
#pragma once

#define CL_TARGET_OPENCL_VERSION 120
#define CL_USE_DEPRECATED_OPENCL_1_1_APIS
#include <CL/cl.h>

#include <memory>
#include <string>

namespace gpuimg::opencl {

#define GPUIMG_OPENCL_FUNCTIONS(each) \
  each(BuildProgram);                 \
  each(CreateBuffer);                 \
  each(CreateCommandQueue);           \
  each(CreateContext);                \
  each(CreateKernel);                 \
  each(CreateProgramWithBinary);      \
  each(CreateProgramWithSource);      \
  each(EnqueueCopyBuffer);            \
  each(EnqueueFillBuffer);            \
  each(EnqueueMapBuffer);             \
  each(EnqueueNDRangeKernel);         \
  each(EnqueueReadBuffer);            \
  each(EnqueueReadBufferRect);        \
  each(EnqueueUnmapMemObject);        \
  each(EnqueueWriteBuffer);           \
  each(EnqueueWriteBufferRect);       \
  each(Finish);                       \
  each(GetDeviceIDs);                 \
  each(GetDeviceInfo);                \
  each(GetPlatformIDs);               \
  each(GetPlatformInfo);              \
  each(GetProgramBuildInfo);          \
  each(GetProgramInfo);               \
  each(ReleaseCommandQueue);          \
  each(ReleaseContext);               \
  each(ReleaseKernel);                \
  each(ReleaseMemObject);             \
  each(ReleaseProgram);               \
  each(SetKernelArg)

/// One member for each function, without its prefix: api.Finish(queue).
struct Api {
#define GPUIMG_OPENCL_MEMBER(name) decltype(&cl##name) name = nullptr
  GPUIMG_OPENCL_FUNCTIONS(GPUIMG_OPENCL_MEMBER);
#undef GPUIMG_OPENCL_MEMBER
};

/// Opens the loader; an empty name means libOpenCL.so.1. It stays open until the process ends: drivers start threads.
/// Throws Error{backend_unavailable}.
Api open_api(const std::string& library);

/// Throws Error{out_of_memory, backend_unavailable or device_fault} unless the code is CL_SUCCESS. `doing` completes
/// "while …".
void cl_check(cl_int code, const char* doing);

/// True for the codes that report too little memory. Drivers also report a lost device by CL_OUT_OF_RESOURCES, so it
/// counts as memory only where memory is allocated.
bool is_out_of_memory(cl_int code);

}  // namespace gpuimg::opencl
