// One OpenCL device as a backend uses it: context, in-order queue, memory and compiled programs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "device/devices.hpp"
#include "test_backend.hpp"

namespace gpuimg::opencl {

class Device;

/// Bytes after each buffer that kernels may read and write: they handle whole groups of pixels.
constexpr std::size_t kPaddingBytes = 64;

/// Freed buffers that are kept for reuse.
constexpr std::size_t kMaxIdleBuffers = 8;

/// A buffer of device memory. Returned to the device when destroyed: the queue is in order, so queued work may still
/// use it. Move-only.
class Memory {
 public:
  Memory() = default;
  /// Uninitialized. Throws Error{out_of_memory}.
  Memory(std::shared_ptr<Device> device, std::size_t bytes);
  ~Memory();
  Memory(Memory&& other) noexcept
      : device_(std::move(other.device_)),
        buffer_(std::exchange(other.buffer_, nullptr)),
        bytes_(std::exchange(other.bytes_, 0)) {}
  Memory& operator=(Memory&& other) noexcept {
    std::swap(device_, other.device_);
    std::swap(buffer_, other.buffer_);
    std::swap(bytes_, other.bytes_);
    return *this;
  }
  [[nodiscard]] cl_mem buffer() const { return buffer_; }
  [[nodiscard]] std::size_t size_bytes() const { return bytes_; }

 private:
  std::shared_ptr<Device> device_;
  cl_mem buffer_ = nullptr;
  std::size_t bytes_ = 0;
};
static_assert(!std::is_copy_constructible_v<Memory> && std::is_nothrow_move_assignable_v<Memory>);

/// An argument of a kernel that is an array in local memory.
struct LocalBytes {
  std::size_t bytes;
};

/// How many work-items run, in two dimensions, and how many form a work-group.
struct Grid {
  std::size_t items[2];
  std::size_t group[2];
};

/// Which program to run: a file of kernels/ and the macros that specialize it, "-D CHANNELS=3 …".
struct ProgramKey {
  const char* file;
  std::string macros;
  friend auto operator<=>(const ProgramKey& a, const ProgramKey& b) {
    return std::pair(std::string_view(a.file), std::string_view(a.macros)) <=>
           std::pair(std::string_view(b.file), std::string_view(b.macros));
  }
};

/// Shared by the backend and its memory, so that a Picture may outlive its backend.
class Device {
 public:
  Device(const OpenclOptions& options, const TestOptions& test);
  ~Device();
  Device(const Device&) = delete;
  Device& operator=(const Device&) = delete;

  [[nodiscard]] const Api& api() const { return api_; }
  [[nodiscard]] cl_context context() const { return context_; }
  [[nodiscard]] cl_command_queue queue() const { return queue_; }
  [[nodiscard]] const FoundDevice& found() const { return found_; }
  [[nodiscard]] std::size_t local_bytes() const { return found_.facts.local_bytes; }

  /// Items of a work-group: a power of two from 64 to 256.
  [[nodiscard]] std::size_t group_items() const { return group_items_; }

  /// Work-groups that keep all compute units busy.
  [[nodiscard]] std::size_t busy_groups() const;

  /// Runs a kernel of a program. Arguments are numbers, Memory, cl_mem or LocalBytes.
  template <class... Arguments>
  void run(const ProgramKey& program, const char* kernel, const Grid& grid, const char* doing,
           const Arguments&... arguments) {
    cl_kernel handle = kernel_of(program, kernel);
    cl_uint index = 0;
    (set_argument(handle, index++, arguments), ...);
    enqueue(handle, grid, doing);
  }

  /// Fills `bytes` bytes, a multiple of 4, with a repeated word.
  void fill(const Memory& memory, std::uint32_t word, std::size_t bytes) const;
  void upload(const Memory& to, const void* from, std::size_t bytes, std::size_t to_byte = 0) const;
  /// Waits for it.
  void download(void* to, const Memory& from, std::size_t bytes) const;

  /// Waits until the queue is idle. Throws Error{device_fault} if its work failed.
  void wait() const;

  /// Bytes that can still be allocated, at most twice the largest buffer: strips of half of it then fit.
  [[nodiscard]] std::size_t available_bytes() const;

 private:
  friend class Memory;
  struct Program {
    cl_program handle = nullptr;
    std::map<std::string, cl_kernel, std::less<>> kernels;
  };

  [[nodiscard]] cl_mem allocate(std::size_t bytes);
  [[nodiscard]] cl_mem new_buffer(std::size_t padded);
  void release(cl_mem buffer, std::size_t bytes) noexcept;
  cl_mem idle_buffer(std::size_t padded);
  bool free_idle();

  cl_kernel kernel_of(const ProgramKey& program, const char* kernel);
  void enqueue(cl_kernel kernel, const Grid& grid, const char* doing) const;
  template <class T>
  void set_argument(cl_kernel kernel, cl_uint index, const T& value) const {
    if constexpr (std::is_same_v<T, Memory>) {
      const cl_mem buffer = value.buffer();
      set_bytes(kernel, index, sizeof buffer, &buffer);
    } else if constexpr (std::is_same_v<T, LocalBytes>) {
      set_bytes(kernel, index, value.bytes, nullptr);
    } else {
      static_assert(std::is_trivially_copyable_v<T>);
      set_bytes(kernel, index, sizeof value, &value);
    }
  }
  void set_bytes(cl_kernel kernel, cl_uint index, std::size_t bytes, const void* value) const;
  void release_handles() noexcept;

  struct IdleBuffer {
    cl_mem buffer;
    std::size_t padded;
  };

  Api api_;
  FoundDevice found_;
  std::string cache_folder_;
  bool poison_;
  std::size_t group_items_ = 0;
  cl_context context_ = nullptr;
  cl_command_queue queue_ = nullptr;
  std::map<ProgramKey, Program> programs_;
  mutable std::mutex mutex_;      ///< guards what follows: Pictures may be destroyed on any thread
  std::vector<IdleBuffer> idle_;  ///< oldest first; capacity is reserved, so release() never allocates
  std::size_t used_bytes_ = 0;    ///< of all buffers, idle ones included
  std::size_t idle_bytes_ = 0;
};

}  // namespace gpuimg::opencl
