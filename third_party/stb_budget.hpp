// Limits the memory of each stb_image decode, and zeroes it. Reasons: docs/operations.md, "Files".
#pragma once

#include <cstddef>

namespace gpuimg {

/// While a StbBudget exists, stb_image can allocate `bytes` bytes in total on this thread; freeing memory does not
/// increase the budget. Without a StbBudget, stb_image cannot allocate. At most one StbBudget may exist per thread.
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
