// The memory of each device as one total, which the images in flight there share: --max-device-memory.
// docs/batch.md, "Memory".
#pragma once

#include <cstdint>
#include <map>
#include <mutex>

#include "engine/memory_budget.hpp"
#include "gpuimg/backend.hpp"

namespace gpuimg {

/// Shared by the workers of a run. Thread-safe.
class DeviceBudgets {
 public:
  /// The budget of the device that `backend` computes on: `total_bytes`, or if 0 what is free there at the first call
  /// for it, less some for scratch memory. Throws Error{device_fault}.
  MemoryBudget& of(Backend& backend, int device, std::uint64_t total_bytes);

 private:
  std::mutex mutex_;
  std::map<int, MemoryBudget> budgets_;  ///< by device
};

}  // namespace gpuimg
