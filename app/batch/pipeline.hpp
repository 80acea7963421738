// Runs a plan. One worker reads, decodes, computes, encodes and writes each item; results are reported in plan order.
// docs/batch.md, "The pipeline".
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "batch/batch_item.hpp"
#include "batch/devices.hpp"
#include "batch/manifest.hpp"
#include "batch/plan.hpp"
#include "batch/progress.hpp"
#include "batch/stop_signal.hpp"
#include "engine/image_job.hpp"
#include "engine/memory.hpp"

namespace gpuimg {

struct RunSettings {
  int jobs = 1;
  std::uint64_t budget_bytes = 0;        ///< of the images in flight; one that needs more runs alone
  std::optional<MostMemory> most_bytes;  ///< an image that needs more fails
  GlobalOptions worker;
  std::uint64_t max_errors = 0;    ///< 0 = no limit
  bool force = false;              ///< existing outputs are replaced and counted
  bool skip_existing = false;      ///< also skip outputs that another process creates during the run
  bool record_done_before = true;  ///< record earlier results in the manifest; false if it already contains them
  Verbosity verbosity = Verbosity::normal;
  ItemRecord blank;  ///< operation, parameters and version for every manifest line
};

struct RunOutcome {
  ProgressCounts counts;
  PhaseTimes times;          ///< summed over all workers
  FailureList failures;      ///< in plan order
  std::uint64_t unread = 0;  ///< items that failed because their input is missing, damaged or not supported
  std::optional<ErrorKind>
      fatal;                  ///< why the run ended early: device_fault, backend_unavailable, out_of_memory or write
  std::string why_no_output;  ///< for `write`: "cannot write: the disk is full; free some space, …"
};

/// Where the run reports while it is running.
struct RunChannels {
  Progress& progress;
  const StopSignal& stop;
  ManifestWriter* manifest = nullptr;  ///< may be null
  std::string first_line;              ///< of the manifest
};

/// Writes the manifest's first line once everything the run itself needs is allocated. Throws std::bad_alloc if memory
/// runs out before that, and Error{write} if the manifest cannot be written. After that, a failure belongs to an item
/// and appears in the outcome.
RunOutcome run_plan(const ImageJob& job, const WorkPlan& plan, WorkerPool& pool, const RunSettings& settings,
                    const RunChannels& channels);

}  // namespace gpuimg
