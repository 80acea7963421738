// Detects that no output can be written any more, so that a run on a full disk ends early. docs/batch.md, "Failures".
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "batch/batch_item.hpp"

namespace gpuimg {

class BlockedOutput {
 public:
  /// This many consecutive failures with the same errno count as permanent.
  static constexpr int kInARow = 5;

  /// `items` is the whole plan and must outlive this object.
  explicit BlockedOutput(const std::vector<PlanItem>& items) : items_(items) {}

  /// Counts a finished item. Call in plan order.
  void count(const BatchItem& item) noexcept;

  /// True once every remaining item can be expected to fail too.
  [[nodiscard]] bool is_certain() const { return is_certain_; }

 private:
  [[nodiscard]] bool strikes_the_rest(const BatchItem& item) const noexcept;

  const std::vector<PlanItem>& items_;
  int system_error_ = 0;
  int in_a_row_ = 0;
  bool is_certain_ = false;
};

}  // namespace gpuimg
