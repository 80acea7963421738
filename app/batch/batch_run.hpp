// Runs a plan: items in, each read, decoded, computed, encoded and written by one worker, results out in the order of
// the plan. docs/batch.md, "The pipeline".
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "batch/context_pool.hpp"
#include "batch/failure_list.hpp"
#include "batch/manifest.hpp"
#include "batch/memory_budget.hpp"
#include "batch/progress.hpp"
#include "batch/stop_signal.hpp"
#include "batch/work_plan.hpp"
#include "codecs/declared_image.hpp"
#include "engine/image_job.hpp"

namespace gpuimg {

struct RunSettings {
  int jobs = 1;
  std::uint64_t budget_bytes = 0;
  bool budget_is_limit = false;    ///< an image that needs more fails; else it runs alone
  std::uint64_t max_pixels = 0;    ///< larger images are refused before they take memory
  std::uint64_t max_errors = 0;    ///< 0 = no limit
  bool force = false;              ///< outputs that exist are replaced, and counted
  bool skip_existing = false;      ///< also what another process makes while this one runs
  bool record_done_before = true;  ///< in the manifest: not where it holds them already
  Verbosity verbosity = Verbosity::normal;
  ItemRecord blank;  ///< operation, parameters and version of every line
};

struct RunOutcome {
  ProgressCounts counts;
  PhaseTimes times;                ///< summed over all workers
  FailureList failures;            ///< in the order of the plan
  std::optional<ErrorKind> fatal;  ///< what ended the run: device_fault, backend_unavailable, out_of_memory or write
  std::string why_no_output;       ///< with `write`: "cannot write: the disk is full; free some space, …"
};

/// What the run tells as it goes on.
struct RunChannels {
  Progress& progress;
  const StopSignal& stop;
  ManifestWriter* manifest = nullptr;  ///< may be nothing
  std::string first_line;              ///< of the manifest
};

/// The manifest's first line is written when all is there that the run needs for itself: what memory runs out before
/// it is thrown, as is a manifest that cannot be written: Error{write}. From then on a failure is an item's, and an
/// outcome.
RunOutcome run_plan(const ImageJob& job, const WorkPlan& plan, ContextPool& contexts, const RunSettings& settings,
                    const RunChannels& channels);

/// Bytes that an image is expected to hold in memory, from what its file declares.
std::uint64_t expected_memory(const ImageJob& job, std::uint64_t file_bytes, const codecs::DeclaredImage& declared);

}  // namespace gpuimg
