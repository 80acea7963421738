// Records finished items: counts, failures, messages and manifest lines.
#pragma once

#include <atomic>
#include <string>
#include <vector>

#include "batch/batch_item.hpp"
#include "batch/batch_run.hpp"
#include "batch/failures.hpp"
#include "batch/memory_reserve.hpp"

namespace gpuimg {

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
  void count(BatchItem& item);
  [[nodiscard]] bool is_recorded(const BatchItem& item) const;

  const RunSettings& settings_;
  const RunChannels& channels_;
  MemoryReserve& reserve_;
  BlockedOutput blocked_;
  std::atomic<bool> must_end_ = false;
  RunOutcome outcome_;
};

}  // namespace gpuimg
