// Scratch memory that a CUDA backend keeps between calls.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <utility>

#include "device/device.hpp"

namespace gpuimg::cuda {

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
  std::optional<DeviceMemory> level_spills;     ///< small_histogram_65536.cu: zero between launches
  std::optional<DeviceMemory> fused_totals;     ///< fused_totals.cuh: the half that the next launch uses is zero
  std::optional<DeviceMemory> lookback_states;  ///< integral_kernel.cuh: entries of earlier epochs
  std::uint32_t fused_launches = 0;
  std::uint32_t lookback_epoch = 0;

  static constexpr int kBands = 2;  ///< of rows, one copied between host and device while the host uses the other
  Event band_ends[kBands];  ///< of the copies; kept, because creating an event waits for threads that lock pages

 private:
  std::shared_ptr<Device> device_;
  PinnedMemory results_;
};

}  // namespace gpuimg::cuda
