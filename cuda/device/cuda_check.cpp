// Turns CUDA error codes into Errors. The kinds are described in include/gpuimg/error.hpp.
#include "device/cuda_check.hpp"

#include <string>

#include "gpuimg/error.hpp"

namespace gpuimg::cuda {
namespace {

ErrorKind kind_of(cudaError_t code) {
  switch (code) {
    case cudaErrorMemoryAllocation: return ErrorKind::out_of_memory;
    case cudaErrorNoDevice:
    case cudaErrorInsufficientDriver:
    case cudaErrorInitializationError:
    case cudaErrorInvalidDevice:
    case cudaErrorDevicesUnavailable:
    case cudaErrorSystemDriverMismatch:
    case cudaErrorSystemNotReady:
    case cudaErrorCompatNotSupportedOnDevice:
    case cudaErrorStubLibrary:
    case cudaErrorNoKernelImageForDevice:
    case cudaErrorUnsupportedPtxVersion: return ErrorKind::backend_unavailable;
    default: return ErrorKind::device_fault;
  }
}

const char* advice(cudaError_t code) {
  switch (code) {
    case cudaErrorMemoryAllocation: return "use a smaller image, or --backend cpu";
    case cudaErrorNoDevice:
      return "no device is visible to CUDA; look at CUDA_VISIBLE_DEVICES and 'nvidia-smi', or use --backend cpu";
    case cudaErrorInvalidDevice: return "choose one of the devices that 'gpuimg doctor' lists";
    case cudaErrorInsufficientDriver:
      return "there is no NVIDIA driver, or it is older than this build needs; update it, or use --backend cpu";
    case cudaErrorDevicesUnavailable: return "another process holds the device alone; wait, or use --backend cpu";
    case cudaErrorNoKernelImageForDevice:
    case cudaErrorUnsupportedPtxVersion:
      return "this build holds no code for the device; build with its architecture in CMAKE_CUDA_ARCHITECTURES, or use "
             "--backend cpu";
    default:
      return kind_of(code) == ErrorKind::backend_unavailable
                 ? "see 'gpuimg doctor', or use --backend cpu"
                 : "the device cannot be used any more in this run; try again, or use --backend cpu";
  }
}

}  // namespace

void cuda_check(cudaError_t code, const char* doing, std::source_location where) {
  if (code == cudaSuccess) {
    return;
  }
  (void)cudaGetLastError();  // an error that is not sticky must not show up in the next launch check
  std::string message = std::string("CUDA: while ") + doing + ": " + cudaGetErrorString(code);
  if (kind_of(code) == ErrorKind::device_fault) {
    message += std::string(" (") + cudaGetErrorName(code) + " in " + where.function_name() + ")";
  }
  throw Error(kind_of(code), message + "; " + advice(code));
}

void check_launch(const char* doing, std::source_location where) { cuda_check(cudaGetLastError(), doing, where); }

}  // namespace gpuimg::cuda
