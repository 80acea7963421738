// Waits and accounts.
#include "engine/memory_budget.hpp"

#include <algorithm>
#include <chrono>
#include <utility>

namespace gpuimg {
namespace {

constexpr std::chrono::milliseconds kPatience(100);

}  // namespace

bool MemoryBudget::acquire(std::uint64_t bytes, const std::function<bool()>& is_abandoned) {
  std::unique_lock lock(mutex_);
  const auto fits = [&] { return in_use_ == 0 || (bytes <= bytes_ && in_use_ <= bytes_ - bytes); };
  while (!released_.wait_for(lock, kPatience, fits)) {
    if (is_abandoned()) {
      return false;
    }
  }
  in_use_ += bytes;
  return true;
}

void MemoryBudget::release(std::uint64_t bytes) {
  {
    const std::lock_guard lock(mutex_);
    in_use_ -= bytes;
    ++releases_;
  }
  released_.notify_all();
}

bool MemoryBudget::wait_for_release(std::uint64_t seen, const std::function<bool()>& is_abandoned) {
  std::unique_lock lock(mutex_);
  while (!released_.wait_for(lock, kPatience, [&] { return releases_ > seen || in_use_ == 0; })) {
    if (is_abandoned()) {
      return false;
    }
  }
  return releases_ > seen;
}

std::uint64_t MemoryBudget::releases() const {
  const std::lock_guard lock(mutex_);
  return releases_;
}

MemoryShare::MemoryShare(MemoryBudget& budget, std::uint64_t bytes) : budget_(&budget), bytes_(bytes) {
  (void)budget.acquire(bytes);
}

MemoryShare& MemoryShare::operator=(MemoryShare&& other) noexcept {
  std::swap(budget_, other.budget_);
  std::swap(bytes_, other.bytes_);
  return *this;
}

void MemoryShare::shrink_to(std::uint64_t bytes) {
  if (is_held() && bytes < bytes_) {
    budget_->release(std::exchange(bytes_, bytes) - bytes);
  }
}

void MemoryShare::release() {
  if (MemoryBudget* budget = std::exchange(budget_, nullptr)) {
    budget->release(std::exchange(bytes_, 0));
  }
}

}  // namespace gpuimg
