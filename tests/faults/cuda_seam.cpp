// Fault injection for CUDA: wrappers of the runtime calls that gpuimg makes. Each wrapper fails on request. The linker
// redirects the calls listed below (--wrap), including launches with <<<>>>. Kinds: tests/faults/README.md.
#include <cuda_runtime_api.h>

#include <atomic>

#include "fault_plan.hpp"
#include "planted_fault.hpp"

using gpuimg::faults::fails;
using gpuimg::faults::Kind;
using Properties = cudaDeviceProp;
using Launch = cudaLaunchConfig_t;

namespace {

// As in the runtime, an error that is not sticky stays with the calling thread until the thread reads it.
thread_local cudaError_t last_error = cudaSuccess;
std::atomic<bool> is_lost = false;

/// The error that the runtime reports for this kind. Only cudaErrorMemoryAllocation leaves the device usable.
cudaError_t error_of(Kind kind) {
  switch (kind) {
    case Kind::cuda_memory: return cudaErrorMemoryAllocation;
    case Kind::cuda_create: return cudaErrorOperatingSystem;
    case Kind::cuda_launch: return cudaErrorLaunchOutOfResources;
    case Kind::cuda_wait: return cudaErrorECCUncorrectable;
    case Kind::cuda_query: return cudaErrorDevicesUnavailable;
    default: return cudaErrorUnknown;
  }
}

/// The error to return instead of making the call; cudaSuccess if the call should be made.
cudaError_t fault_in(Kind kind) {
  if (fails(Kind::cuda_lost)) {
    is_lost = true;  // a sticky error: later calls fail, whatever the plan says about them
  }
  if (is_lost) {
    return cudaErrorIllegalAddress;
  }
  if (fails(kind)) {
    last_error = error_of(kind);
    return last_error;
  }
  return cudaSuccess;
}

void plant(cudaStream_t stream) {
  if (fails(Kind::cuda_planted)) {
    const gpuimg::faults::Suspension suspended;
    gpuimg::faults::launch_illegal_write(stream);
  }
}

}  // namespace

extern "C" {

cudaError_t __real_cudaGetLastError();
cudaError_t __wrap_cudaGetLastError();
cudaError_t __wrap_cudaGetLastError() {
  if (is_lost) {
    return cudaErrorIllegalAddress;
  }
  const cudaError_t simulated = last_error;
  last_error = cudaSuccess;
  return simulated != cudaSuccess ? simulated : __real_cudaGetLastError();
}

#define DECLARED(name, parameters)      \
  cudaError_t __real_##name parameters; \
  cudaError_t __wrap_##name parameters; \
  cudaError_t __wrap_##name parameters

#define SEAM(kind, name, parameters, arguments)                    \
  DECLARED(name, parameters) {                                     \
    const cudaError_t fault = fault_in(Kind::kind);                \
    return fault != cudaSuccess ? fault : __real_##name arguments; \
  }

#define SEAM_OF_LAUNCH(name, stream, parameters, arguments) \
  DECLARED(name, parameters) {                              \
    const cudaError_t fault = fault_in(Kind::cuda_launch);  \
    if (fault != cudaSuccess) {                             \
      return fault;                                         \
    }                                                       \
    plant(stream);                                          \
    return __real_##name arguments;                         \
  }

// One call per line; CMakeLists.txt and check_cuda_seam parse these lines.
// clang-format off
SEAM(cuda_memory, cudaMallocHost, (void** p, size_t n), (p, n))
SEAM(cuda_memory, cudaHostRegister, (void* p, size_t n, unsigned flags), (p, n, flags))
SEAM(cuda_memory, cudaMallocFromPoolAsync, (void** p, size_t n, cudaMemPool_t pool, cudaStream_t s), (p, n, pool, s))
SEAM(cuda_create, cudaStreamCreateWithFlags, (cudaStream_t* s, unsigned flags), (s, flags))
SEAM(cuda_create, cudaEventCreateWithFlags, (cudaEvent_t* e, unsigned flags), (e, flags))
SEAM(cuda_copy, cudaMemcpyAsync, (void* to, const void* from, size_t n, cudaMemcpyKind k, cudaStream_t s), (to, from, n, k, s))
SEAM(cuda_copy, cudaMemcpy2DAsync, (void* to, size_t tp, const void* from, size_t fp, size_t w, size_t h, cudaMemcpyKind k, cudaStream_t s), (to, tp, from, fp, w, h, k, s))
SEAM(cuda_copy, cudaMemsetAsync, (void* to, int value, size_t n, cudaStream_t s), (to, value, n, s))
SEAM(cuda_copy, cudaMemset2DAsync, (void* to, size_t pitch, int value, size_t w, size_t h, cudaStream_t s), (to, pitch, value, w, h, s))
SEAM(cuda_wait, cudaStreamSynchronize, (cudaStream_t s), (s))
SEAM(cuda_wait, cudaDeviceSynchronize, (void), ())
SEAM(cuda_wait, cudaEventSynchronize, (cudaEvent_t e), (e))
SEAM(cuda_query, cudaGetDeviceCount, (int* count), (count))
SEAM(cuda_query, cudaGetDeviceProperties, (Properties* p, int device), (p, device))
SEAM(cuda_query, cudaDeviceGetAttribute, (int* value, cudaDeviceAttr what, int device), (value, what, device))
SEAM(cuda_query, cudaGetDevice, (int* device), (device))
SEAM(cuda_query, cudaSetDevice, (int device), (device))
SEAM(cuda_query, cudaPointerGetAttributes, (cudaPointerAttributes* a, const void* p), (a, p))
SEAM(cuda_query, cudaMemGetInfo, (size_t* free, size_t* total), (free, total))
SEAM(cuda_query, cudaDeviceGetDefaultMemPool, (cudaMemPool_t* pool, int device), (pool, device))
SEAM(cuda_query, cudaMemPoolGetAttribute, (cudaMemPool_t pool, cudaMemPoolAttr what, void* value), (pool, what, value))
SEAM(cuda_query, cudaMemPoolSetAttribute, (cudaMemPool_t pool, cudaMemPoolAttr what, void* value), (pool, what, value))
SEAM(cuda_query, cudaMemPoolTrimTo, (cudaMemPool_t pool, size_t least), (pool, least))
SEAM(cuda_query, cudaFuncGetAttributes, (cudaFuncAttributes* a, const void* kernel), (a, kernel))
SEAM(cuda_query, cudaFuncSetAttribute, (const void* kernel, cudaFuncAttribute what, int value), (kernel, what, value))
SEAM(cuda_query, cudaOccupancyMaxActiveBlocksPerMultiprocessor, (int* blocks, const void* kernel, int threads, size_t bytes), (blocks, kernel, threads, bytes))
SEAM(cuda_query, cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags, (int* blocks, const void* kernel, int threads, size_t bytes, unsigned flags), (blocks, kernel, threads, bytes, flags))
SEAM(cuda_query, cudaEventRecord, (cudaEvent_t e, cudaStream_t s), (e, s))
SEAM(cuda_query, cudaEventElapsedTime, (float* ms, cudaEvent_t from, cudaEvent_t to), (ms, from, to))
SEAM(cuda_free, cudaFreeAsync, (void* p, cudaStream_t s), (p, s))
SEAM(cuda_free, cudaFreeHost, (void* p), (p))
SEAM(cuda_free, cudaHostUnregister, (void* p), (p))
SEAM(cuda_free, cudaStreamDestroy, (cudaStream_t s), (s))
SEAM(cuda_free, cudaEventDestroy, (cudaEvent_t e), (e))
SEAM_OF_LAUNCH(cudaLaunchKernel, s, (const void* kernel, dim3 grid, dim3 block, void** args, size_t bytes, cudaStream_t s), (kernel, grid, block, args, bytes, s))
SEAM_OF_LAUNCH(cudaLaunchKernelExC, launch->stream, (const Launch* launch, const void* kernel, void** args), (launch, kernel, args))
SEAM_OF_LAUNCH(cudaLaunchCooperativeKernel, s, (const void* kernel, dim3 grid, dim3 block, void** args, size_t bytes, cudaStream_t s), (kernel, grid, block, args, bytes, s))
#if CUDART_VERSION >= 12050
SEAM(cuda_query, cudaGetDriverEntryPointByVersion, (const char* name, void** f, unsigned version, unsigned long long flags, cudaDriverEntryPointQueryResult* found), (name, f, version, flags, found))
#else
SEAM(cuda_query, cudaGetDriverEntryPoint, (const char* name, void** f, unsigned long long flags, cudaDriverEntryPointQueryResult* found), (name, f, flags, found))
#endif
// The symbols behind <<<>>> and the header functions differ between CUDA releases.
#if CUDART_VERSION >= 13000
SEAM_OF_LAUNCH(__cudaLaunchKernel, s, (cudaKernel_t kernel, dim3 grid, dim3 block, void** args, size_t bytes, cudaStream_t s), (kernel, grid, block, args, bytes, s))
#else
SEAM(cuda_query, cudaGetDeviceProperties_v2, (Properties* p, int device), (p, device))
#endif
// clang-format on
}
