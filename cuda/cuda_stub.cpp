// Implements gpuimg/cuda.hpp in a build without CUDA: every call reports that CUDA is missing.
#include "gpuimg/cuda.hpp"

namespace gpuimg {
namespace {

[[noreturn]] void refuse() {
  throw Error(ErrorKind::backend_unavailable,
              "no CUDA backend: this gpuimg was built without it; use --backend cpu, or build with the CUDA Toolkit "
              "installed and -DGPUIMG_CUDA=ON");
}

}  // namespace

CudaVersions cuda_versions(bool /*ask_driver*/) { return {}; }

int cuda_device_count() { refuse(); }

std::vector<CudaDevice> cuda_devices() { refuse(); }

void check_cuda_device(int /*device*/) { refuse(); }

std::unique_ptr<Backend> make_cuda_backend(int /*device*/) { refuse(); }

std::unique_ptr<Backend> make_cuda_backend(int /*device*/, int /*number*/) { refuse(); }

const void* cuda_pixels(const Picture& /*picture*/) { refuse(); }

int cuda_device_of(const void* /*pixels*/) { refuse(); }

Picture copy_cuda_pixels(Backend& /*backend*/, ConstView /*pixels*/) { refuse(); }

void wait_for_cuda_device(int /*device*/) noexcept {}

KeptCudaDevice::KeptCudaDevice() noexcept : outer_(nullptr) {}

KeptCudaDevice::~KeptCudaDevice() {  // clang warns of private members without use
  (void)outer_;
  (void)before_;
}

void KeptCudaDevice::note_change() noexcept {}

}  // namespace gpuimg
