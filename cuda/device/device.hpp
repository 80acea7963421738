// One CUDA device as a backend uses it: stream, memory pool, RAII owners of CUDA resources, and the scratch memory that
// a backend keeps between calls.
#pragma once

#include <cuda_runtime_api.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <type_traits>
#include <utility>

namespace gpuimg::cuda {

/// An ordered queue of device work. Does not synchronize with the default stream.
class Stream {
 public:
  Stream();
  ~Stream();
  Stream(Stream&& other) noexcept : handle_(std::exchange(other.handle_, nullptr)) {}
  Stream& operator=(Stream&& other) noexcept {
    std::swap(handle_, other.handle_);
    return *this;
  }
  [[nodiscard]] cudaStream_t get() const { return handle_; }

 private:
  cudaStream_t handle_ = nullptr;
};

/// A timestamped point in a stream. Threads that wait for it sleep.
class Event {
 public:
  Event();
  ~Event();
  Event(Event&& other) noexcept : handle_(std::exchange(other.handle_, nullptr)) {}
  Event& operator=(Event&& other) noexcept {
    std::swap(handle_, other.handle_);
    return *this;
  }
  [[nodiscard]] cudaEvent_t get() const { return handle_; }
  void record(cudaStream_t stream);
  void wait() const;
  /// Milliseconds from `earlier` to this event. Waits for both events.
  [[nodiscard]] float elapsed_ms_since(const Event& earlier) const;

 private:
  cudaEvent_t handle_ = nullptr;
};

class Device;

/// Makes a device current on the calling thread. Use this instead of cudaSetDevice(), so that a KeptCudaDevice can note
/// the former device.
cudaError_t select_device(int index) noexcept;

/// Number of bytes that may be read past the end of device memory: kernels read whole words of images of any size.
constexpr std::size_t kReadablePastEnd = 16;

/// Device memory of one backend, aligned to at least 256 bytes and readable for kReadablePastEnd bytes past its size.
/// Freed in stream order, so queued work may still use it.
class DeviceMemory {
 public:
  DeviceMemory() = default;
  /// Throws Error{out_of_memory}.
  DeviceMemory(std::shared_ptr<Device> device, std::size_t bytes);
  ~DeviceMemory();
  DeviceMemory(DeviceMemory&& other) noexcept
      : device_(std::move(other.device_)),
        data_(std::exchange(other.data_, nullptr)),
        bytes_(std::exchange(other.bytes_, 0)) {}
  DeviceMemory& operator=(DeviceMemory&& other) noexcept {
    std::swap(device_, other.device_);
    std::swap(data_, other.data_);
    std::swap(bytes_, other.bytes_);
    return *this;
  }
  [[nodiscard]] std::byte* data() const { return data_; }
  [[nodiscard]] std::size_t size_bytes() const { return bytes_; }
  template <class T>
  [[nodiscard]] T* as() const {
    return reinterpret_cast<T*>(data_);
  }

 private:
  std::shared_ptr<Device> device_;
  std::byte* data_ = nullptr;
  std::size_t bytes_ = 0;
};

/// Page-locked host memory, which the device copies to and from at full speed.
class PinnedMemory {
 public:
  PinnedMemory() = default;
  explicit PinnedMemory(std::size_t bytes);
  ~PinnedMemory();
  PinnedMemory(PinnedMemory&& other) noexcept
      : data_(std::exchange(other.data_, nullptr)), bytes_(std::exchange(other.bytes_, 0)) {}
  PinnedMemory& operator=(PinnedMemory&& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(bytes_, other.bytes_);
    return *this;
  }
  [[nodiscard]] std::size_t size_bytes() const { return bytes_; }
  template <class T>
  [[nodiscard]] T* as() const {
    return static_cast<T*>(data_);
  }

 private:
  void* data_ = nullptr;
  std::size_t bytes_ = 0;
};

/// Settings of a device that only tests use.
struct DeviceTestOptions {
  bool poison = false;                      ///< fill new memory with 0xCD to expose reads of unwritten memory
  std::size_t max_shared_bytes = SIZE_MAX;  ///< emulate a device with this much shared memory per block
};

/// A device's memory pool, and the stream of one backend. The backend's memory is allocated, used and freed in the
/// order of this stream. Shared by the backend and its memory, so a Picture may outlive its backend.
class Device {
 public:
  /// Creates the context.
  explicit Device(int index, const DeviceTestOptions& options = {});
  ~Device();
  Device(const Device&) = delete;
  Device& operator=(const Device&) = delete;

  [[nodiscard]] int index() const { return index_; }
  [[nodiscard]] int multiprocessors() const { return multiprocessors_; }
  /// Maximum dynamic shared memory per block: 64 KiB on the oldest supported devices, 227 KiB on Hopper.
  [[nodiscard]] std::size_t shared_bytes_per_block() const { return shared_bytes_; }
  [[nodiscard]] cudaStream_t stream() const { return stream_.get(); }

  /// Makes this device current on the calling thread. Every entry point of the backend starts with this.
  void make_current() const;

  /// Bytes that can be allocated: free device memory plus unused memory of the pool.
  [[nodiscard]] std::size_t available_bytes() const;

  /// Waits until the stream is idle. Throws Error{device_fault} if its work failed.
  void wait() const;

  /// Makes wait() sleep, so that other threads can use the processor. By default wait() polls, which is some
  /// microseconds faster. May be called from any thread.
  void sleep_in_waits() { sleeps_ = true; }

 private:
  friend class DeviceMemory;
  [[nodiscard]] std::byte* allocate(std::size_t bytes);
  void release(std::byte* data) noexcept;

  int index_;
  int multiprocessors_ = 0;
  std::size_t shared_bytes_ = 0;
  bool poison_;
  Stream stream_;
  mutable Event idle_;  ///< for sleeping threads
  std::atomic<bool> sleeps_ = false;
  cudaMemPool_t pool_ = nullptr;  ///< owned by the driver
};

/// Waits for the device when the scope ends, even after an exception.
struct IdleAtEnd {
  const Device& device;
  explicit IdleAtEnd(const Device& of) : device(of) {}
  IdleAtEnd(const IdleAtEnd&) = delete;
  IdleAtEnd& operator=(const IdleAtEnd&) = delete;
  ~IdleAtEnd() { (void)cudaStreamSynchronize(device.stream()); }
};

template <class T>
inline constexpr bool kIsMoveOnly = !std::is_copy_constructible_v<T> && !std::is_copy_assignable_v<T> &&
                                    std::is_nothrow_move_constructible_v<T> && std::is_nothrow_move_assignable_v<T>;
static_assert(kIsMoveOnly<Stream> && kIsMoveOnly<Event> && kIsMoveOnly<DeviceMemory> && kIsMoveOnly<PinnedMemory>);

/// Scratch memory of one backend. It grows and never shrinks.
class Workspace {
 public:
  explicit Workspace(std::shared_ptr<Device> device) : device_(std::move(device)) {}

  [[nodiscard]] const std::shared_ptr<Device>& device() const { return device_; }
  [[nodiscard]] cudaStream_t stream() const { return device_->stream(); }

  /// Returns at least `bytes` bytes. They are zero when first returned; each user restores the state that it needs for
  /// its next call.
  DeviceMemory& zeroed(std::optional<DeviceMemory>& slot, std::size_t bytes);

  /// Page-locked host memory for small results.
  PinnedMemory& results(std::size_t bytes);

  std::optional<DeviceMemory> level_totals;     ///< histogram_256.cu: zero between launches
  std::optional<DeviceMemory> level_spills;     ///< histogram_65536.cu: zero between launches
  std::optional<DeviceMemory> fused_totals;     ///< fused_equalize.cu: the half that the next launch uses is zero
  std::optional<DeviceMemory> lookback_states;  ///< integral.cu: zero, or entries of earlier epochs
  std::uint32_t fused_launches = 0;
  std::uint32_t lookback_epoch = 0;

  static constexpr int kBands = 2;  ///< bands of rows: one is copied while the host uses the other
  Event band_ends[kBands];  ///< ends of copies; reused, because creating an event waits while a thread locks pages

 private:
  std::shared_ptr<Device> device_;
  PinnedMemory results_;
};

/// Divides one block of device memory into arrays. Used twice: the first time without memory, to add up the sizes.
class ArrayLayout {
 public:
  explicit ArrayLayout(std::byte* memory) : memory_(memory) {}

  template <class T>
  T* take(std::size_t count) {
    constexpr std::size_t kAlignment = 256;
    T* array = memory_ == nullptr ? nullptr : reinterpret_cast<T*>(memory_ + bytes_);
    bytes_ += (count * sizeof(T) + kAlignment - 1) / kAlignment * kAlignment;
    return array;
  }

  [[nodiscard]] std::size_t bytes() const { return bytes_; }

 private:
  std::byte* memory_;
  std::size_t bytes_ = 0;
};

/// Throws Error{backend_unavailable} if no built-in code runs on the device, which must be current.
void check_code_for_device(int device);

/// Looks for built-in code for the current device, and returns the resulting CUDA error. Defined in code_probe.cu.
cudaError_t look_for_code();

}  // namespace gpuimg::cuda
