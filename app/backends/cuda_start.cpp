// Sets the environment variables that CUDA reads when it starts: docs/decisions/0028-start-of-cuda.md.
#include "backends/cuda_start.hpp"

#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <mutex>
#include <optional>
#include <sstream>
#include <string>
#include <vector>

#include "gpuimg/cuda.hpp"

namespace gpuimg {
namespace {

/// With a queue for each worker none waits in another's, but each makes the process start and end some 17 ms later. It
/// saves less than the one before: the k-th some 1 / k² ms of an image, from the ninth on 1 µs.
int queues_for(const DeviceWork& work) {
  constexpr double kMost = 32.0;  // CUDA's own limit
  constexpr double kManyQueues = 8.0;
  double useful = kManyQueues;
  if (work.images) {
    const auto images = static_cast<double>(*work.images);
    useful = std::max(std::min(std::round(std::sqrt(images / 16.0)), kManyQueues), images / 2000.0);
  }
  const double workers = std::clamp(static_cast<double>(work.workers), 1.0, kMost);
  return static_cast<int>(std::clamp(useful, 1.0, workers));
}

/// Number of device files of GPUs, which containers may number with gaps. The drivers of WSL and Jetson have none.
int gpu_files() {
  constexpr int kMost = 64;
  int count = 0;
  if (::access("/dev/nvidiactl", F_OK) != 0) {
    return count;
  }
  for (int i = 0; i < kMost; ++i) {
    count += ::access(("/dev/nvidia" + std::to_string(i)).c_str(), F_OK) == 0 ? 1 : 0;
  }
  return count;
}

/// The value of CUDA_VISIBLE_DEVICES that leaves only this device visible, if there are others to hide.
std::optional<std::string> value_that_shows_only(int device, const char* visible) {
  if (visible == nullptr) {
    const int count = gpu_files();
    return device < count && count > 1 ? std::optional(std::to_string(device)) : std::nullopt;
  }
  std::vector<std::string> entries;
  std::istringstream list(visible);
  for (std::string entry; std::getline(list, entry, ',');) {
    if (entry.empty() || entry.front() == '-') {
      break;  // CUDA reads no further
    }
    entries.push_back(entry);
  }
  return device < static_cast<int>(entries.size()) && entries.size() > 1
             ? std::optional(entries[static_cast<std::size_t>(device)])
             : std::nullopt;
}

std::optional<int> visible_alone;

}  // namespace

void expect_work_on_cuda(const DeviceWork& work) {
  static std::once_flag once;
  std::call_once(once, [&work] {
    // The user's own number of queues counts.
    ::setenv("CUDA_DEVICE_MAX_CONNECTIONS", std::to_string(queues_for(work)).c_str(), 0);
    if (!work.only_device) {
      return;
    }
    // Each further visible device makes the process start some 110 ms later (driver 580).
    constexpr const char* kVisible = "CUDA_VISIBLE_DEVICES";
    if (const auto value = value_that_shows_only(*work.only_device, std::getenv(kVisible))) {
      ::setenv(kVisible, value->c_str(), 1);
      visible_alone = work.only_device;
    }
  });
}

int visible_index(int device) {
  // The variable has no effect if something asked the driver before.
  return visible_alone == device && cuda_device_count() == 1 ? 0 : device;
}

}  // namespace gpuimg
