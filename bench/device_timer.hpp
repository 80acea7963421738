// Times device work with events. Method and reasons: docs/performance.md, "How to measure".
#pragma once

#include <functional>
#include <memory>
#include <optional>

#include "device/device.hpp"
#include "gpuimg/backend.hpp"

namespace gpuimg::bench {

/// In milliseconds.
struct Times {
  float median_ms = 0.0F;
  float min_ms = 0.0F;
};

/// Queues work on the device's stream. The argument is the number of the call. The timer holds several results, so that
/// a call does not write to memory that is still cached.
using Work = std::function<std::optional<Picture>(int)>;

struct TimingPlan {
  int repeats = 30;
  int warm_ups = 3;
  int results_kept = 1;
  /// True: a delay kernel runs first, so that the events measure only device time. False: the stream is idle when the
  /// first event is recorded, so that the host's launch time is included.
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

/// Queues an empty kernel, to measure the cost of a launch.
void queue_empty_kernel(const cuda::Device& device);

}  // namespace gpuimg::bench
