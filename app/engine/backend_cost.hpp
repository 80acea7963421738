// What `--backend auto` expects each backend to take for one image. The constants are measurements:
// docs/performance.md, "How auto decides".
#pragma once

#include <cstddef>

namespace gpuimg {

struct CostEstimate {
  double cpu_ms = 0.0;
  double cuda_ms = 0.0;  ///< start of the context, transfers and kernels
};

/// Of an operation on `pixels` pixels with `threads` CPU threads (0 = all).
CostEstimate estimated_cost(std::size_t pixels, int threads);

}  // namespace gpuimg
