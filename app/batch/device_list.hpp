// --devices: which devices share the images. docs/batch.md, "The pipeline".
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "backends/backends.hpp"
#include "cli/global_options.hpp"
#include "gpuimg/backend.hpp"

namespace gpuimg {

struct DeviceList {
  std::vector<int> numbers;  ///< as named; empty = the one of --device
  bool all = false;
};

/// "0,1", "all" or nothing. Throws Error{usage}.
DeviceList parse_device_list(const std::string& text);

/// The devices that the images go to; not empty. If `backend` has devices, asks its driver: throws
/// Error{backend_unavailable} if one of them is missing.
std::vector<int> devices_of(const DeviceList& list, const GlobalOptions& globals, std::optional<BackendKind> backend);

/// What one of the CUDA devices gets of so many images, `jobs` at once; all of it if the devices are not known yet.
DeviceWork work_per_device(const DeviceList& list, const GlobalOptions& globals, int jobs,
                           std::optional<std::uint64_t> images);

}  // namespace gpuimg
