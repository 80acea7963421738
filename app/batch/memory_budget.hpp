// Bytes that the images in flight may take together: --max-memory. docs/batch.md, "Memory".
#pragma once

#include <condition_variable>
#include <cstdint>
#include <mutex>

namespace gpuimg {

class MemoryBudget {
 public:
  explicit MemoryBudget(std::uint64_t bytes) : bytes_(bytes) {}

  /// Waits until `bytes` more fit. What is larger than the whole budget waits until nothing else is in flight.
  void acquire(std::uint64_t bytes);
  void release(std::uint64_t bytes);

  [[nodiscard]] std::uint64_t bytes() const { return bytes_; }

 private:
  std::uint64_t bytes_;
  std::uint64_t in_use_ = 0;
  std::mutex mutex_;
  std::condition_variable released_;
};

/// Physical memory that this process may use: what is available, or less where the control group allows less.
std::uint64_t available_memory();

/// Bytes that the process holds in memory now.
std::uint64_t resident_memory();

}  // namespace gpuimg
