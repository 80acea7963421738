// Opens the OpenCL loader, and converts OpenCL error codes to Errors. The kinds are defined in
// include/gpuimg/error.hpp.
#include "device/api.hpp"

#include <dlfcn.h>

#include <algorithm>
#include <array>
#include <string>
#include <utility>

#include "gpuimg/error.hpp"

namespace gpuimg::opencl {
namespace {

std::string text_of(cl_int code) {
  constexpr std::array<std::pair<cl_int, const char*>, 10> kTexts = {{
      {CL_DEVICE_NOT_FOUND, "device not found"},
      {CL_DEVICE_NOT_AVAILABLE, "device not available"},
      {CL_COMPILER_NOT_AVAILABLE, "compiler not available"},
      {CL_MEM_OBJECT_ALLOCATION_FAILURE, "out of device memory"},
      {CL_OUT_OF_RESOURCES, "out of resources, or the device is lost"},
      {CL_OUT_OF_HOST_MEMORY, "out of host memory"},
      {CL_BUILD_PROGRAM_FAILURE, "the program does not compile"},
      {CL_INVALID_BUFFER_SIZE, "buffer too large"},
      {CL_INVALID_WORK_GROUP_SIZE, "work-group too large"},
      {CL_INVALID_COMMAND_QUEUE, "invalid command queue"},
  }};
  const auto* found =
      std::find_if(kTexts.begin(), kTexts.end(), [code](const auto& each) { return each.first == code; });
  return (found != kTexts.end() ? std::string(found->second) + ", " : "") + "error " + std::to_string(code);
}

ErrorKind kind_of(cl_int code) {
  switch (code) {
    case CL_DEVICE_NOT_FOUND:
    case CL_DEVICE_NOT_AVAILABLE:
    case CL_COMPILER_NOT_AVAILABLE: return ErrorKind::backend_unavailable;
    default: return is_out_of_memory(code) ? ErrorKind::out_of_memory : ErrorKind::device_fault;
  }
}

const char* advice(ErrorKind kind) {
  switch (kind) {
    case ErrorKind::out_of_memory: return "use a smaller image, or --backend cpu";
    case ErrorKind::backend_unavailable: return "see 'gpuimg doctor', or use --backend cpu";
    default: return "this run can no longer use the device; try again, or use --backend cpu";
  }
}

}  // namespace

Api open_api(const std::string& library) {
  const std::string name = library.empty() ? "libOpenCL.so.1" : library;
  void* loader = ::dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
  if (loader == nullptr) {
    throw Error(ErrorKind::backend_unavailable,
                "no OpenCL device: the loader " + name +
                    " cannot be opened; install it (Debian: ocl-icd-libopencl1) and a driver, or use --backend cpu");
  }
  Api api;
  const auto find = [&](const char* function) {
    void* address = ::dlsym(loader, function);
    if (address == nullptr) {
      throw Error(ErrorKind::backend_unavailable, "no OpenCL device: the loader " + name +
                                                      " is older than OpenCL 1.2 (" + function +
                                                      " is missing); update it, or use --backend cpu");
    }
    return address;
  };
#define GPUIMG_OPENCL_FIND(name) api.name = reinterpret_cast<decltype(&cl##name)>(find("cl" #name))
  GPUIMG_OPENCL_FUNCTIONS(GPUIMG_OPENCL_FIND);
#undef GPUIMG_OPENCL_FIND
  return api;
}

bool is_out_of_memory(cl_int code) { return code == CL_MEM_OBJECT_ALLOCATION_FAILURE || code == CL_OUT_OF_HOST_MEMORY; }

void cl_check(cl_int code, const char* doing) {
  if (code != CL_SUCCESS) {
    const ErrorKind kind = kind_of(code);
    throw Error(kind, std::string("OpenCL: while ") + doing + ": " + text_of(code) + "; " + advice(kind));
  }
}

}  // namespace gpuimg::opencl
