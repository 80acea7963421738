// What becomes of one item on its way through the pipeline, before its turn to be recorded.
#pragma once

#include <atomic>
#include <functional>

#include "batch/batch_item.hpp"
#include "batch/batch_run.hpp"
#include "batch/memory_reserve.hpp"

namespace gpuimg {

class ItemWork {
 public:
  /// `is_cancelled` tells whether oneTBB has given up what runs now: parallel loops then return before their end.
  /// `manifest` may be nothing.
  ItemWork(const ImageJob& job, ContextPool& contexts, const RunSettings& settings, ManifestWriter* manifest,
           MemoryBudget& budget, MemoryReserve& reserve, std::function<bool()> is_cancelled);

  /// Fills the flight anew: begun, or ready where nothing is to be done. Throws for want of memory alone, and may then
  /// be called again.
  void begin(Flight& flight, const PlanItem& item) const;

  /// Makes a begun flight ready, and gives back the memory it holds. It stays begun, and nothing is written, where its
  /// work was cancelled. Throws as begin() does, and Error{write} if the manifest cannot be told that the outputs are
  /// about to get their names: then they do not.
  void compute(Flight& flight);

  /// A backend is gone: nothing more may begin.
  [[nodiscard]] bool device_is_lost() const { return device_is_lost_; }

 private:
  struct Attempt {
    bool is_cut_short = false;
    std::exception_ptr thrown;    ///< the item fails
    std::exception_ptr ends_run;  ///< the manifest cannot be written
  };

  void plan_memory(Flight& flight) const;
  [[nodiscard]] Attempt attempt(Flight& flight) const;
  void stage(Flight& flight, CommandContext& context) const;
  void give_names(Flight& flight, CommandContext& context, Attempt& made) const;

  /// What the manifest is told before the outputs of the item get their names; empty if it is not told.
  [[nodiscard]] std::string line_before_names(const Flight& flight) const;
  void check_still_absent(const PlanItem& item, const std::vector<std::string>& files) const;
  void conclude(Flight& flight, const std::exception_ptr& thrown) const;
  [[nodiscard]] bool has_output(const PlanItem& item) const;

  const ImageJob& job_;
  ContextPool& contexts_;
  const RunSettings& settings_;
  ManifestWriter* manifest_;
  MemoryBudget& budget_;
  MemoryReserve& reserve_;
  std::function<bool()> is_cancelled_;
  std::atomic<bool> device_is_lost_ = false;
};

}  // namespace gpuimg
