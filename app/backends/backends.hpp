// The list of backends, used by --backend, `auto`, --devices, --verify, --version, doctor and bench. A new backend is
// one entry in backends.cpp. Only this folder creates backends.
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

/// The configuration of backends. Each backend uses the fields that apply to it.
struct BackendOptions {
  int device = 0;
  int threads = 0;  ///< 0 = all processors

  bool operator==(const BackendOptions&) const = default;
};

/// The expected work of one device.
struct DeviceWork {
  int workers = 1;                                     ///< images that the device processes at once
  std::optional<std::uint64_t> images = std::nullopt;  ///< total number; nullopt: unknown
  std::optional<int> only_device = std::nullopt;       ///< set if no other device will be used
  bool is_own_process = true;                          ///< false: gpuimg is a library in another program

  bool operator==(const DeviceWork&) const = default;
};

/// Facts about a driver and its devices.
struct DeviceFacts {
  bool (*is_built_in)();
  /// False if there cannot be a device. Does not touch the driver.
  bool (*may_be_there)();
  /// Numbers of the devices. Throws Error{backend_unavailable} that says what is missing.
  std::vector<int> (*devices)();
  /// Names of the devices, in the same order. Throws like devices().
  std::vector<std::string> (*names)();
  /// Throws Error{backend_unavailable} if the device does not exist.
  void (*check_device)(int device);
  /// One line for --version, without touching the driver.
  std::string (*build_text)();
  /// For doctor: prints versions, then devices, each as soon as it is known. Throws Error{backend_unavailable}.
  void (*tell)(const std::function<void(const std::string& text)>& print);
  /// Announces the work of one device; only the first call counts. nullptr if the backend does not need this.
  void (*expect_work)(const DeviceWork& work) = nullptr;
  /// Remembers the `difference` if doctor found that the device computes wrong results; creating a backend on the
  /// device then fails. An empty text clears the failure. nullptr if the backend does not remember failures.
  void (*remember_failure)(int device, const std::string& difference) = nullptr;
};

/// The time of an operation per megapixel, without decoding and transfers. The default is that of RGB equalization, the
/// most expensive memory-bound operation; a device needs almost no time for memory-bound operations.
struct OperationCost {
  double thread_ms = 4.0;   ///< on one CPU thread
  int useful_threads = 16;  ///< more threads do not help: they share the memory bandwidth
  double device_ms = 0.0;
};

/// True if `only_on`, the list of backends that have an operation, contains `kind`. An empty list means all backends.
bool is_on(BackendKind kind, std::span<const BackendKind> only_on);

/// What `auto` must know about an operation.
struct WeighedOperation {
  OperationCost cost = {};
  std::span<const BackendKind> only_on = {};
};

/// The work for which `auto` chooses a backend.
struct Workload {
  std::uint64_t images = 1;
  std::uint64_t pixels = 0;  ///< of all images together
  double decoding_ms = 0.0;  ///< per megapixel on one CPU thread, if a backend may decode the files itself
  int threads = 0;           ///< CPU threads; 0 = all
  OperationCost cost = {};
  int round_trips = 0;  ///< times that the pixels of an image go to the host and back between operations

  [[nodiscard]] double megapixels() const { return static_cast<double>(pixels) / 1.0e6; }
};

struct BackendEntry {
  BackendKind kind;
  std::string_view name;     ///< the value of `--backend`, equal to Backend::name()
  std::string_view title;    ///< its name in sentences: "the CPU", "CUDA"
  std::string_view meaning;  ///< a few words for --help
  std::span<const std::string_view>
      synonyms;         ///< words that users may type instead; they are rejected, and the error suggests `name`
  bool memory_is_host;  ///< equal to Backend::memory_is_host()

  /// Throws Error{backend_unavailable} if the backend is not built in, or has no device or driver.
  std::unique_ptr<Backend> (*make)(const BackendOptions& options);

  /// Expected milliseconds for an operation, including the start of the backend, but without work that the host does
  /// for every backend. `auto` chooses the smallest. The constants are measured: docs/performance.md, "Starts".
  double (*cost_ms)(const Workload& work);

  /// nullptr for a backend without devices.
  const DeviceFacts* device_facts = nullptr;

  /// Used only if --backend names it; `auto` and --verify never choose it.
  bool is_opt_in = false;
};

/// Defined in cuda.cpp and opencl.cpp, which also query drivers and devices. A build without a backend still has its
/// entry; is_built_in() is then false.
extern const BackendEntry kCudaBackend;
extern const BackendEntry kOpenclBackend;

/// All backends, in the order of help texts. Includes backends that are not built in.
std::span<const BackendEntry> backends();

const BackendEntry& backend_entry(BackendKind kind);

/// False if this build leaves the backend out.
bool is_built_in(const BackendEntry& entry);

/// The number of the device whose name contains `part`, ignoring case. Throws Error{backend_unavailable} if no device
/// or several devices match. Also throws like DeviceFacts::devices().
int device_named(const BackendEntry& entry, std::string_view part);

/// False if the backend cannot be used here, because it is not built in or there is no device. Does not touch the
/// driver.
bool may_be_there(const BackendEntry& entry);

/// Announces the work of one device to each backend with devices. Call before threads start, and before any code
/// touches a driver; only the first call counts.
void expect_work(const DeviceWork& work);

}  // namespace gpuimg
