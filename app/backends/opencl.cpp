// OpenCL in the list of backends: its devices, the cache of compiled programs, and the record of devices that failed
// the self-test.
#include "backends/backends.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <limits>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "gpuimg/opencl.hpp"

namespace gpuimg {
namespace {

/// Always true: only the OpenCL loader could tell, and it would load the drivers.
bool opencl_may_be_there() { return true; }

std::vector<int> opencl_numbers() {
  std::vector<int> numbers;
  for (const OpenclDevice& device : opencl_devices()) {
    numbers.push_back(device.index);
  }
  return numbers;
}

std::vector<std::string> opencl_names() {
  std::vector<std::string> names;
  for (OpenclDevice& device : opencl_devices()) {
    names.push_back(std::move(device.name));
  }
  return names;
}

std::string opencl_build_text() {
  return is_opencl_built_in() ? "OpenCL 1.2, loaded when requested" : "OpenCL none: built without it";
}

#define GPUIMG_OPENCL_RUN_ON "tested on PoCL, Oclgrind and NVIDIA; experimental on other devices"

/// Names, or parts of names, of the platforms on which gpuimg has been run.
constexpr std::array<std::string_view, 3> kPlatformsRunOn = {"Portable Computing Language", "Oclgrind", "NVIDIA"};

bool is_experimental(const OpenclDevice& device) {
  return std::ranges::none_of(
      kPlatformsRunOn, [&](std::string_view platform) { return device.platform.find(platform) != std::string::npos; });
}

void tell_opencl(const std::function<void(const std::string& text)>& print) {
  constexpr double kGib = 1024.0 * 1024.0 * 1024.0;
  print("OpenCL\n  " GPUIMG_OPENCL_RUN_ON "\n");  // first: the driver may take seconds to answer
  for (const OpenclDevice& device : opencl_devices()) {
    print(fmt::format("  device {}: {} ({}, driver {}), {} compute units, {:.1f} GiB, buffers up to {:.1f} GiB{}{}\n",
                      device.index, device.name, device.version, device.driver, device.compute_units,
                      static_cast<double>(device.total_bytes) / kGib,
                      static_cast<double>(device.largest_allocation) / kGib,
                      is_experimental(device) ? "; experimental" : "",
                      device.lacks.empty() ? "" : "; cannot be used: " + device.lacks));
  }
}

/// $XDG_CACHE_HOME/gpuimg/opencl, or ~/.cache/gpuimg/opencl; empty if there is no home.
std::string program_cache_folder() {
  const auto folder_in = [](const char* variable, const char* rest) {
    const char* base = std::getenv(variable);
    return base != nullptr && *base == '/' ? std::string(base) + rest : std::string();
  };
  const std::string folder = folder_in("XDG_CACHE_HOME", "/gpuimg/opencl");
  return folder.empty() ? folder_in("HOME", "/.cache/gpuimg/opencl") : folder;
}

/// The file that records a failed self-test of this device, driver and version of gpuimg. Empty if there is no cache
/// folder.
std::filesystem::path failure_file(const OpenclDevice& device) {
  const std::string folder = program_cache_folder();
  std::string name = device.name + ' ' + device.platform + ' ' + device.driver + " gpuimg " GPUIMG_VERSION;
  std::replace_if(
      name.begin(), name.end(), [](unsigned char c) { return std::isalnum(c) == 0 && c != '.'; }, '_');
  constexpr std::size_t kMaxLength = 200;
  name.resize(std::min(name.size(), kMaxLength));
  return folder.empty() ? std::filesystem::path() : std::filesystem::path(folder) / ("failed_" + name);
}

OpenclDevice device_of(int number) {
  check_opencl_device(number);
  return opencl_devices().at(static_cast<std::size_t>(number));
}

void remember_failure(int number, const std::string& difference) {
  const std::filesystem::path file = failure_file(device_of(number));
  std::error_code ignored;
  if (difference.empty()) {
    std::filesystem::remove(file, ignored);
  } else if (!file.empty()) {
    std::filesystem::create_directories(file.parent_path(), ignored);
    std::ofstream(file) << difference;
  }
}

/// Throws Error{backend_unavailable} if doctor found that the device computes wrong results, or if it cannot be used.
void reject_failed_device(int number) {
  const OpenclDevice device = device_of(number);
  std::ifstream file(failure_file(device));
  const std::string difference{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  if (!difference.empty()) {
    throw Error(ErrorKind::backend_unavailable,
                fmt::format("OpenCL: {} failed gpuimg's self-test: {}; update its driver and run 'gpuimg doctor "
                            "--backend opencl', or use --backend cpu",
                            device.name, difference));
  }
}

constexpr DeviceFacts kOpenclFacts = {is_opencl_built_in,  opencl_may_be_there, opencl_numbers, opencl_names,
                                      check_opencl_device, opencl_build_text,   tell_opencl,    nullptr,
                                      remember_failure};

/// Infinite, so that `auto` never chooses OpenCL, whose costs have not been measured.
double opencl_cost_ms(const Workload& /*work*/) { return std::numeric_limits<double>::infinity(); }

constexpr std::array<std::string_view, 4> kOpenclSynonyms = {"ocl", "cl", "amd", "intel"};

}  // namespace

constinit const BackendEntry kOpenclBackend = {BackendKind::opencl,
                                               "opencl",
                                               "OpenCL",
                                               "an OpenCL device; never chosen by auto; " GPUIMG_OPENCL_RUN_ON
                                               ", see gpuimg doctor",
                                               kOpenclSynonyms,
                                               false,
                                               [](const BackendOptions& options) {
                                                 reject_failed_device(options.device);
                                                 return make_opencl_backend({options.device, program_cache_folder()});
                                               },
                                               opencl_cost_ms,
                                               &kOpenclFacts,
                                               true};

}  // namespace gpuimg
