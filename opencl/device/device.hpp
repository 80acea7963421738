// OpenCL as the backend uses it: the functions of the loader and their error codes; the available devices; and one
// device, with its context, in-order queue, memory and compiled programs. The loader is opened at run time. The
// executable does not link it, so it also starts on machines without a loader.
#pragma once

#define CL_TARGET_OPENCL_VERSION 120
#define CL_USE_DEPRECATED_OPENCL_1_1_APIS
#include <CL/cl.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "gpuimg/opencl.hpp"
#include "test_backend.hpp"

namespace gpuimg::opencl {

#define GPUIMG_OPENCL_FUNCTIONS(each) \
  each(BuildProgram);                 \
  each(CreateBuffer);                 \
  each(CreateCommandQueue);           \
  each(CreateContext);                \
  each(CreateKernel);                 \
  each(CreateProgramWithBinary);      \
  each(CreateProgramWithSource);      \
  each(EnqueueCopyBuffer);            \
  each(EnqueueFillBuffer);            \
  each(EnqueueMapBuffer);             \
  each(EnqueueNDRangeKernel);         \
  each(EnqueueReadBuffer);            \
  each(EnqueueReadBufferRect);        \
  each(EnqueueUnmapMemObject);        \
  each(EnqueueWriteBuffer);           \
  each(EnqueueWriteBufferRect);       \
  each(Finish);                       \
  each(GetDeviceIDs);                 \
  each(GetDeviceInfo);                \
  each(GetPlatformIDs);               \
  each(GetPlatformInfo);              \
  each(GetProgramBuildInfo);          \
  each(GetProgramInfo);               \
  each(ReleaseCommandQueue);          \
  each(ReleaseContext);               \
  each(ReleaseKernel);                \
  each(ReleaseMemObject);             \
  each(ReleaseProgram);               \
  each(SetKernelArg)

/// One member for each function, without its prefix: api.Finish(queue).
struct Api {
#define GPUIMG_OPENCL_MEMBER(name) decltype(&cl##name) name = nullptr
  GPUIMG_OPENCL_FUNCTIONS(GPUIMG_OPENCL_MEMBER);
#undef GPUIMG_OPENCL_MEMBER
};

/// Opens the loader; an empty name means libOpenCL.so.1. The loader stays open until the process ends, because drivers
/// may have started threads. Throws Error{backend_unavailable}.
Api open_api(const std::string& library);

/// Throws Error{out_of_memory, backend_unavailable or device_fault} unless the code is CL_SUCCESS. `doing` completes
/// "while …".
void cl_check(cl_int code, const char* doing);

/// True for codes that report too little memory. Not for CL_OUT_OF_RESOURCES: drivers also use it for a lost device, so
/// it means too little memory only where memory is allocated.
bool is_out_of_memory(cl_int code);

struct FoundDevice {
  cl_platform_id platform = nullptr;
  cl_device_id id = nullptr;
  OpenclDevice facts;
  bool divides_exactly = false;  ///< offers correctly rounded float32 division
  bool has_float64 = false;      ///< offers float64 as IEEE 754 defines it
  bool is_cpu = false;
  std::size_t max_group_items = 0;  ///< maximum work-items per work-group
};

/// All devices of all platforms. Throws Error{backend_unavailable} if there are none.
std::vector<FoundDevice> find_devices(const Api& api);

/// Throws Error{backend_unavailable} if the device does not exist or lacks what the backend needs.
FoundDevice usable_device(const Api& api, int index);

/// The embedded source of kernels/`file`.cl, preceded by the files that all programs share.
std::string kernel_source(const std::string& file);

/// Compiles programs for one device, and keeps the compiled programs in the user's cache folder. Owns nothing: the
/// objects that its members refer to must outlive it.
struct ProgramMaker {
  const Api& api;
  cl_context context;
  const FoundDevice& device;
  std::size_t group_items;          ///< the macro GROUP_ITEMS
  const std::string& cache_folder;  ///< empty = no cache

  /// Builds the program of a file of kernels/. If it does not compile, throws Error{backend_unavailable} with the first
  /// lines of the compiler's output.
  [[nodiscard]] cl_program make(const char* file, const std::string& macros) const;

 private:
  [[nodiscard]] cl_program from_source(const std::string& source, const std::string& options) const;
  [[nodiscard]] cl_program from_binary(const std::string& binary, const std::string& options) const;
  [[nodiscard]] std::string binary_of(cl_program program) const;
};

class Device;

/// Bytes after each buffer that kernels may read and write, because they handle whole groups of pixels.
constexpr std::size_t kPaddingBytes = 64;

/// Maximum number of freed buffers that are kept for reuse.
constexpr std::size_t kMaxIdleBuffers = 8;

/// A buffer of device memory. When destroyed, it returns the buffer to the device; queued work may still use the
/// buffer, because the queue is in order. Move-only.
class Memory {
 public:
  Memory() = default;
  /// Allocates uninitialized memory. Throws Error{out_of_memory}.
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

/// A setting of a program; see SPECIALIZED in kernels/pixels.cl.
struct Choice {
  const char* name;
  int value;
  bool is_macro = true;  ///< false: kernels read the value from their first argument on every device
};

/// Which program to run: a file of kernels/, the macros that it always needs ("-D CHANNELS=3 …"), and its choices, in
/// the order in which the file lists them.
struct ProgramRequest {
  const char* file;
  std::string macros;
  std::vector<Choice> choices{};
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

  /// Work-items per work-group: a power of two from 64 to 256.
  [[nodiscard]] std::size_t group_items() const { return group_items_; }

  [[nodiscard]] std::size_t units() const { return static_cast<std::size_t>(std::max(1, found_.facts.compute_units)); }

  /// Number of work-groups that keep all compute units busy.
  [[nodiscard]] std::size_t busy_groups() const;

  /// True if the device uses the kernels for CPUs: one program for all choices, and no wide loads.
  [[nodiscard]] bool suits_cpu() const { return found_.is_cpu && !as_gpu_; }

  /// Pixels per work-item: as many as fill whole 16-byte words; 4 on CPUs, where wide words save nothing.
  [[nodiscard]] int group_pixels(std::size_t pixel_bytes) const;

  /// Runs a kernel of a program. The kernel's first argument is the program's choices; `arguments` follow: numbers,
  /// Memory or LocalBytes.
  template <class... Arguments>
  void run(const ProgramRequest& program, const char* kernel, const Grid& grid, const char* doing,
           const Arguments&... arguments) {
    cl_kernel handle = kernel_of(program, kernel);
    set_argument(handle, 0, values_of(program.choices));
    cl_uint index = 1;
    (set_argument(handle, index++, arguments), ...);
    enqueue(handle, grid, doing);
  }

  /// Fills `bytes` bytes, a multiple of 4, with a repeated word.
  void fill(const Memory& memory, std::uint32_t word, std::size_t bytes) const;
  void upload(const Memory& to, const void* from, std::size_t bytes, std::size_t to_byte = 0) const;
  /// Waits for the copy.
  void download(void* to, const Memory& from, std::size_t bytes) const;

  /// Waits until the queue is idle. Throws Error{device_fault} if its work failed.
  void wait() const;

  /// Bytes that can still be allocated. At most twice the largest allowed buffer, so that strips of half of the
  /// returned size fit in one buffer.
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

  [[nodiscard]] std::string macros_of(const ProgramRequest& program) const;
  static cl_int8 values_of(const std::vector<Choice>& choices);
  cl_kernel kernel_of(const ProgramRequest& program, const char* kernel);
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
  bool as_gpu_;
  std::size_t group_items_ = 0;
  cl_context context_ = nullptr;
  cl_command_queue queue_ = nullptr;
  std::map<std::pair<std::string, std::string>, Program> programs_;  ///< by file and macros
  mutable std::mutex mutex_;      ///< guards the members below: Pictures may be destroyed on any thread
  std::vector<IdleBuffer> idle_;  ///< oldest first; capacity is reserved, so release() never allocates
  std::size_t used_bytes_ = 0;    ///< size of all buffers, including idle ones
  std::size_t idle_bytes_ = 0;
};

}  // namespace gpuimg::opencl
