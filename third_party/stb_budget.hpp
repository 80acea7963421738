// Limits the memory of each stb_image decode, and zeroes it. Reasons: docs/operations.md, "Files".
#pragma once

#include <cstddef>

namespace gpuimg {

/// While this object exists, stb_image may allocate `bytes` in total on this thread; freed memory does not count as
/// available again. Without a budget, stb_image cannot allocate. At most one may exist per thread.
class StbBudget {
 public:
  explicit StbBudget(std::size_t bytes);
  ~StbBudget();
  StbBudget(const StbBudget&) = delete;
  StbBudget& operator=(const StbBudget&) = delete;

  /// True if a request exceeded the budget.
  [[nodiscard]] bool exceeded() const;

  /// True if the system could not satisfy a request.
  [[nodiscard]] bool out_of_memory() const;
};

}  // namespace gpuimg
