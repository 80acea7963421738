// Access to the CUDA backend. Needs no CUDA header. In a build without CUDA, stubs report that it is missing.
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
  int runtime = 0;            ///< linked in; 13000 means 13.0; 0 = built without CUDA
  int driver = 0;             ///< newest CUDA version the driver supports; 0 = no driver
  std::string architectures;  ///< built-in code, for people: "sm_75 sm_90 compute_90"
};

/// The versions of this build. Queries the driver version only if `ask_driver` is true.
CudaVersions cuda_versions(bool ask_driver);

/// Number of devices. Throws Error{backend_unavailable} like cuda_devices(). Does not initialize any device.
int cuda_device_count();

/// All devices, in CUDA's order. Throws Error{backend_unavailable} that names the cause: no driver, no device, a driver
/// that is too old, or an empty or invalid CUDA_VISIBLE_DEVICES.
std::vector<CudaDevice> cuda_devices();

/// Throws Error{backend_unavailable} if cuda_devices() would, or if the device does not exist. Does not initialize it.
void check_cuda_device(int device);

/// Creates the context (about 200 ms). Initializes only that device. Throws Error{backend_unavailable}.
std::unique_ptr<Backend> make_cuda_backend(int device);

/// As above. Messages call the device `number`, for callers whose numbering differs because of CUDA_VISIBLE_DEVICES.
std::unique_ptr<Backend> make_cuda_backend(int device, int number);

/// The device address of a Picture's pixels; a CUDA backend must have made the Picture, which keeps ownership.
/// Operations on it are complete only after Backend::wait(). Rows are not padded, except those of a summed-area table.
const void* cuda_pixels(const Picture& picture);

/// The device that holds this address. Throws Error{unsupported} if it is not device memory.
int cuda_device_of(const void* pixels);

/// Copies pixels from the memory of any CUDA device into a new Picture of `backend`, which must be a CUDA backend.
/// First waits for all work of all streams on the source device. Throws Error{unsupported} if `pixels` is not device
/// memory.
Picture copy_cuda_pixels(Backend& backend, ConstView pixels);

/// Waits for all work of all streams on the device. No-op if the device is no longer usable.
void wait_for_cuda_device(int device) noexcept;

/// Restores the current device of a thread. Functions called while this object exists may make another device current;
/// the destructor, on the same thread, makes the former one current again, unless this process has no context on it:
/// cudaSetDevice would create one, in some hundreds of megabytes of that device. Objects nest. They call CUDA only
/// after a device has been made current.
class KeptCudaDevice {
 public:
  KeptCudaDevice() noexcept;
  KeptCudaDevice(const KeptCudaDevice&) = delete;
  KeptCudaDevice& operator=(const KeptCudaDevice&) = delete;
  ~KeptCudaDevice();

  /// Notes the current device, before the first change of it on the calling thread.
  static void note_change() noexcept;

 private:
  KeptCudaDevice* outer_;
  int before_ = -1;  ///< the former device; -1 if no device has been made current
};

}  // namespace gpuimg
