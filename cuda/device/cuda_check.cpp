// Converts CUDA error codes to Errors. The kinds are defined in include/gpuimg/error.hpp.
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
      return "no device is visible to CUDA; check CUDA_VISIBLE_DEVICES and 'nvidia-smi', or use --backend cpu";
    case cudaErrorInvalidDevice: return "use one of the devices listed by 'gpuimg doctor'";
    case cudaErrorInsufficientDriver:
      return "the NVIDIA driver is missing, or too old for this build; update it, or use --backend cpu";
    case cudaErrorDevicesUnavailable:
      return "another process has exclusive use of the device; try later, or use --backend cpu";
    case cudaErrorNoKernelImageForDevice:
    case cudaErrorUnsupportedPtxVersion:
      return "this build contains no code for the device; add its architecture to CMAKE_CUDA_ARCHITECTURES, or use "
             "--backend cpu";
    default:
      return kind_of(code) == ErrorKind::backend_unavailable
                 ? "see 'gpuimg doctor', or use --backend cpu"
                 : "this run can no longer use the device; try again, or use --backend cpu";
  }
}

}  // namespace

void cuda_check(cudaError_t code, const char* doing, std::source_location where) {
  if (code == cudaSuccess) {
    return;
  }
  (void)cudaGetLastError();  // otherwise a non-sticky error would reappear in the next launch check
  std::string message = std::string("CUDA: while ") + doing + ": " + cudaGetErrorString(code);
  if (kind_of(code) == ErrorKind::device_fault) {
    message += std::string(" (") + cudaGetErrorName(code) + " in " + where.function_name() + ")";
  }
  throw Error(kind_of(code), message + "; " + advice(code));
}

void check_launch(const char* doing, std::source_location where) { cuda_check(cudaGetLastError(), doing, where); }

}  // namespace gpuimg::cuda
