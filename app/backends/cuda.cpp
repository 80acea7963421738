// CUDA in the list of backends: its start (docs/decisions/0028-start-of-cuda.md), its costs, and facts about the build,
// the driver and the devices.
#include "backends/backends.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <memory>
#include <mutex>
#include <optional>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "gpuimg/cuda.hpp"

namespace gpuimg {
namespace {

/// The number of queues. With one queue per worker, no worker waits for another, but each queue lengthens the start and
/// end of the process by about 17 ms. Each further queue saves less: the k-th saves about 1 / k² ms per image, and from
/// the ninth on, each saves 1 µs.
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

/// Counts the device files of GPUs. In a container, their indices may have gaps. The drivers of WSL and Jetson have no
/// such files.
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

/// The value of CUDA_VISIBLE_DEVICES that makes only this device visible; nothing if there is no other device to hide.
std::optional<std::string> value_that_shows_only(int device, const char* visible) {
  if (visible == nullptr) {
    const int count = gpu_files();
    return device < count && count > 1 ? std::optional(std::to_string(device)) : std::nullopt;
  }
  std::vector<std::string> entries;
  std::istringstream list(visible);
  for (std::string entry; std::getline(list, entry, ',');) {
    if (entry.empty() || entry.front() == '-') {
      break;  // CUDA stops reading here
    }
    entries.push_back(entry);
  }
  return device < static_cast<int>(entries.size()) && entries.size() > 1
             ? std::optional(entries[static_cast<std::size_t>(device)])
             : std::nullopt;
}

std::optional<int> visible_alone;

/// Sets the environment variables that CUDA reads when it starts.
void prepare_start(const DeviceWork& work) {
  if (!work.is_own_process) {
    return;
  }
  static std::once_flag once;
  std::call_once(once, [&work] {
    // Does not overwrite a value that the user set.
    ::setenv("CUDA_DEVICE_MAX_CONNECTIONS", std::to_string(queues_for(work)).c_str(), 0);
    if (!work.only_device) {
      return;
    }
    // Each further visible device lengthens the start of the process by about 110 ms (driver 580).
    constexpr const char* kVisible = "CUDA_VISIBLE_DEVICES";
    if (const auto value = value_that_shows_only(*work.only_device, std::getenv(kVisible))) {
      ::setenv(kVisible, value->c_str(), 1);
      visible_alone = work.only_device;
    }
  });
}

/// CUDA's number of a device: 0 if it is the only device that prepare_start() left visible. Throws
/// Error{backend_unavailable} if there is no device.
int visible_index(int device) {
  // The variable has no effect if the driver was already in use when it was set.
  return visible_alone == device && cuda_device_count() == 1 ? 0 : device;
}

std::string dotted(int version) { return fmt::format("{}.{}", version / 1000, version % 1000 / 10); }

bool is_cuda_built_in() { return cuda_versions(false).runtime != 0; }

/// False if no driver has created its device file, or if CUDA_VISIBLE_DEVICES is empty.
bool cuda_may_be_there() {
  const char* visible = std::getenv("CUDA_VISIBLE_DEVICES");
  // Created by the drivers for servers and workstations (the first file), for WSL (the second) and for Jetson (the
  // others).
  constexpr std::array kDeviceFiles = {"/dev/nvidiactl", "/dev/dxg", "/dev/nvhost-ctrl", "/dev/nvmap"};
  return (visible == nullptr || *visible != '\0') &&
         std::any_of(kDeviceFiles.begin(), kDeviceFiles.end(),
                     [](const char* file) { return ::access(file, F_OK) == 0; });
}

std::vector<int> cuda_numbers() {
  std::vector<int> numbers;
  for (const CudaDevice& device : cuda_devices()) {
    numbers.push_back(device.index);
  }
  return numbers;
}

std::vector<std::string> cuda_names() {
  std::vector<std::string> names;
  for (CudaDevice& device : cuda_devices()) {
    names.push_back(std::move(device.name));
  }
  return names;
}

/// "CUDA runtime 13.0, code for sm_75 sm_90", or "CUDA none: built without it".
std::string cuda_build_text() {
  const CudaVersions versions = cuda_versions(false);
  if (versions.runtime == 0) {
    return "CUDA none: built without it";
  }
  return fmt::format("CUDA runtime {}, code for {}", dotted(versions.runtime), versions.architectures);
}

std::string version_info() {
  const CudaVersions versions = cuda_versions(true);
  if (versions.runtime == 0) {
    return "CUDA\n  none: built without it\n";
  }
  return fmt::format("CUDA\n  runtime {} (linked in), driver {}, code for {}\n", dotted(versions.runtime),
                     versions.driver == 0 ? std::string("none") : "for CUDA " + dotted(versions.driver),
                     versions.architectures);
}

/// One line per device.
std::string device_info() {
  constexpr double kGib = 1024.0 * 1024.0 * 1024.0;
  std::string text;
  for (const CudaDevice& device : cuda_devices()) {
    text += fmt::format("  device {}: {}, compute capability {}.{}, {} multiprocessors, {:.1f} of {:.1f} GiB free\n",
                        device.index, device.name, device.compute_major, device.compute_minor, device.multiprocessors,
                        static_cast<double>(device.free_bytes) / kGib, static_cast<double>(device.total_bytes) / kGib);
  }
  return text;
}

void tell_cuda(const std::function<void(const std::string& text)>& print) {
  print(version_info());
  print(device_info());
}

constexpr DeviceFacts kCudaFacts = {is_cuda_built_in,
                                    cuda_may_be_there,
                                    cuda_numbers,
                                    cuda_names,
                                    [](int device) { check_cuda_device(visible_index(device)); },
                                    cuda_build_text,
                                    tell_cuda,
                                    prepare_start};

double cuda_cost_ms(const Workload& work) {
  constexpr double kStartMs = 250.0;
  // Three bytes per pixel in each direction, from and to pageable memory; only one direction if the device decodes the
  // file.
  constexpr double kMsPerMegapixel = 1.0;
  constexpr double kMsPerMegapixelOfFile = 0.5;
  const double moved = work.decoding_ms > 0.0 ? kMsPerMegapixelOfFile : kMsPerMegapixel;
  return kStartMs + work.megapixels() * (moved + work.round_trips * kMsPerMegapixel + work.cost.device_ms);
}

constexpr std::array<std::string_view, 2> kCudaSynonyms = {"gpu", "nvidia"};

}  // namespace

constinit const BackendEntry kCudaBackend = {
    BackendKind::cuda,
    "cuda",
    "CUDA",
    "a CUDA GPU; an error if there is none",
    kCudaSynonyms,
    false,
    [](const BackendOptions& options) { return make_cuda_backend(visible_index(options.device), options.device); },
    cuda_cost_ms,
    &kCudaFacts};

}  // namespace gpuimg
