// Processes one input after another: a loader, an executor and a writer of outputs share one backend and the report
// about the input. A command has one worker; a batch has one for each image in flight.
#pragma once

#include <atomic>
#include <memory>
#include <string>
#include <utility>

#include "cli/global_options.hpp"
#include "engine/backend_choice.hpp"
#include "engine/codec_selftest.hpp"
#include "engine/executor.hpp"
#include "engine/item_report.hpp"
#include "engine/loader.hpp"
#include "engine/memory.hpp"
#include "engine/output_writer.hpp"
#include "engine/placement.hpp"

namespace gpuimg {

/// What the workers of one run share: each codec is tested once, and each device has one total of memory.
struct SharedByWorkers {
  CodecAdmission admission;
  DeviceBudgets device_memory;
};

/// What a process keeps for further command lines.
struct Resident {
  BackendStore backends;
  std::shared_ptr<SharedByWorkers> shared = std::make_shared<SharedByWorkers>();
  std::atomic<bool> has_lost_device = false;  ///< a command line lost its device: the process must end
};

/// Returns what the process keeps for all its command lines, or, if it keeps nothing, a new object for this run.
inline std::shared_ptr<SharedByWorkers> shared_by_workers(const GlobalOptions& options) {
  return options.resident != nullptr ? options.resident->shared : std::make_shared<SharedByWorkers>();
}

struct Worker {
  /// A batch's worker processes many images, and keeps their messages for the batch to print.
  enum class Role { command, batch };

  explicit Worker(const GlobalOptions& globals, Role role = Role::command,
                  std::shared_ptr<SharedByWorkers> workers = nullptr)
      : options(globals),
        shared(workers != nullptr ? std::move(workers) : shared_by_workers(globals)),
        report(options.verbosity, role == Role::batch ? ItemReport::Messages::kept : ItemReport::Messages::printed),
        backends(options, role == Role::batch ? BackendSource::Images::many : BackendSource::Images::one),
        device_memory(options, shared->device_memory, report),
        writer(options, report),
        loader({options, report, backends, device_memory, shared->admission, writer.outputs(), role == Role::batch}),
        executor({options, report, backends, device_memory, shared->admission, loader}) {}
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;

  /// Resets everything but the backend for the next input. The parameters are those of OutputWriter::begin and
  /// Loader::begin.
  void begin_item(bool replaces = false, codecs::PageRef page = {}) { begin(replaces, page, false); }

  /// The same for a member of an archive, which is in memory or a part of a file; its outputs are kept.
  template <class Content>
  void begin_member(const std::string& name, Content&& content) {
    begin(false, {}, true);  // before add_member(): takes back the memory that an earlier item borrowed
    loader.add_member(name, std::forward<Content>(content));
  }

  /// The same for a page of a file.
  void begin_page(codecs::PageRef page) { begin(false, page, true); }

  /// Prints the times with --timing.
  void print_times() const {
    if (options.timing) {
      report.print_times(options.json);
    }
  }

  const GlobalOptions options;
  const std::shared_ptr<SharedByWorkers> shared;
  ItemReport report;
  BackendSource backends;
  DeviceMemory device_memory;
  OutputWriter writer;
  Loader loader;
  Executor executor;

 private:
  void begin(bool replaces, codecs::PageRef page, bool keeps_outputs) {
    writer.begin(replaces, keeps_outputs);
    loader.begin(page);
    report.begin();
    device_memory.release();
  }
};

}  // namespace gpuimg
