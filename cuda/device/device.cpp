// Implements cuda_check.hpp, device.hpp and the queries of gpuimg/cuda.hpp: errors, devices, versions of driver and
// runtime, streams, events, device memory, and the scratch memory of a backend.
#include "device/device.hpp"

#include <cuda_runtime_api.h>
#include <dlfcn.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "device/cuda_check.hpp"
#include "gpuimg/cuda.hpp"
#include "gpuimg/error.hpp"

namespace gpuimg {
namespace cuda {
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

void check_code_for_device(int device) {
  constexpr int kOldest = 75;  // compute capability, times 10
  const cudaError_t code = look_for_code();
  if (code != cudaErrorNoKernelImageForDevice && code != cudaErrorUnsupportedPtxVersion) {
    cuda_check(code, "looking for device code");
    return;
  }
  (void)cudaGetLastError();
  cudaDeviceProp properties{};
  cuda_check(cudaGetDeviceProperties(&properties, device), "reading the device's properties");
  const int capability = properties.major * 10 + properties.minor;
  const std::string number = std::to_string(capability);
  const std::string which = std::string(properties.name) + " (compute capability " + std::to_string(properties.major) +
                            "." + std::to_string(properties.minor) + ")";
  std::string message;
  if (code == cudaErrorUnsupportedPtxVersion) {
    message = "CUDA: the driver, for CUDA " + version_text(driver_version()) +
              ", cannot compile the PTX of this build (" + GPUIMG_CUDA_ARCHITECTURES + ") for " + which +
              "; update the driver, build with -DCMAKE_CUDA_ARCHITECTURES=" + number + "-real, or use --backend cpu";
  } else {
    message = "CUDA: this build has code for " GPUIMG_CUDA_ARCHITECTURES ", but not for " + which + "; ";
    message += capability < kOldest
                   ? "gpuimg needs 7.5 or newer, so use --backend cpu"
                   : "install a package of a release, build with -DCMAKE_CUDA_ARCHITECTURES=" + number +
                         ", or use --backend cpu";
  }
  throw Error(ErrorKind::backend_unavailable, message);
}

namespace {

constexpr int kPoison = 0xCD;

/// The device's default pool. All backends of the process on this device share it, so that a backend can use memory
/// that another backend has freed. The driver gives freed memory to another stream only after the freeing stream has
/// reached the free, or makes the new stream wait for it ("Stream-Ordered Memory Allocator", reuse policies, in the
/// CUDA Programming Guide).
cudaMemPool_t shared_pool(int device) {
  cudaMemPool_t pool = nullptr;
  cuda_check(cudaDeviceGetDefaultMemPool(&pool, device), "finding the memory pool");
  auto keep_everything = std::numeric_limits<std::uint64_t>::max();
  cuda_check(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &keep_everything),
             "configuring the memory pool");
  return pool;
}

}  // namespace

cudaError_t select_device(int index) noexcept {
  KeptCudaDevice::note_change();
  return cudaSetDevice(index);
}

Stream::Stream() { cuda_check(cudaStreamCreateWithFlags(&handle_, cudaStreamNonBlocking), "creating a stream"); }

Stream::~Stream() {
  if (handle_ != nullptr) {
    (void)cudaStreamDestroy(handle_);
  }
}

Event::Event() { cuda_check(cudaEventCreateWithFlags(&handle_, cudaEventBlockingSync), "creating an event"); }

Event::~Event() {
  if (handle_ != nullptr) {
    (void)cudaEventDestroy(handle_);
  }
}

void Event::record(cudaStream_t stream) { cuda_check(cudaEventRecord(handle_, stream), "recording an event"); }

void Event::wait() const { cuda_check(cudaEventSynchronize(handle_), "waiting for an event"); }

float Event::elapsed_ms_since(const Event& earlier) const {
  wait();
  float ms = 0.0F;
  cuda_check(cudaEventElapsedTime(&ms, earlier.handle_, handle_), "reading an event's time");
  return ms;
}

DeviceMemory::DeviceMemory(std::shared_ptr<Device> device, std::size_t bytes)
    : device_(std::move(device)), data_(device_->allocate(bytes)), bytes_(bytes) {}

DeviceMemory::~DeviceMemory() {
  if (data_ != nullptr) {
    device_->release(data_);
  }
}

PinnedMemory::PinnedMemory(std::size_t bytes) : bytes_(bytes) {
  cuda_check(cudaMallocHost(&data_, bytes), "allocating pinned host memory");
}

PinnedMemory::~PinnedMemory() {
  if (data_ != nullptr) {
    (void)cudaFreeHost(data_);
  }
}

Device::Device(int index, const DeviceTestOptions& options)
    : index_(index), poison_(options.poison), stream_([index] {
        cuda_check(select_device(index), "selecting the device");
        return Stream();
      }()) {
  cuda_check(cudaDeviceGetAttribute(&multiprocessors_, cudaDevAttrMultiProcessorCount, index), "querying the device");
  int shared_bytes = 0;
  cuda_check(cudaDeviceGetAttribute(&shared_bytes, cudaDevAttrMaxSharedMemoryPerBlockOptin, index),
             "querying the device");
  shared_bytes_ = std::min(static_cast<std::size_t>(shared_bytes), options.max_shared_bytes);
  pool_ = shared_pool(index);
}

Device::~Device() {
  (void)cudaStreamSynchronize(stream_.get());
  (void)cudaMemPoolTrimTo(pool_, 0);
}

void Device::make_current() const { cuda_check(select_device(index_), "selecting the device"); }

void Device::wait() const {
  if (sleeps_) {
    idle_.record(stream());
    idle_.wait();
  } else {
    cuda_check(cudaStreamSynchronize(stream()), "waiting for the device");
  }
}

std::size_t Device::available_bytes() const {
  std::size_t free_bytes = 0;
  std::size_t total_bytes = 0;
  cuda_check(cudaMemGetInfo(&free_bytes, &total_bytes), "querying the device's memory");
  std::uint64_t reserved = 0;
  std::uint64_t used = 0;
  cuda_check(cudaMemPoolGetAttribute(pool_, cudaMemPoolAttrReservedMemCurrent, &reserved), "querying the memory pool");
  cuda_check(cudaMemPoolGetAttribute(pool_, cudaMemPoolAttrUsedMemCurrent, &used), "querying the memory pool");
  return free_bytes + static_cast<std::size_t>(reserved - used);
}

std::byte* Device::allocate(std::size_t bytes) {
  void* data = nullptr;
  const std::size_t padded = bytes + kReadablePastEnd;
  cudaError_t code = cudaMallocFromPoolAsync(&data, padded, pool_, stream());
  if (code == cudaErrorMemoryAllocation) {
    // The pool may be fragmented by earlier pictures: trim it and retry once.
    (void)cudaGetLastError();
    wait();
    cuda_check(cudaMemPoolTrimTo(pool_, 0), "trimming the memory pool");
    code = cudaMallocFromPoolAsync(&data, padded, pool_, stream());
  }
  const std::string doing = "allocating " + std::to_string(bytes) + " bytes of device memory";
  cuda_check(code, doing.c_str());
  if (poison_) {
    cuda_check(cudaMemsetAsync(data, kPoison, padded, stream()), "filling new memory");
  }
  return static_cast<std::byte*>(data);
}

void Device::release(std::byte* data) noexcept { (void)cudaFreeAsync(data, stream()); }

DeviceMemory& Workspace::zeroed(std::optional<DeviceMemory>& slot, std::size_t bytes) {
  if (!slot || slot->size_bytes() < bytes) {
    slot.reset();
    DeviceMemory memory(device_, bytes);
    cuda_check(cudaMemsetAsync(memory.data(), 0, bytes, stream()), "clearing memory");
    slot = std::move(memory);
  }
  return *slot;
}

PinnedMemory& Workspace::results(std::size_t bytes) {
  constexpr std::size_t kSmallest = 4096;
  if (results_.size_bytes() < bytes) {
    results_ = PinnedMemory(std::max(bytes, kSmallest));
  }
  return results_;
}

}  // namespace cuda

namespace {

thread_local KeptCudaDevice* innermost_kept = nullptr;

/// True if the process has a primary context on the device, or if the driver cannot tell. Asks the driver itself,
/// because the runtime has no function for it. The runtime has already loaded the driver.
bool has_context(int device) noexcept {
  using State = int (*)(int device, unsigned* flags, int* is_active);
  bool has = true;
  if (void* const driver = ::dlopen("libcuda.so.1", RTLD_LAZY | RTLD_NOLOAD); driver != nullptr) {
    unsigned flags = 0;
    int is_active = 1;
    if (const auto state = reinterpret_cast<State>(::dlsym(driver, "cuDevicePrimaryCtxGetState")); state != nullptr) {
      has = state(device, &flags, &is_active) != 0 || is_active != 0;
    }
    ::dlclose(driver);
  }
  return has;
}

}  // namespace

KeptCudaDevice::KeptCudaDevice() noexcept : outer_(std::exchange(innermost_kept, this)) {}

KeptCudaDevice::~KeptCudaDevice() {
  innermost_kept = outer_;
  int now = 0;
  if (before_ < 0 || (cudaGetDevice(&now) == cudaSuccess && now == before_) || !has_context(before_)) {
    return;
  }
  if (cudaSetDevice(before_) != cudaSuccess) {
    (void)cudaGetLastError();  // the caller must not see this error
  }
}

void KeptCudaDevice::note_change() noexcept {
  if (innermost_kept != nullptr && innermost_kept->before_ < 0) {
    int now = 0;
    if (cudaGetDevice(&now) == cudaSuccess) {
      innermost_kept->before_ = now;
    } else {
      (void)cudaGetLastError();
    }
  }
}

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
    cuda::cuda_check(cuda::select_device(index), "selecting a device");
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
