// The time estimates behind `--backend auto`. The constants are measured: docs/performance.md, "How auto decides".
#pragma once

#include <cstddef>

namespace gpuimg {

struct CostEstimate {
  double cpu_ms = 0.0;
  double cuda_ms = 0.0;  ///< context creation, transfers and kernels
};

/// Estimates an operation on `pixels` pixels with `threads` CPU threads (0 = all).
CostEstimate estimated_cost(std::size_t pixels, int threads);

}  // namespace gpuimg
