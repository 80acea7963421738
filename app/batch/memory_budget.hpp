// Bytes that the images in flight may take together: --max-memory. docs/batch.md, "Memory".
#pragma once

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>

namespace gpuimg {

class MemoryBudget {
 public:
  explicit MemoryBudget(std::uint64_t bytes) : bytes_(bytes) {}

  /// Waits until `bytes` more fit. What is larger than the whole budget waits until nothing else is in flight. Gives up
  /// and returns false when `is_abandoned()`, which is asked now and then: what is in flight may then never end.
  bool acquire(
      std::uint64_t bytes, const std::function<bool()>& is_abandoned = [] { return false; });
  void release(std::uint64_t bytes);

  /// Waits until there were more releases than `seen`; false if nothing is in flight that could release, or given up.
  bool wait_for_release(std::uint64_t seen, const std::function<bool()>& is_abandoned);

  [[nodiscard]] std::uint64_t bytes() const { return bytes_; }
  [[nodiscard]] std::uint64_t releases() const;  ///< so far

 private:
  std::uint64_t bytes_;
  std::uint64_t in_use_ = 0;
  std::uint64_t releases_ = 0;
  mutable std::mutex mutex_;
  std::condition_variable released_;
};

/// Physical memory that this process may use: what is available, or less where the control group allows less.
std::uint64_t available_memory();

/// Bytes that the process holds in memory now.
std::uint64_t resident_memory();

}  // namespace gpuimg
