// Memory budget that the images in flight share: of the host, --max-memory, and of each device, --max-device-memory.
// docs/batch.md, "Memory".
#pragma once

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <utility>

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

/// Bytes of a budget, until it is destroyed.
class MemoryShare {
 public:
  MemoryShare() = default;  ///< of nothing
  /// Waits as MemoryBudget::acquire does. Who holds a share must not wait for another of the same budget.
  MemoryShare(MemoryBudget& budget, std::uint64_t bytes);
  MemoryShare(MemoryShare&& other) noexcept
      : budget_(std::exchange(other.budget_, nullptr)), bytes_(std::exchange(other.bytes_, 0)) {}
  MemoryShare& operator=(MemoryShare&& other) noexcept;
  ~MemoryShare() { release(); }

  [[nodiscard]] bool is_held() const { return budget_ != nullptr; }

  /// Gives back what exceeds `bytes`.
  void shrink_to(std::uint64_t bytes);
  void release();

 private:
  MemoryBudget* budget_ = nullptr;
  std::uint64_t bytes_ = 0;
};

}  // namespace gpuimg
