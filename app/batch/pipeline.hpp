// The pipeline of a run: items come from a source, of files here and of an archive in archive.cpp, and end in order.
// Then the run of a plan: one worker reads, decodes, computes, encodes and writes each item. docs/batch.md, "The
// pipeline".
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "batch/batch_item.hpp"
#include "batch/devices.hpp"
#include "batch/manifest.hpp"
#include "batch/memory_reserve.hpp"
#include "batch/plan.hpp"
#include "batch/progress.hpp"
#include "batch/stop_signal.hpp"
#include "engine/image_job.hpp"
#include "engine/memory.hpp"

namespace gpuimg {

/// The stages of an item, in order.
struct Stages {
  std::function<BatchItem*()> next;              ///< the source: the next item; nullptr at the end. One at a time
  std::function<void(BatchItem& item)> compute;  ///< many at a time
  std::function<void(BatchItem& item)> end;      ///< the sink: in the order of the source, one at a time
  std::function<void(BatchItem& item)> store = nullptr;  ///< work that need not be in order; null: none
};

/// One pass of items through the stages, in oneTBB's pipeline.
class StageRun {
 public:
  StageRun();
  StageRun(const StageRun&) = delete;
  StageRun& operator=(const StageRun&) = delete;
  ~StageRun();

  /// At most `in_flight` items are between the source and the end at once. Throws what a stage throws, which cancels
  /// the others; also std::bad_alloc and std::runtime_error if oneTBB has no memory or no thread.
  void run(const Stages& stages, int jobs, std::size_t in_flight);

  /// True once the pass was cancelled: parallel loops then return early.
  [[nodiscard]] bool is_cancelled() const;

 private:
  struct Group;
  std::unique_ptr<Group> group_;
};

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
  NoteFolder notes;          ///< in plan order, printed as the items end
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

/// Records finished items: counts, failures, messages and manifest lines. Allocates everything before it changes any
/// count; after that, only writing the manifest can fail.
class ResultRecorder {
 public:
  ResultRecorder(const RunSettings& settings, const RunChannels& channels, const std::vector<PlanItem>& items,
                 MemoryReserve& reserve);

  /// Runs the item's in-order step, then counts, prints and records it. Call for one item at a time, in plan order.
  /// Throws Error{write} if the manifest cannot be written, and std::bad_alloc or Error{out_of_memory} before anything
  /// is counted.
  void end(BatchItem& item);

  /// True once too many items failed and no new ones may start.
  [[nodiscard]] bool must_end() const { return must_end_; }

  RunOutcome& outcome() { return outcome_; }

 private:
  void take_turn(BatchItem& item);
  [[nodiscard]] std::vector<std::string> lines_of(const BatchItem& item);
  void count(BatchItem& item);
  void tell_end(const BatchItem& item) const;
  [[nodiscard]] bool is_recorded(const BatchItem& item) const;

  const RunSettings& settings_;
  const RunChannels& channels_;
  MemoryReserve& reserve_;
  BlockedOutput blocked_;
  std::atomic<bool> must_end_ = false;
  RunOutcome outcome_;
};

/// Writes the manifest's first line once everything the run itself needs is allocated. Throws std::bad_alloc if memory
/// runs out before that, and Error{write} if the manifest cannot be written. After that, a failure belongs to an item
/// and appears in the outcome.
RunOutcome run_plan(const ImageJob& job, const WorkPlan& plan, WorkerPool& pool, const RunSettings& settings,
                    const RunChannels& channels);

}  // namespace gpuimg
