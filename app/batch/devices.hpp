// Distributes images among devices: the option --devices, and the workers on each device. docs/batch.md, "The
// pipeline".
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
#include "engine/worker.hpp"
#include "gpuimg/backend.hpp"

namespace gpuimg {

struct DeviceList {
  std::vector<int> numbers;  ///< as given; empty: the device of --device
  bool all = false;
};

/// Parses "0,1", "all" or an empty text. Throws Error{usage}.
DeviceList parse_device_list(const std::string& text);

/// The devices that process the images; never empty. If `backend` has devices, asks its driver for them. Throws
/// Error{backend_unavailable} if one is missing.
std::vector<int> devices_of(const DeviceList& list, const GlobalOptions& globals, std::optional<BackendKind> backend);

/// The work of one CUDA device if the run has `images` images and processes `jobs` at the same time. If the number of
/// devices is not known yet, returns the work of the whole run.
DeviceWork work_per_device(const DeviceList& list, const GlobalOptions& globals, int jobs,
                           std::optional<std::uint64_t> images);

/// A pool of workers, one for each image in flight. Creates workers on demand, on the device with the fewest images in
/// flight.
class WorkerPool {
 private:
  struct DeviceWorkers {
    int device;
    std::size_t leased = 0;
    std::vector<std::unique_ptr<Worker>> free = {};
  };

 public:
  /// `devices` are device numbers; must not be empty. If devices are equally busy, uses the first one.
  WorkerPool(const GlobalOptions& options, const std::vector<int>& devices);

  /// A leased worker. Returns the worker to the pool when it goes out of scope.
  class Lease {
   public:
    Lease(WorkerPool& pool, DeviceWorkers& of, std::unique_ptr<Worker> worker)
        : pool_(pool), of_(of), worker_(std::move(worker)) {}
    Lease(const Lease&) = delete;
    Lease& operator=(const Lease&) = delete;
    ~Lease() { pool_.take_back(of_, std::move(worker_)); }

    Worker& operator*() const { return *worker_; }
    Worker* operator->() const { return worker_.get(); }
    [[nodiscard]] int device() const { return of_.device; }

    /// Destroys the worker and its backend's memory instead of returning it to the pool.
    void discard() { worker_.reset(); }

   private:
    WorkerPool& pool_;
    DeviceWorkers& of_;
    std::unique_ptr<Worker> worker_;
  };

  Lease lease();

  /// Destroys all workers that are not leased.
  void clear();

 private:
  void take_back(DeviceWorkers& of, std::unique_ptr<Worker> worker);

  GlobalOptions options_;
  std::shared_ptr<SharedByWorkers> shared_;
  std::mutex mutex_;
  std::vector<DeviceWorkers> devices_;  ///< never resized, because leases refer to the elements
};

}  // namespace gpuimg
