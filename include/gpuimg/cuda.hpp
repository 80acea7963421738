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

/// Number of devices. Throws Error{backend_unavailable} if cuda_devices() would. Does not initialize any device.
int cuda_device_count();

/// All devices, in CUDA's order. Throws Error{backend_unavailable} that names the cause: no driver, no device, a driver
/// that is too old, or an empty or invalid CUDA_VISIBLE_DEVICES.
std::vector<CudaDevice> cuda_devices();

/// Throws Error{backend_unavailable} if cuda_devices() would, or if the device does not exist. Does not initialize the
/// device.
void check_cuda_device(int device);

/// Creates a context on the device (takes about 200 ms). Initializes no other device. Throws
/// Error{backend_unavailable}.
std::unique_ptr<Backend> make_cuda_backend(int device);

/// As above, but messages give `number` as the number of the device, for callers whose numbering differs from CUDA's
/// because of CUDA_VISIBLE_DEVICES.
std::unique_ptr<Backend> make_cuda_backend(int device, int number);

/// The device address of a Picture's pixels. The Picture must come from a CUDA backend, and keeps ownership of the
/// memory. Operations on it are complete only after Backend::wait(). Rows have no padding, except in a summed-area
/// table.
const void* cuda_pixels(const Picture& picture);

/// The device that holds this address. Throws Error{unsupported} if it is not device memory.
int cuda_device_of(const void* pixels);

/// Copies pixels from the memory of any CUDA device into a new Picture of `backend`, which must be a CUDA backend.
/// First waits for all work of all streams on the source device. Throws Error{unsupported} if `pixels` is not device
/// memory.
Picture copy_cuda_pixels(Backend& backend, ConstView pixels);

/// Waits for all work of all streams on the device. No-op if the device is no longer usable.
void wait_for_cuda_device(int device) noexcept;

/// Restores the current CUDA device of a thread. Functions called while this object exists may change the current
/// device; the destructor, on the same thread, makes the former device current again. If the process has no context on
/// the former device, the destructor does not restore it, because cudaSetDevice would create a context, which takes
/// several hundred megabytes of device memory. Objects can be nested. An object makes no CUDA call unless the current
/// device has been changed.
class KeptCudaDevice {
 public:
  KeptCudaDevice() noexcept;
  KeptCudaDevice(const KeptCudaDevice&) = delete;
  KeptCudaDevice& operator=(const KeptCudaDevice&) = delete;
  ~KeptCudaDevice();

  /// Called before every change of the current device. The first call during an object's life notes the device to
  /// restore.
  static void note_change() noexcept;

 private:
  KeptCudaDevice* outer_;
  int before_ = -1;  ///< the device to restore; -1 if the current device has not been changed
};

}  // namespace gpuimg
