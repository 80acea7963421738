// How fast this machine's memory copies: the measure beside which `bench` puts the operations.
#pragma once

#include <cstddef>

namespace gpuimg::cpu {

/// Bytes read plus written a second, on the threads of the current arena; the median of several copies.
double measured_copy_rate(std::size_t bytes);

}  // namespace gpuimg::cpu
