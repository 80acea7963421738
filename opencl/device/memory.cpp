// Buffers of one OpenCL device. Freed ones are kept for the next request of their size: a new buffer costs the driver
// longer than many operations.
#include <algorithm>
#include <string>

#include "device/cl_check.hpp"
#include "device/device.hpp"

namespace gpuimg::opencl {
namespace {

constexpr std::uint32_t kPoison = 0xCDCDCDCD;

std::size_t padded(std::size_t bytes) { return (bytes + 2 * kPaddingBytes - 1) / kPaddingBytes * kPaddingBytes; }

}  // namespace

Memory::Memory(std::shared_ptr<Device> device, std::size_t bytes)
    : device_(std::move(device)), buffer_(device_->allocate(bytes)), bytes_(bytes) {}

Memory::~Memory() {
  if (buffer_ != nullptr) {
    device_->release(buffer_, bytes_);
  }
}

cl_mem Device::new_buffer(std::size_t bytes) {
  cl_int code = CL_SUCCESS;
  cl_mem buffer = api_.CreateBuffer(context_, CL_MEM_READ_WRITE, bytes, nullptr, &code);
  const bool is_full = code == CL_OUT_OF_RESOURCES || code == CL_INVALID_BUFFER_SIZE;
  const std::string doing = "allocating " + std::to_string(bytes) + " bytes of device memory";
  cl_check(is_full ? CL_MEM_OBJECT_ALLOCATION_FAILURE : code, doing.c_str());
  return buffer;
}

cl_mem Device::allocate(std::size_t bytes) {
  const std::size_t size = padded(bytes);
  cl_mem buffer = idle_buffer(size);
  if (buffer == nullptr) {
    if (size > found_.facts.largest_allocation) {
      throw Error(ErrorKind::out_of_memory,
                  "OpenCL: the device's largest buffer has " + std::to_string(found_.facts.largest_allocation) +
                      " bytes, and " + std::to_string(size) + " are needed; use a smaller image, or --backend cpu");
    }
    try {
      buffer = new_buffer(size);
    } catch (const Error& error) {
      if (error.kind() != ErrorKind::out_of_memory || !free_idle()) {
        throw;
      }
      buffer = new_buffer(size);
    }
    const std::lock_guard lock(mutex_);
    used_bytes_ += size;
  }
  if (poison_) {
    const cl_int code = api_.EnqueueFillBuffer(queue_, buffer, &kPoison, sizeof kPoison, 0, size, 0, nullptr, nullptr);
    if (code != CL_SUCCESS) {
      release(buffer, bytes);
      cl_check(code, "filling new memory");
    }
  }
  return buffer;
}

cl_mem Device::idle_buffer(std::size_t size) {
  const std::lock_guard lock(mutex_);
  const auto found =
      std::find_if(idle_.begin(), idle_.end(), [size](const IdleBuffer& idle) { return idle.padded == size; });
  if (found == idle_.end()) {
    return nullptr;
  }
  cl_mem buffer = found->buffer;
  idle_bytes_ -= size;
  idle_.erase(found);
  return buffer;
}

void Device::release(cl_mem buffer, std::size_t bytes) noexcept {
  const std::size_t size = padded(bytes);
  const std::lock_guard lock(mutex_);
  idle_.push_back({buffer, size});
  idle_bytes_ += size;
  while (idle_.size() > kMaxIdleBuffers || (idle_bytes_ > found_.facts.total_bytes / 4 && !idle_.empty())) {
    (void)api_.ReleaseMemObject(idle_.front().buffer);
    idle_bytes_ -= idle_.front().padded;
    used_bytes_ -= idle_.front().padded;
    idle_.erase(idle_.begin());
  }
}

/// True if anything was freed.
bool Device::free_idle() {
  (void)api_.Finish(queue_);
  const std::lock_guard lock(mutex_);
  const bool any = !idle_.empty();
  for (const IdleBuffer& idle : idle_) {
    (void)api_.ReleaseMemObject(idle.buffer);
  }
  idle_.clear();
  used_bytes_ -= idle_bytes_;
  idle_bytes_ = 0;
  return any;
}

std::size_t Device::available_bytes() const {
  const std::lock_guard lock(mutex_);
  // OpenCL does not tell what other programs use; the driver itself takes some.
  const std::size_t usable = found_.facts.total_bytes / 8 * 7;
  const std::size_t used = used_bytes_ - idle_bytes_;
  return std::min(usable - std::min(usable, used), 2 * found_.facts.largest_allocation);
}

}  // namespace gpuimg::opencl
