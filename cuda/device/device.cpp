// Streams, events and memory of one CUDA device, and the scratch memory of a backend.
#include "device/device.hpp"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <string>

#include "device/cuda_check.hpp"
#include "gpuimg/error.hpp"

namespace gpuimg::cuda {
namespace {

constexpr int kPoison = 0xCD;

/// The device's default pool: one for all backends of the process there, so that what one has freed serves another. The
/// driver hands freed memory to a stream only once the stream that freed it has come that far, or makes one wait for
/// the other ("Stream-Ordered Memory Allocator", reuse policies, in the CUDA Programming Guide).
cudaMemPool_t shared_pool(int device) {
  cudaMemPool_t pool = nullptr;
  cuda_check(cudaDeviceGetDefaultMemPool(&pool, device), "finding the memory pool");
  auto keep_everything = std::numeric_limits<std::uint64_t>::max();
  cuda_check(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &keep_everything),
             "configuring the memory pool");
  return pool;
}

}  // namespace

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
        cuda_check(cudaSetDevice(index), "selecting the device");
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

void Device::make_current() const { cuda_check(cudaSetDevice(index_), "selecting the device"); }

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

}  // namespace gpuimg::cuda
