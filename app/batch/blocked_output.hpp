// Tells when no output can be written any more, so that a run into a full disk ends early. docs/batch.md, "Failures".
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "batch/batch_item.hpp"

namespace gpuimg {

class BlockedOutput {
 public:
  /// So many failures in a row, of one cause, are no accident.
  static constexpr int kInARow = 5;

  /// `items` is the whole plan, and outlives this.
  explicit BlockedOutput(const std::vector<PlanItem>& items) : items_(items) {}

  /// Takes note of how an item ended. Items come in the order of the plan.
  void count(const Flight& flight) noexcept;

  /// True once no other item can be expected to be written either.
  [[nodiscard]] bool is_certain() const { return is_certain_; }

 private:
  [[nodiscard]] bool strikes_the_rest(const Flight& flight) const noexcept;

  const std::vector<PlanItem>& items_;
  int system_error_ = 0;
  int in_a_row_ = 0;
  bool is_certain_ = false;
};

}  // namespace gpuimg
