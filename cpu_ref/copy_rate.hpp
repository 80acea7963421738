// Memory bandwidth of this machine, the reference that `bench` compares operations with.
#pragma once

#include <cstddef>

namespace gpuimg::cpu {

/// Bytes read plus bytes written per second, using the threads of the current task arena. Median of several copies.
double measured_copy_rate(std::size_t bytes);

}  // namespace gpuimg::cpu
