// Times device work with events. How and why so: docs/performance.md, "How it is measured".
#pragma once

#include <functional>
#include <memory>
#include <optional>

#include "device/device.hpp"
#include "gpuimg/backend.hpp"

namespace gpuimg::bench {

/// Milliseconds.
struct Times {
  float median_ms = 0.0F;
  float min_ms = 0.0F;
};

/// Queues work on the device's stream; the argument counts the calls. What it returns is kept for a while, so that
/// results that follow each other do not lie in the same, still cached memory.
using Work = std::function<std::optional<Picture>(int)>;

struct TimingPlan {
  int repeats = 30;
  int warm_ups = 3;
  int results_kept = 1;
  /// True: the work is queued behind a kernel that only waits, so that events see the device's time alone. False: the
  /// stream is idle when the first event is recorded, so the host's time to launch counts too.
  bool queued = true;
};

class DeviceTimer {
 public:
  explicit DeviceTimer(std::shared_ptr<cuda::Device> device) : device_(std::move(device)) {}

  Times measure(const Work& work, const TimingPlan& plan);

 private:
  float once(const Work& work, int call, bool queued, std::optional<Picture>& result);

  std::shared_ptr<cuda::Device> device_;
  cuda::Event start_;
  cuda::Event stop_;
};

/// A kernel that does nothing: what a launch alone costs.
void queue_empty_kernel(const cuda::Device& device);

}  // namespace gpuimg::bench
