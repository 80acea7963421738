// Pool of worker contexts: one per image in flight, created on demand, on the device with the fewest images in flight.
#pragma once

#include <cstddef>
#include <memory>
#include <mutex>
#include <vector>

#include "cli/global_options.hpp"
#include "engine/command_context.hpp"

namespace gpuimg {

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
