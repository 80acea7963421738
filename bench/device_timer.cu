// DeviceTimer: uses a kernel that delays the stream, and pairs of events.
#include <algorithm>
#include <cstdint>
#include <vector>

#include "bench/device_timer.hpp"
#include "device/cuda_check.hpp"

namespace gpuimg::bench {
namespace {

/// Longer than the host needs to queue any single operation.
constexpr std::uint64_t kHoldNanoseconds = 60'000;

/// Spins for `nanoseconds`, so that work queued after it starts without gaps. Launch with one thread.
__global__ void hold_stream(std::uint64_t nanoseconds) {
  const auto now = [] {
    std::uint64_t t = 0;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(t));
    return t;
  };
  const std::uint64_t end = now() + nanoseconds;
  while (now() < end) {
  }
}

__global__ void do_nothing() {}

}  // namespace

void queue_empty_kernel(const cuda::Device& device) {
  do_nothing<<<1, 1, 0, device.stream()>>>();
  cuda::check_launch("launching an empty kernel");
}

float DeviceTimer::once(const Work& work, int call, bool queued, std::optional<Picture>& result) {
  result.reset();
  device_->wait();
  if (queued) {
    hold_stream<<<1, 1, 0, device_->stream()>>>(kHoldNanoseconds);
    cuda::check_launch("holding the stream");
  }
  start_.record(device_->stream());
  result = work(call);
  stop_.record(device_->stream());
  return stop_.elapsed_ms_since(start_);
}

Times DeviceTimer::measure(const Work& work, const TimingPlan& plan) {
  std::vector<std::optional<Picture>> results(static_cast<std::size_t>(std::max(plan.results_kept, 1)));
  const int warm_ups = std::max(plan.warm_ups, plan.results_kept);
  std::vector<float> times;
  for (int call = 0; call < warm_ups + plan.repeats; ++call) {
    const float ms = once(work, call, plan.queued, results[static_cast<std::size_t>(call) % results.size()]);
    if (call >= warm_ups) {
      times.push_back(ms);
    }
  }
  std::sort(times.begin(), times.end());
  return {times[times.size() / 2], times.front()};
}

}  // namespace gpuimg::bench
