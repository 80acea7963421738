// How to obtain the CUDA backend, where it is built in. No CUDA header is needed to include this.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "gpuimg/backend.hpp"

namespace gpuimg {

struct CudaDevice {
  int index = 0;
  std::string name;
  int compute_major = 0;
  int compute_minor = 0;
  int multiprocessors = 0;
  std::size_t total_bytes = 0;
  std::size_t free_bytes = 0;
};

struct CudaVersions {
  int runtime = 0;            ///< linked in; 13000 = 13.0; 0 = built without CUDA
  int driver = 0;             ///< newest CUDA version the driver supports; 0 = no driver
  std::string architectures;  ///< code built in, for people: "sm_75 sm_90 compute_90"
};

/// What is built in. Does not touch the driver except for the `driver` field, and only with `ask_driver`.
CudaVersions cuda_versions(bool ask_driver);

/// Devices in CUDA's order. Throws Error{backend_unavailable} that names what is missing: no driver, no device, a
/// driver too old, CUDA_VISIBLE_DEVICES empty or wrong.
std::vector<CudaDevice> cuda_devices();

/// Throws Error{backend_unavailable} where cuda_devices would, or if there is no such device. Touches none.
void check_cuda_device(int device);

/// Creates the context (about 200 ms) and touches only that device. Throws Error{backend_unavailable}.
std::unique_ptr<Backend> make_cuda_backend(int device);

}  // namespace gpuimg
