// Makes the budget of a device when its first image asks for it.
#include "engine/device_budgets.hpp"

#include <algorithm>

namespace gpuimg {
namespace {

std::uint64_t free_bytes(Backend& backend) {
  constexpr std::uint64_t kScratchBytes = std::uint64_t{64} << 20;
  const std::uint64_t available = backend.available_bytes();
  return available - std::min(available, kScratchBytes);
}

}  // namespace

MemoryBudget& DeviceBudgets::of(Backend& backend, int device, std::uint64_t total_bytes) {
  const std::lock_guard lock(mutex_);
  auto known = budgets_.find(device);
  if (known == budgets_.end()) {
    const std::uint64_t total = total_bytes != 0 ? total_bytes : free_bytes(backend);
    known = budgets_.try_emplace(device, std::max<std::uint64_t>(total, 1)).first;
  }
  return known->second;
}

}  // namespace gpuimg
