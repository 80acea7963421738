// Opens the OpenCL loader.
#include "device/api.hpp"

#include <dlfcn.h>

#include "gpuimg/error.hpp"

namespace gpuimg::opencl {

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

}  // namespace gpuimg::opencl
