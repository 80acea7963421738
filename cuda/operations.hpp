// The operations of the CUDA backend, one file each, and the memory that they keep between calls.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "device/device.hpp"
#include "gpuimg/backend.hpp"

namespace gpuimg::cuda {

/// Memory that one backend reuses from call to call; it grows and never shrinks.
class Workspace {
 public:
  explicit Workspace(std::shared_ptr<Device> device) : device_(std::move(device)) {}

  [[nodiscard]] const std::shared_ptr<Device>& device() const { return device_; }
  [[nodiscard]] cudaStream_t stream() const { return device_->stream(); }

  /// At least `bytes` bytes that were zero when first handed out; each user leaves them as its file says.
  DeviceMemory& zeroed(std::optional<DeviceMemory>& slot, std::size_t bytes);

  /// Pinned host memory for small results.
  PinnedMemory& results(std::size_t bytes);

  std::optional<DeviceMemory> level_totals;  ///< count_levels.cuh: zero between launches
  std::optional<DeviceMemory> fused_totals;  ///< equalize_gray.cu: the half that the next launch uses is zero
  std::optional<DeviceMemory> tile_states;   ///< integral.cu: entries of earlier epochs
  std::uint32_t fused_launches = 0;
  std::uint32_t tile_epoch = 0;

 private:
  std::shared_ptr<Device> device_;
  PinnedMemory results_;
};

Histogram histogram(Workspace& workspace, const Picture& picture, const HistogramOptions& options);
LevelCounts table_counts(Workspace& workspace, const Picture& picture, const EqualizeOptions& options);
Picture equalize(Workspace& workspace, const Picture& picture, const EqualizeOptions& options, LevelTables* used);
SumTable integral(Workspace& workspace, const Picture& picture, const IntegralOptions& options);
Picture to_hsl(Workspace& workspace, const Picture& picture, HslEncoding encoding);
Picture from_hsl(Workspace& workspace, const Picture& picture, HslEncoding encoding, Sample sample);
Picture adjust_hsl(Workspace& workspace, const Picture& picture, const HslAdjustment& by);

}  // namespace gpuimg::cuda
