// The memory that stb_image may take: zeroed, and bounded for each decode. Why: docs/operations.md, "Files".
#pragma once

#include <cstddef>

namespace gpuimg {

/// While it lives, stb_image called on this thread may allocate `bytes` in all; frees give nothing back. Without a
/// budget stb_image can allocate nothing. One at a time on a thread.
class StbBudget {
 public:
  explicit StbBudget(std::size_t bytes);
  ~StbBudget();
  StbBudget(const StbBudget&) = delete;
  StbBudget& operator=(const StbBudget&) = delete;

  /// True after a request that the budget did not allow.
  [[nodiscard]] bool exceeded() const;

  /// True after a request that the system could not serve.
  [[nodiscard]] bool out_of_memory() const;
};

}  // namespace gpuimg
