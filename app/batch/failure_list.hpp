// Failures for the final report: for each cause the first few files, then a count. docs/batch.md, "Failures".
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace gpuimg {

/// Stores a bounded number of lines, however many items fail.
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

}  // namespace gpuimg
