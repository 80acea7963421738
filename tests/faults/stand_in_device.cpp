// A fake CUDA runtime for machines without a device. Device memory is host memory and copies work, but kernels do
// nothing, so results are arbitrary. It serves to test the host side: error detection, and the state after faults.
// There are two devices, or as many as CUDA_VISIBLE_DEVICES lists; if one is lost, all are lost. GPUIMG_STAND_IN names
// a reason why CUDA does not start: no_driver, old_driver, no_code (for the device), no_code_for_old (the device is
// old) or old_ptx (the driver cannot compile the build's PTX).
#include <cuda_runtime_api.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <cstring>
#include <map>
#include <mutex>

#include "planted_fault.hpp"

namespace {

constexpr int kDevices = 2;
constexpr int kFill = 1;  // initial content of memory; shows if a copy is missing
constexpr std::size_t kBytes = std::size_t{4} << 30;
std::atomic<bool> is_lost = false;

cudaError_t state() { return is_lost ? cudaErrorIllegalAddress : cudaSuccess; }

bool starts_as(const char* reason) {
  const char* wanted = std::getenv("GPUIMG_STAND_IN");
  return wanted != nullptr && std::strcmp(wanted, reason) == 0;
}

cudaError_t allocate(void** memory, std::size_t bytes) {
  if (is_lost) {
    return cudaErrorIllegalAddress;
  }
  *memory = bytes <= kBytes ? std::malloc(bytes) : nullptr;
  if (*memory == nullptr) {
    return cudaErrorMemoryAllocation;
  }
  std::memset(*memory, kFill, bytes);
  return cudaSuccess;
}

cudaError_t release(void* memory) {
  std::free(memory);
  return state();
}

template <class Handle>
cudaError_t create(Handle* handle) {
  return allocate(reinterpret_cast<void**>(handle), 1);
}

}  // namespace

namespace gpuimg::faults {

void launch_illegal_write(cudaStream_t) { is_lost = true; }

}  // namespace gpuimg::faults

#define DOES_NOTHING(name, ...) \
  cudaError_t name(__VA_ARGS__) { return state(); }

extern "C" {

cudaError_t cudaMallocHost(void** memory, size_t bytes) { return allocate(memory, bytes); }
cudaError_t cudaFreeHost(void* memory) { return release(memory); }
DOES_NOTHING(cudaHostRegister, void*, size_t, unsigned)
DOES_NOTHING(cudaHostUnregister, void*)
cudaError_t cudaPointerGetAttributes(cudaPointerAttributes* attributes, const void*) {
  *attributes = cudaPointerAttributes{};
  attributes->type = cudaMemoryTypeUnregistered;
  return state();
}
cudaError_t cudaMallocFromPoolAsync(void** memory, size_t bytes, cudaMemPool_t, cudaStream_t) {
  return allocate(memory, bytes);
}
cudaError_t cudaFreeAsync(void* memory, cudaStream_t) { return release(memory); }
cudaError_t cudaDeviceGetDefaultMemPool(cudaMemPool_t* pool, int) {
  *pool = nullptr;
  return state();
}
DOES_NOTHING(cudaMemPoolSetAttribute, cudaMemPool_t, cudaMemPoolAttr, void*)
DOES_NOTHING(cudaMemPoolTrimTo, cudaMemPool_t, size_t)
cudaError_t cudaMemPoolGetAttribute(cudaMemPool_t, cudaMemPoolAttr, void* value) {
  std::memset(value, 0, sizeof(std::uint64_t));
  return state();
}
cudaError_t cudaMemGetInfo(size_t* free, size_t* total) {
  *free = *total = kBytes;
  return state();
}

cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned) { return create(stream); }
cudaError_t cudaStreamDestroy(cudaStream_t stream) { return release(stream); }
DOES_NOTHING(cudaStreamSynchronize, cudaStream_t)
DOES_NOTHING(cudaDeviceSynchronize)
cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned) { return create(event); }
cudaError_t cudaEventDestroy(cudaEvent_t event) { return release(event); }
DOES_NOTHING(cudaEventRecord, cudaEvent_t, cudaStream_t)
DOES_NOTHING(cudaEventSynchronize, cudaEvent_t)
cudaError_t cudaEventElapsedTime(float* ms, cudaEvent_t, cudaEvent_t) {
  *ms = 1.0F;
  return state();
}

cudaError_t cudaMemcpyAsync(void* to, const void* from, size_t bytes, cudaMemcpyKind, cudaStream_t) {
  if (!is_lost) {
    std::memcpy(to, from, bytes);
  }
  return state();
}
cudaError_t cudaMemcpy2DAsync(void* to, size_t to_pitch, const void* from, size_t from_pitch, size_t width,
                              size_t height, cudaMemcpyKind, cudaStream_t) {
  for (std::size_t y = 0; y < height && !is_lost; ++y) {
    std::memcpy(static_cast<char*>(to) + y * to_pitch, static_cast<const char*>(from) + y * from_pitch, width);
  }
  return state();
}
cudaError_t cudaMemsetAsync(void* to, int value, size_t bytes, cudaStream_t) {
  if (!is_lost) {
    std::memset(to, value, bytes);
  }
  return state();
}
cudaError_t cudaMemset2DAsync(void* to, size_t pitch, int value, size_t width, size_t height, cudaStream_t) {
  for (std::size_t y = 0; y < height && !is_lost; ++y) {
    std::memset(static_cast<char*>(to) + y * pitch, value, width);
  }
  return state();
}

cudaError_t cudaGetDeviceCount(int* count) {
  if (starts_as("no_driver") || starts_as("old_driver")) {
    return cudaErrorInsufficientDriver;
  }
  const char* visible = std::getenv("CUDA_VISIBLE_DEVICES");
  *count =
      visible == nullptr ? kDevices : static_cast<int>(1 + std::count(visible, visible + std::strlen(visible), ','));
  return state();
}
cudaError_t cudaGetDeviceProperties(cudaDeviceProp* properties, int) {
  *properties = cudaDeviceProp{};
  std::strcpy(properties->name, "stand-in");
  properties->major = starts_as("no_code_for_old") ? 6 : 8;
  properties->minor = starts_as("no_code_for_old") ? 1 : 7;
  return state();
}
cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr what, int) {
  *value = what == cudaDevAttrMultiProcessorCount ? 4 : 227 * 1024;
  return state();
}
thread_local int current_device = 0;
cudaError_t cudaSetDevice(int device) {
  current_device = device;
  return state();
}
cudaError_t cudaGetDevice(int* device) {
  *device = current_device;
  return state();
}
cudaError_t cudaDriverGetVersion(int* version) {
  *version = starts_as("no_driver") ? 0 : starts_as("old_driver") || starts_as("old_ptx") ? 11040 : CUDART_VERSION;
  return cudaSuccess;
}
cudaError_t cudaFuncGetAttributes(cudaFuncAttributes* attributes, const void*) {
  *attributes = cudaFuncAttributes{};
  if (starts_as("no_code") || starts_as("no_code_for_old")) {
    return cudaErrorNoKernelImageForDevice;
  }
  return starts_as("old_ptx") ? cudaErrorUnsupportedPtxVersion : state();
}
// Rejects a second value for a kernel: all threads share a kernel's settings, so a value per launch would overwrite the
// value that another thread has just set.
cudaError_t cudaFuncSetAttribute(const void* kernel, cudaFuncAttribute, int value) {
  static std::mutex mutex;
  static std::map<const void*, int> values;
  const std::lock_guard lock(mutex);
  const bool is_constant = values.try_emplace(kernel, value).first->second == value;
  return is_constant || is_lost ? state() : cudaErrorInvalidValue;
}
cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, const void*, int, size_t) {
  *blocks = 1;
  return state();
}
cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int* blocks, const void*, int, size_t, unsigned) {
  *blocks = 1;
  return state();
}

// The driver has no function to look up.
#if CUDART_VERSION >= 12050
cudaError_t cudaGetDriverEntryPointByVersion(const char*, void** function, unsigned, unsigned long long,
                                             cudaDriverEntryPointQueryResult* found) {
#else
cudaError_t cudaGetDriverEntryPoint(const char*, void** function, unsigned long long,
                                    cudaDriverEntryPointQueryResult* found) {
#endif
  *function = nullptr;
  *found = cudaDriverEntryPointSymbolNotFound;
  return state();
}

DOES_NOTHING(cudaLaunchKernel, const void*, dim3, dim3, void**, size_t, cudaStream_t)
DOES_NOTHING(__cudaLaunchKernel, cudaKernel_t, dim3, dim3, void**, size_t, cudaStream_t)
DOES_NOTHING(cudaLaunchKernelExC, const cudaLaunchConfig_t*, const void*, void**)
DOES_NOTHING(cudaLaunchCooperativeKernel, const void*, dim3, dim3, void**, size_t, cudaStream_t)
cudaError_t cudaGetLastError() { return state(); }
const char* cudaGetErrorName(cudaError_t) { return "stand-in error"; }
const char* cudaGetErrorString(cudaError_t) { return "stand-in error"; }

// Functions that nvcc's generated code calls for every file with kernels and every launch.
thread_local cudaStream_t launch_stream = nullptr;
unsigned __cudaPushCallConfiguration(dim3, dim3, size_t, CUstream_st* stream) {
  launch_stream = stream;
  return 0;
}
cudaError_t __cudaPopCallConfiguration(dim3*, dim3*, size_t*, void* stream) {
  *static_cast<cudaStream_t*>(stream) = launch_stream;
  return cudaSuccess;
}
cudaError_t __cudaGetKernel(cudaKernel_t*, const void*) { return cudaSuccess; }
void** __cudaRegisterFatBinary(void*) { return nullptr; }
void __cudaRegisterFatBinaryEnd(void**) {}
void __cudaUnregisterFatBinary(void**) {}
void __cudaRegisterFunction(void**, const char*, char*, const char*, int, uint3*, uint3*, dim3*, dim3*, int*) {}
void __cudaRegisterVar(void**, char*, char*, const char*, int, size_t, int, int) {}
char __cudaInitModule(void**) { return 0; }
}
