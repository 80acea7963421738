// Describes CUDA: what is built in, the driver and the devices.
#include "backends/cuda_info.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <string>
#include <utility>
#include <vector>

#include "backends/cuda_start.hpp"
#include "gpuimg/cuda.hpp"

namespace gpuimg {
namespace {

constexpr double kGib = 1024.0 * 1024.0 * 1024.0;

std::string dotted(int version) { return fmt::format("{}.{}", version / 1000, version % 1000 / 10); }

bool is_cuda_built_in() { return cuda_versions(false).runtime != 0; }

/// False if no driver has made its device file, or CUDA_VISIBLE_DEVICES is empty.
bool device_may_be_there() {
  const char* visible = std::getenv("CUDA_VISIBLE_DEVICES");
  // The drivers for servers and workstations, of WSL, and of Jetson.
  constexpr std::array kDeviceFiles = {"/dev/nvidiactl", "/dev/dxg", "/dev/nvhost-ctrl", "/dev/nvmap"};
  return (visible == nullptr || *visible != '\0') &&
         std::any_of(kDeviceFiles.begin(), kDeviceFiles.end(),
                     [](const char* file) { return ::access(file, F_OK) == 0; });
}

std::vector<int> device_numbers() {
  std::vector<int> numbers;
  for (const CudaDevice& device : cuda_devices()) {
    numbers.push_back(device.index);
  }
  return numbers;
}

std::vector<std::string> device_names() {
  std::vector<std::string> names;
  for (CudaDevice& device : cuda_devices()) {
    names.push_back(std::move(device.name));
  }
  return names;
}

/// "CUDA runtime 13.0, code for sm_75 sm_90", or "CUDA none: built without it".
std::string build_text() {
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
  std::string text;
  for (const CudaDevice& device : cuda_devices()) {
    text += fmt::format("  device {}: {}, compute capability {}.{}, {} multiprocessors, {:.1f} of {:.1f} GiB free\n",
                        device.index, device.name, device.compute_major, device.compute_minor, device.multiprocessors,
                        static_cast<double>(device.free_bytes) / kGib, static_cast<double>(device.total_bytes) / kGib);
  }
  return text;
}

void tell(const std::function<void(const std::string& text)>& print) {
  print(version_info());
  print(device_info());
}

}  // namespace

const DeviceFacts kCudaFacts = {is_cuda_built_in,
                                device_may_be_there,
                                device_numbers,
                                device_names,
                                [](int device) { check_cuda_device(visible_index(device)); },
                                build_text,
                                tell,
                                expect_work_on_cuda};

}  // namespace gpuimg
