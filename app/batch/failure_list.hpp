// The failures of a run, as its end tells them: each cause with its first few files, then a count. docs/batch.md,
// "Failures".
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace gpuimg {

/// Holds a bounded number of lines, however many items fail.
class FailureList {
 public:
  /// `reason` is `message` without the names of the item's files: failures of one kind and reason have one cause.
  /// Strong guarantee; throws only std::bad_alloc.
  void add(std::string_view kind, const std::string& reason, const std::string& message);

  /// Messages in the order they were added, then "... and 4,997 more: reason" for each cause that has more.
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
