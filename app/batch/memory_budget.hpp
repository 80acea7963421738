// Memory budget that the images in flight share: --max-memory. docs/batch.md, "Memory".
#pragma once

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>

namespace gpuimg {

class MemoryBudget {
 public:
  explicit MemoryBudget(std::uint64_t bytes) : bytes_(bytes) {}

  /// Blocks until `bytes` more fit. A request larger than the whole budget waits until nothing else is in flight. Polls
  /// `is_abandoned()` and returns false once it is true: items in flight may then never finish.
  bool acquire(
      std::uint64_t bytes, const std::function<bool()>& is_abandoned = [] { return false; });
  void release(std::uint64_t bytes);

  /// Blocks until there were more releases than `seen`. Returns false if nothing is in flight that could release
  /// memory, or if abandoned.
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

/// Physical memory available to this process: free memory, or less if the control group's limit is lower.
std::uint64_t available_memory();

/// Resident set size of the process, in bytes.
std::uint64_t resident_memory();

}  // namespace gpuimg
