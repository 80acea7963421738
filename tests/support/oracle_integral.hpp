// Summed-area tables by plain sums, written anew from docs/operations.md for the tests. Of gpuimg/ops only the names of
// options are used.
#pragma once

#include <cstdint>
#include <vector>

#include "support/oracle_of_options.hpp"

namespace gpuimg::oracle {

using Sums = std::vector<std::uint64_t>;

/// Exact sums modulo 2⁶⁴, row by row, with a row and a column of zeros before them: (h + 1) × (w + 1).
Sums padded_sums(ConstView pixels, const IntegralOptions& options);

}  // namespace gpuimg::oracle
