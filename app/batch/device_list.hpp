// --devices: which devices share the images. docs/batch.md, "The pipeline".
#pragma once

#include <optional>
#include <string>
#include <vector>

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

/// As many of `jobs` images at once as one of the devices gets; all of them if the devices are not known yet.
int jobs_per_device(const DeviceList& list, int jobs);

}  // namespace gpuimg
