// Oracle of summed-area tables, written independently from docs/operations.md. Uses only option names of gpuimg/ops.
#pragma once

#include <cstdint>
#include <vector>

#include "support/oracle_of_options.hpp"

namespace gpuimg::oracle {

using Sums = std::vector<std::uint64_t>;

/// Exact sums modulo 2⁶⁴, row by row, with a leading row and column of zeros: (h + 1) × (w + 1).
Sums padded_sums(ConstView pixels, const IntegralOptions& options);

}  // namespace gpuimg::oracle
