// The failures of a run: for each cause the first few files, then a count; and whether no output can be written any
// more, so that a run on a full disk ends early. docs/batch.md, "Failures".
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "batch/batch_item.hpp"

namespace gpuimg {

/// Failures for the final report: for each cause the first few files, then a count. Stores a bounded number of lines,
/// however many items fail.
class FailureList {
 public:
  /// `reason` is `message` without the item's file names: failures with equal kind and reason share a cause. Strong
  /// guarantee; throws only std::bad_alloc.
  void add(std::string_view kind, const std::string& reason, const std::string& message);

  /// Messages in insertion order, then "... and 4,997 more: reason" for each cause with more failures.
  [[nodiscard]] std::vector<std::string> lines() const;

 private:
  struct Cause {
    std::string kind;
    std::string reason;
    std::uint64_t failures = 0;
    std::uint64_t told = 0;
  };

  std::vector<Cause> causes_;
  std::vector<std::string> told_;
  std::uint64_t of_other_causes_ = 0;
};

/// Detects that no output can be written any more, so that a run on a full disk ends early.
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
