// What is known of a run as its items end: counts, failures, messages, lines of the manifest.
#pragma once

#include <atomic>
#include <string>
#include <vector>

#include "batch/batch_item.hpp"
#include "batch/batch_run.hpp"
#include "batch/blocked_output.hpp"
#include "batch/memory_reserve.hpp"

namespace gpuimg {

class RunLedger {
 public:
  RunLedger(const RunSettings& settings, const RunChannels& channels, const std::vector<PlanItem>& items,
            MemoryReserve& reserve);

  /// Does what was left for the item's turn, counts it, tells of it, and writes it down: one item at a time, in order.
  /// Throws Error{write} where the manifest cannot be written, and std::bad_alloc or Error{out_of_memory} before it has
  /// counted anything.
  void end(Flight& flight);

  /// True once so much has failed that no more items may begin.
  [[nodiscard]] bool must_end() const { return must_end_; }

  RunOutcome& outcome() { return outcome_; }

 private:
  void take_turn(Flight& flight);
  void count(Flight& flight);
  [[nodiscard]] bool is_recorded(const Flight& flight) const;

  const RunSettings& settings_;
  const RunChannels& channels_;
  MemoryReserve& reserve_;
  BlockedOutput blocked_;
  std::atomic<bool> must_end_ = false;
  RunOutcome outcome_;
};

}  // namespace gpuimg
