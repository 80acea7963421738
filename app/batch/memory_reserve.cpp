// Allocates and frees the reserve.
#include "batch/memory_reserve.hpp"

#include <utility>

namespace gpuimg {

MemoryReserve::MemoryReserve(MemoryBudget& budget, std::function<bool()> is_abandoned)
    : budget_(budget), is_abandoned_(std::move(is_abandoned)) {
  refill();
}

bool MemoryReserve::is_held() const {
  const std::lock_guard lock(mutex_);
  return held_ != nullptr;
}

bool MemoryReserve::has_more(std::uint64_t releases) {
  {
    const std::lock_guard lock(mutex_);
    if (held_ != nullptr) {
      held_.reset();
      return true;
    }
  }
  return budget_.wait_for_release(releases, is_abandoned_);
}

void MemoryReserve::refill() {
  const std::lock_guard lock(mutex_);
  if (held_ == nullptr) {
    held_.reset(new (std::nothrow) std::byte[kBytes]);
  }
}

}  // namespace gpuimg
