// The devices that share the images: --devices, and the contexts of the workers on them. docs/batch.md, "The pipeline".
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "backends/backends.hpp"
#include "cli/global_options.hpp"
#include "engine/command_context.hpp"
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

/// What one of the CUDA devices gets of so many images, `jobs` at once; all of it if the devices are not known yet.
DeviceWork work_per_device(const DeviceList& list, const GlobalOptions& globals, int jobs,
                           std::optional<std::uint64_t> images);

/// Of worker contexts: one per image in flight, created on demand, on the device with the fewest images in flight.
class ContextPool {
 private:
  struct DeviceContexts {
    int device;
    std::size_t leased = 0;
    std::vector<std::unique_ptr<CommandContext>> free = {};
  };

 public:
  /// `devices` are CUDA device numbers; must not be empty. Of equally busy devices, the first is used.
  ContextPool(const GlobalOptions& options, const std::vector<int>& devices);

  /// Returns the context to the pool when it goes out of scope.
  class Lease {
   public:
    Lease(ContextPool& pool, DeviceContexts& of, std::unique_ptr<CommandContext> context)
        : pool_(pool), of_(of), context_(std::move(context)) {}
    Lease(const Lease&) = delete;
    Lease& operator=(const Lease&) = delete;
    ~Lease() { pool_.take_back(of_, std::move(context_)); }

    CommandContext& operator*() const { return *context_; }
    CommandContext* operator->() const { return context_.get(); }
    [[nodiscard]] int device() const { return of_.device; }

    /// Destroys the context, including its backend's memory, instead of returning it.
    void discard() { context_.reset(); }

   private:
    ContextPool& pool_;
    DeviceContexts& of_;
    std::unique_ptr<CommandContext> context_;
  };

  Lease lease();

  /// Destroys all contexts that are not leased.
  void clear();

 private:
  void take_back(DeviceContexts& of, std::unique_ptr<CommandContext> context);

  GlobalOptions options_;
  std::shared_ptr<SharedByWorkers> shared_ = std::make_shared<SharedByWorkers>();
  std::mutex mutex_;
  std::vector<DeviceContexts> devices_;  ///< never resized: leases refer to them
};

}  // namespace gpuimg
