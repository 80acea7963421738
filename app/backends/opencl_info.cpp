// Describes OpenCL: its devices, and where compiled programs are kept.
#include "backends/opencl_info.hpp"

#include <fmt/format.h>

#include <cstdlib>
#include <utility>

#include "gpuimg/opencl.hpp"

namespace gpuimg {
namespace {

constexpr double kGib = 1024.0 * 1024.0 * 1024.0;

/// Only the loader knows.
bool device_may_be_there() { return true; }

std::vector<int> device_numbers() {
  std::vector<int> numbers;
  for (const OpenclDevice& device : opencl_devices()) {
    numbers.push_back(device.index);
  }
  return numbers;
}

std::vector<std::string> device_names() {
  std::vector<std::string> names;
  for (OpenclDevice& device : opencl_devices()) {
    names.push_back(std::move(device.name));
  }
  return names;
}

std::string build_text() {
  return is_opencl_built_in() ? "OpenCL 1.2, opened when asked for" : "OpenCL none: built without it";
}

void tell(const std::function<void(const std::string& text)>& print) {
  print("OpenCL\n");  // first: the driver may take seconds to answer
  for (const OpenclDevice& device : opencl_devices()) {
    print(fmt::format("  device {}: {} ({}, driver {}), {} compute units, {:.1f} GiB, buffers up to {:.1f} GiB{}\n",
                      device.index, device.name, device.version, device.driver, device.compute_units,
                      static_cast<double>(device.total_bytes) / kGib,
                      static_cast<double>(device.largest_allocation) / kGib,
                      device.lacks.empty() ? "" : "; cannot be used: " + device.lacks));
  }
}

}  // namespace

const DeviceFacts kOpenclFacts = {
    is_opencl_built_in, device_may_be_there, device_numbers, device_names, check_opencl_device, build_text, tell};

std::string program_cache_folder() {
  const auto folder_in = [](const char* variable, const char* rest) {
    const char* base = std::getenv(variable);
    return base != nullptr && *base == '/' ? std::string(base) + rest : std::string();
  };
  const std::string folder = folder_in("XDG_CACHE_HOME", "/gpuimg/opencl");
  return folder.empty() ? folder_in("HOME", "/.cache/gpuimg/opencl") : folder;
}

}  // namespace gpuimg
