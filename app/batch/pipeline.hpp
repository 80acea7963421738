// The pipeline of a run: a source provides items, and the items end in the source's order. In run_plan(), the source is
// a plan of files, and one worker reads, decodes, computes, encodes and writes each item. In archive.cpp, the source is
// an archive; in joined_pages.cpp, the pages of a file. docs/batch.md, "The pipeline".
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
  /// The source: returns the next item, or nullptr at the end. One call at a time.
  std::function<BatchItem*()> next;
  /// Called for many items at the same time.
  std::function<void(BatchItem& item)> compute;
  /// The sink: called in the order of the source. One call at a time.
  std::function<void(BatchItem& item)> end;
  /// For work after the sink that needs no order: called for many items at the same time. May be null.
  std::function<void(BatchItem& item)> store = nullptr;
};

/// One pass of items through the stages, in oneTBB's pipeline.
class StageRun {
 public:
  StageRun();
  StageRun(const StageRun&) = delete;
  StageRun& operator=(const StageRun&) = delete;
  ~StageRun();

  /// Never has more than `in_flight` items between source and sink. An exception in a stage cancels the other stages
  /// and is rethrown. Also throws std::bad_alloc or std::runtime_error if oneTBB lacks memory or threads.
  void run(const Stages& stages, int jobs, std::size_t in_flight);

  /// True once the pass has been cancelled: parallel loops then return early.
  [[nodiscard]] bool is_cancelled() const;

 private:
  struct Group;
  std::unique_ptr<Group> group_;
};

struct RunSettings {
  int jobs = 1;
  std::uint64_t budget_bytes = 0;        ///< for all images in flight; an image that needs more runs alone
  std::optional<MostMemory> most_bytes;  ///< an image that needs more than this fails
  GlobalOptions worker;
  std::uint64_t max_errors = 0;    ///< 0: no limit
  bool force = false;              ///< replace and count existing outputs
  bool skip_existing = false;      ///< also skip outputs that another process creates during the run
  bool record_done_before = true;  ///< record earlier results in the manifest; false if it already contains them
  Verbosity verbosity = Verbosity::normal;
  ItemRecord blank;  ///< operation, parameters and version for every manifest line
};

struct RunOutcome {
  ProgressCounts counts;
  PhaseTimes times;          ///< sum over all workers
  FailureList failures;      ///< in plan order
  NoteFolder notes;          ///< in plan order; printed when the items end
  std::uint64_t unread = 0;  ///< number of items that failed because their input is missing, damaged or not supported
  /// Why the run ended early: device_fault, backend_unavailable, out_of_memory or write.
  std::optional<ErrorKind> fatal;
  std::string why_no_output;  ///< for `write`: "cannot write: the disk is full; free some space, …"
};

/// Where a run sends its reports while it is running.
struct RunChannels {
  Progress& progress;
  const StopSignal& stop;
  ManifestWriter* manifest = nullptr;  ///< may be null
  std::string first_line;              ///< first line of the manifest
};

/// Records finished items: counts, failures, messages and manifest lines. Makes all allocations before it changes a
/// count. After the allocations, only writing the manifest can fail.
class ResultRecorder {
 public:
  ResultRecorder(const RunSettings& settings, const RunChannels& channels, const std::vector<PlanItem>& items,
                 MemoryReserve& reserve);

  /// Runs the item's in-order step, then counts, prints and records the item. Must be called for one item at a time, in
  /// plan order. Throws Error{write} if the manifest cannot be written, and std::bad_alloc or Error{out_of_memory}
  /// before anything is counted.
  void end(BatchItem& item);

  /// True once no new items may start: too many have failed, or no output can be written any more.
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

/// Runs the plan. First allocates everything that the run itself needs, then writes the manifest's first line. Throws
/// std::bad_alloc if memory runs out before the first line, and Error{write} if the manifest cannot be written. Later
/// failures belong to an item and are part of the outcome.
RunOutcome run_plan(const ImageJob& job, const WorkPlan& plan, WorkerPool& pool, const RunSettings& settings,
                    const RunChannels& channels);

}  // namespace gpuimg
