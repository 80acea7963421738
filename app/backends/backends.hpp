// The list of backends, read by --backend, `auto`, --devices, --verify, --version, doctor and bench. A new backend is
// one entry in backends.cpp. Only this folder makes backends.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "gpuimg/backend.hpp"

namespace gpuimg {

/// What backends are configured with. Each uses the fields that apply to it.
struct BackendOptions {
  int device = 0;
  int threads = 0;  ///< 0 = all processors

  bool operator==(const BackendOptions&) const = default;
};

/// What one device will have to do.
struct DeviceWork {
  int workers = 1;                                     ///< images on it at once
  std::optional<std::uint64_t> images = std::nullopt;  ///< all of them; nullopt: not known
  std::optional<int> only_device = std::nullopt;       ///< if no other device will be used
  bool is_own_process = true;                          ///< false: the environment is another program's

  bool operator==(const DeviceWork&) const = default;
};

/// Facts about a driver and its devices.
struct DeviceFacts {
  bool (*is_built_in)();
  /// False if there cannot be a device. Does not touch the driver.
  bool (*may_be_there)();
  /// Numbers of the devices. Throws Error{backend_unavailable} that names what is missing.
  std::vector<int> (*devices)();
  /// Their names, in the same order. Throws likewise.
  std::vector<std::string> (*names)();
  /// Throws Error{backend_unavailable} if the device does not exist.
  void (*check_device)(int device);
  /// One line for --version, without touching the driver.
  std::string (*build_text)();
  /// For doctor: tells versions, then devices, each as soon as it is known. Throws Error{backend_unavailable}.
  void (*tell)(const std::function<void(const std::string& text)>& print);
  /// What will be on one device. The first call counts. nullptr if it makes no difference.
  void (*expect_work)(const DeviceWork& work) = nullptr;
  /// Remembers that doctor found the device to compute wrong results, and how: making a backend on it then fails. An
  /// empty text forgets it. nullptr if the backend is not refused for it.
  void (*remember_failure)(int device, const std::string& difference) = nullptr;
};

/// What an operation takes for a megapixel, without decoding and transfers. The default is RGB equalization: the most
/// expensive of the operations that memory bounds, for which a device takes next to nothing.
struct OperationCost {
  double thread_ms = 4.0;   ///< a thread of the CPU
  int useful_threads = 16;  ///< more do not help: they share the memory's bandwidth
  double device_ms = 0.0;
};

/// True if `only_on`, the backends that have an operation, holds this one, or is empty: then all of them have it.
bool is_on(BackendKind kind, std::span<const BackendKind> only_on);

/// An operation as `auto` weighs it.
struct WeighedOperation {
  OperationCost cost = {};
  std::span<const BackendKind> only_on = {};
};

/// The work that `auto` weighs.
struct Workload {
  std::uint64_t images = 1;
  std::uint64_t pixels = 0;  ///< of all images together
  double decoding_ms = 0.0;  ///< of a megapixel by a thread of the CPU, if a backend may decode the files itself
  int threads = 0;           ///< of the CPU; 0 = all
  OperationCost cost = {};
  int round_trips = 0;  ///< of the pixels of each image: to the host and back, between two operations

  [[nodiscard]] double megapixels() const { return static_cast<double>(pixels) / 1.0e6; }
};

struct BackendEntry {
  BackendKind kind;
  std::string_view name;                       ///< the value of `--backend`, equal to Backend::name()
  std::string_view title;                      ///< its name in sentences: "the CPU", "CUDA"
  std::string_view meaning;                    ///< a few words for --help
  std::span<const std::string_view> synonyms;  ///< words that are typed for it: not accepted, but suggested
  bool memory_is_host;                         ///< equal to Backend::memory_is_host()

  /// Throws Error{backend_unavailable} if the backend is not built in, or has no device or driver.
  std::unique_ptr<Backend> (*make)(const BackendOptions& options);

  /// Expected milliseconds for an operation, including the start of the backend, but without what every backend leaves
  /// to the host alike. `auto` takes the smallest. The constants are measured: docs/performance.md, "Starts".
  double (*cost_ms)(const Workload& work);

  /// What only a backend with devices has; nullptr for the others.
  const DeviceFacts* device_facts = nullptr;

  /// Only used when named: neither `auto` nor --verify takes it by itself.
  bool is_opt_in = false;
};

/// Entries that stand in files of their own, with what is asked of their drivers and devices: cuda.cpp and opencl.cpp.
/// In a build without the backend, its entry says so.
extern const BackendEntry kCudaBackend;
extern const BackendEntry kOpenclBackend;

/// All backends, in the order of help texts. Includes those that are not built in.
std::span<const BackendEntry> backends();

const BackendEntry& backend_entry(BackendKind kind);

/// False if this build leaves the backend out.
bool is_built_in(const BackendEntry& entry);

/// The number of the device whose name contains `part`, in any case. Throws Error{backend_unavailable} if none or
/// several do, or as DeviceFacts::devices() does.
int device_named(const BackendEntry& entry, std::string_view part);

/// False if the backend cannot be used here: left out, or without a device. Does not touch the driver.
bool may_be_there(const BackendEntry& entry);

/// Tells each backend with devices what one of them will have to do. Call before threads start, and before anything
/// that touches a driver; only the first call counts.
void expect_work(const DeviceWork& work);

}  // namespace gpuimg
