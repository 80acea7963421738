// Lists devices, driver and runtime. The interface is include/gpuimg/cuda.hpp.
#include <cuda_runtime_api.h>

#include "device/cuda_check.hpp"
#include "gpuimg/cuda.hpp"

namespace gpuimg {
namespace cuda {
namespace {

int driver_version() {
  int version = 0;
  if (cudaDriverGetVersion(&version) != cudaSuccess) {
    (void)cudaGetLastError();
    return 0;
  }
  return version;
}

std::string version_text(int version) {
  return std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10);
}

int device_count() {
  int count = 0;
  const cudaError_t code = cudaGetDeviceCount(&count);
  const int driver = driver_version();
  if (code == cudaErrorInsufficientDriver && driver == 0) {
    (void)cudaGetLastError();
    throw Error(ErrorKind::backend_unavailable,
                "no CUDA device: the NVIDIA driver is not loaded; install it, or use --backend cpu");
  }
  if (code == cudaErrorInsufficientDriver) {
    (void)cudaGetLastError();
    throw Error(ErrorKind::backend_unavailable, "no CUDA device: the driver supports CUDA " + version_text(driver) +
                                                    " and this build needs " + version_text(CUDART_VERSION) +
                                                    "; update the driver, or use --backend cpu");
  }
  if (code == cudaErrorNoDevice || (code == cudaSuccess && count == 0)) {
    (void)cudaGetLastError();
    throw Error(
        ErrorKind::backend_unavailable,
        "no CUDA device: the driver reports none; check 'nvidia-smi' and CUDA_VISIBLE_DEVICES (an empty or wrong value "
        "hides all devices), or use --backend cpu");
  }
  cuda_check(code, "counting devices");
  return count;
}

}  // namespace

}  // namespace cuda

CudaVersions cuda_versions(bool ask_driver) {
  CudaVersions versions;
  versions.runtime = CUDART_VERSION;
  versions.driver = ask_driver ? cuda::driver_version() : 0;
  versions.architectures = GPUIMG_CUDA_ARCHITECTURES;
  return versions;
}

int cuda_device_count() { return cuda::device_count(); }

std::vector<CudaDevice> cuda_devices() {
  std::vector<CudaDevice> devices;
  const int count = cuda::device_count();
  for (int index = 0; index < count; ++index) {
    cudaDeviceProp properties{};
    cuda::cuda_check(cudaGetDeviceProperties(&properties, index), "reading a device's properties");
    CudaDevice device;
    device.index = index;
    device.name = properties.name;
    device.compute_major = properties.major;
    device.compute_minor = properties.minor;
    device.multiprocessors = properties.multiProcessorCount;
    cuda::cuda_check(cudaSetDevice(index), "selecting a device");
    cuda::cuda_check(cudaMemGetInfo(&device.free_bytes, &device.total_bytes), "reading a device's memory");
    devices.push_back(std::move(device));
  }
  return devices;
}

void check_cuda_device(int device) {
  const int count = cuda::device_count();
  if (device < 0 || device >= count) {
    throw Error(ErrorKind::backend_unavailable,
                "CUDA: there is no device " + std::to_string(device) + "; " +
                    (count == 1 ? "the only one is device 0" : "choose one from 0 to " + std::to_string(count - 1)));
  }
}

}  // namespace gpuimg
