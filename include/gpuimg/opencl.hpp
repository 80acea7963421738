// Access to the OpenCL backend. Needs no OpenCL header. In a build without OpenCL, stubs report that it is missing.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "gpuimg/backend.hpp"

namespace gpuimg {

struct OpenclDevice {
  int index = 0;         ///< over all platforms, in the loader's order
  std::string name;      ///< "NVIDIA H200"
  std::string platform;  ///< "NVIDIA CUDA"
  std::string version;   ///< "OpenCL 3.0 CUDA"
  std::string driver;    ///< version of the driver
  int compute_units = 0;
  std::size_t total_bytes = 0;
  std::size_t largest_allocation = 0;  ///< bytes of one buffer
  std::size_t local_bytes = 0;         ///< of one work-group
  std::string lacks;                   ///< what the backend needs and the device does not have; empty if nothing
};

struct OpenclOptions {
  int device = 0;
  std::string cache_folder;  ///< for compiled programs; created if needed; empty = compile them each time
};

/// True unless this build leaves the backend out. Opens nothing.
bool is_opencl_built_in();

/// Opens the loader, libOpenCL.so.1. Throws Error{backend_unavailable} that names what is missing: the loader, a
/// platform or a device.
std::vector<OpenclDevice> opencl_devices();

/// Throws Error{backend_unavailable} if opencl_devices() would, if the device does not exist, or if it lacks what the
/// backend needs.
void check_opencl_device(int device);

/// Creates a context on the device. Programs are compiled when first needed. Throws Error{backend_unavailable}.
std::unique_ptr<Backend> make_opencl_backend(const OpenclOptions& options);

}  // namespace gpuimg
