// Access to the OpenCL backend. Needs no OpenCL header. In a build without OpenCL, stubs report that it is missing.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "gpuimg/backend.hpp"

namespace gpuimg {

struct OpenclDevice {
  int index = 0;         ///< counts through all platforms, in the loader's order
  std::string name;      ///< "NVIDIA H200"
  std::string platform;  ///< "NVIDIA CUDA"
  std::string version;   ///< "OpenCL 3.0 CUDA"
  std::string driver;    ///< driver version
  int compute_units = 0;
  std::size_t total_bytes = 0;
  std::size_t largest_allocation = 0;  ///< bytes that one buffer can have
  std::size_t local_bytes = 0;         ///< bytes of local memory per work-group
  std::string lacks;                   ///< what the backend needs but the device does not have; empty = suitable
};

struct OpenclOptions {
  int device = 0;
  std::string cache_folder;  ///< where compiled programs are cached; created if needed; empty = no cache
};

/// True if the backend is part of this build. Does not open the OpenCL loader.
bool is_opencl_built_in();

/// All devices. Opens the OpenCL loader, libOpenCL.so.1. Throws Error{backend_unavailable} that names what is missing:
/// the loader, a platform or a device.
std::vector<OpenclDevice> opencl_devices();

/// Throws Error{backend_unavailable} if opencl_devices() would, if the device does not exist, or if it lacks something
/// that the backend needs.
void check_opencl_device(int device);

/// Creates a context on the device. Programs are compiled when first needed. Throws Error{backend_unavailable}.
std::unique_ptr<Backend> make_opencl_backend(const OpenclOptions& options);

}  // namespace gpuimg
