// Processes one item up to the point where its result is recorded.
#pragma once

#include <atomic>
#include <functional>

#include "batch/batch_item.hpp"
#include "batch/batch_run.hpp"
#include "batch/memory_reserve.hpp"

namespace gpuimg {

class ItemProcessor {
 public:
  /// `is_cancelled` tells whether oneTBB has cancelled the running group: parallel loops then return early. `manifest`
  /// may be null.
  ItemProcessor(const ImageJob& job, ContextPool& contexts, const RunSettings& settings, ManifestWriter* manifest,
                MemoryBudget& budget, MemoryReserve& reserve, std::function<bool()> is_cancelled);

  /// Resets the item to begun, or to ready if there is nothing to do. Strong guarantee; throws only std::bad_alloc or
  /// Error{out_of_memory}.
  void begin(BatchItem& item, const PlanItem& planned) const;

  /// Takes an item from begun to ready and releases its memory budget. If the group was cancelled, the item stays begun
  /// and nothing is written. Throws like begin(), and Error{write} if the manifest's begun line cannot be written; the
  /// outputs then keep their temporary names and are removed.
  void compute(BatchItem& item);

  /// True once a device was lost: no new items may start.
  [[nodiscard]] bool device_is_lost() const { return device_is_lost_; }

 private:
  struct Attempt {
    bool is_cut_short = false;
    std::exception_ptr thrown;    ///< fails the item
    std::exception_ptr ends_run;  ///< the manifest cannot be written: ends the run
  };

  void plan_memory(BatchItem& item) const;
  [[nodiscard]] Attempt attempt(BatchItem& item) const;
  void stage(BatchItem& item, CommandContext& context) const;
  void give_names(BatchItem& item, CommandContext& context, Attempt& made) const;

  /// The manifest line to write before the item's outputs get their final names; empty if none is needed.
  [[nodiscard]] std::string line_before_names(const BatchItem& item) const;
  void check_still_absent(const PlanItem& item, const std::vector<std::string>& files) const;
  void conclude(BatchItem& item, const std::exception_ptr& thrown) const;
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
