// Implements gpuimg/cuda.hpp in a build without CUDA: every call reports that CUDA is missing.
#include "gpuimg/cuda.hpp"

namespace gpuimg {
namespace {

[[noreturn]] void reject() {
  throw Error(ErrorKind::backend_unavailable,
              "no CUDA backend: this gpuimg was built without it; use --backend cpu, or build with the CUDA Toolkit "
              "installed and -DGPUIMG_CUDA=ON");
}

}  // namespace

CudaVersions cuda_versions(bool /*ask_driver*/) { return {}; }

int cuda_device_count() { reject(); }

std::vector<CudaDevice> cuda_devices() { reject(); }

void check_cuda_device(int /*device*/) { reject(); }

std::unique_ptr<Backend> make_cuda_backend(int /*device*/) { reject(); }

std::unique_ptr<Backend> make_cuda_backend(int /*device*/, int /*number*/) { reject(); }

const void* cuda_pixels(const Picture& /*picture*/) { reject(); }

int cuda_device_of(const void* /*pixels*/) { reject(); }

Picture copy_cuda_pixels(Backend& /*backend*/, ConstView /*pixels*/) { reject(); }

void wait_for_cuda_device(int /*device*/) noexcept {}

KeptCudaDevice::KeptCudaDevice() noexcept : outer_(nullptr) {}

KeptCudaDevice::~KeptCudaDevice() {  // clang warns about unused private members
  (void)outer_;
  (void)before_;
}

void KeptCudaDevice::note_change() noexcept {}

}  // namespace gpuimg
