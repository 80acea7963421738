// Grows the scratch memory that a backend keeps between calls.
#include "device/workspace.hpp"

#include <algorithm>

#include "device/cuda_check.hpp"

namespace gpuimg::cuda {

DeviceMemory& Workspace::zeroed(std::optional<DeviceMemory>& slot, std::size_t bytes) {
  if (!slot || slot->size_bytes() < bytes) {
    slot.reset();
    DeviceMemory memory(device_, bytes);
    cuda_check(cudaMemsetAsync(memory.data(), 0, bytes, stream()), "clearing memory");
    slot = std::move(memory);
  }
  return *slot;
}

PinnedMemory& Workspace::results(std::size_t bytes) {
  constexpr std::size_t kSmallest = 4096;
  if (results_.size_bytes() < bytes) {
    results_ = PinnedMemory(std::max(bytes, kSmallest));
  }
  return results_;
}

}  // namespace gpuimg::cuda
