// Implements gpuimg/opencl.hpp in a build without OpenCL: every call reports that OpenCL is missing.
#include "gpuimg/opencl.hpp"

namespace gpuimg {
namespace {

[[noreturn]] void reject() {
  throw Error(ErrorKind::backend_unavailable,
              "no OpenCL backend: this gpuimg was built without it; use --backend cpu, or build with the OpenCL "
              "headers installed and -DGPUIMG_OPENCL=ON");
}

}  // namespace

bool is_opencl_built_in() { return false; }

std::vector<OpenclDevice> opencl_devices() { reject(); }

void check_opencl_device(int /*device*/) { reject(); }

std::unique_ptr<Backend> make_opencl_backend(const OpenclOptions& /*options*/) { reject(); }

}  // namespace gpuimg
