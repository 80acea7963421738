// Limits the memory of stb_image per decode, and zeroes it. Reasons: docs/operations.md, "Files".
#pragma once

#include <cstddef>

namespace gpuimg {

/// During its lifetime, stb_image on this thread may allocate `bytes` in total; freeing gives nothing back. Without a
/// budget, stb_image cannot allocate. Only one may exist per thread.
class StbBudget {
 public:
  explicit StbBudget(std::size_t bytes);
  ~StbBudget();
  StbBudget(const StbBudget&) = delete;
  StbBudget& operator=(const StbBudget&) = delete;

  /// True after a request that exceeded the budget.
  [[nodiscard]] bool exceeded() const;

  /// True after a request that the system could not satisfy.
  [[nodiscard]] bool out_of_memory() const;
};

}  // namespace gpuimg
