// Finds OpenCL devices and what they offer.
#pragma once

#include <string>
#include <vector>

#include "device/api.hpp"
#include "gpuimg/opencl.hpp"

namespace gpuimg::opencl {

struct FoundDevice {
  cl_platform_id platform = nullptr;
  cl_device_id id = nullptr;
  OpenclDevice facts;
  bool divides_exactly = false;  ///< offers correctly rounded float32 division
  bool is_cpu = false;
  std::size_t max_group_items = 0;  ///< of a work-group
};

/// All devices of all platforms. Throws Error{backend_unavailable} if there is none.
std::vector<FoundDevice> find_devices(const Api& api);

/// Throws Error{backend_unavailable} if the device does not exist or lacks what the backend needs.
FoundDevice usable_device(const Api& api, int index);

}  // namespace gpuimg::opencl
