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

/// Versions of what is built in. Queries the driver version only if `ask_driver` is true.
CudaVersions cuda_versions(bool ask_driver);

/// Number of devices. Throws Error{backend_unavailable} like cuda_devices(). Initializes no device.
int cuda_device_count();

/// Devices in CUDA's order. Throws Error{backend_unavailable} that names the cause: no driver, no device, a driver that
/// is too old, or CUDA_VISIBLE_DEVICES empty or wrong.
std::vector<CudaDevice> cuda_devices();

/// Throws Error{backend_unavailable} if cuda_devices() would, or if the device does not exist. Initializes no device.
void check_cuda_device(int device);

/// Creates the context (about 200 ms). Initializes only that device. Throws Error{backend_unavailable}.
std::unique_ptr<Backend> make_cuda_backend(int device);

/// Likewise; messages call the device by `number`, where CUDA_VISIBLE_DEVICES gives it another one.
std::unique_ptr<Backend> make_cuda_backend(int device, int number);

/// The device address of the pixels of a Picture that a CUDA backend has made, rows without padding. What has been
/// begun there is done after Backend::wait(). The Picture keeps the memory. A Picture of a summed-area table has padded
/// rows.
const void* cuda_pixels(const Picture& picture);

/// The device whose memory has this address. Throws Error{unsupported} if none has.
int cuda_device_of(const void* pixels);

/// Copies pixels in the memory of any CUDA device to a Picture of `backend`, a CUDA backend. Waits first for all work
/// on that device, of every stream. Throws Error{unsupported} as cuda_device_of() does.
Picture copy_cuda_pixels(Backend& backend, ConstView pixels);

/// Waits for all work on the device, of every stream. Does nothing if the device cannot be used any more.
void wait_for_cuda_device(int device) noexcept;

/// What is called while this object exists may make another device the current one of the calling thread. Its
/// destructor, on the same thread, makes the former one current again. Objects nest. It asks CUDA nothing as long as no
/// device is made current.
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
  int before_ = -1;  ///< -1: it is as it was
};

}  // namespace gpuimg
