// What is known of a run as its items end: counts, failures, messages, lines of the manifest.
#pragma once

#include <atomic>
#include <string>

#include "batch/batch_run.hpp"
#include "batch/flight.hpp"
#include "batch/memory_reserve.hpp"

namespace gpuimg {

class RunLedger {
 public:
  RunLedger(const RunSettings& settings, const RunChannels& channels, std::uint64_t items, MemoryReserve& reserve);

  /// Does what was left for the item's turn, counts it, tells of it, and writes it down: one item at a time, in order.
  /// Throws Error{write} where the manifest cannot be written, and std::bad_alloc or Error{out_of_memory} before it has
  /// counted anything.
  void end(Flight& flight);

  [[nodiscard]] bool too_many_failed() const { return too_many_failed_; }

  RunOutcome& outcome() { return outcome_; }

 private:
  void take_turn(Flight& flight);
  void make_room();
  void count(Flight& flight);
  [[nodiscard]] bool is_recorded(const Flight& flight) const;

  const RunSettings& settings_;
  const RunChannels& channels_;
  MemoryReserve& reserve_;
  std::atomic<bool> too_many_failed_ = false;
  RunOutcome outcome_;
};

}  // namespace gpuimg
