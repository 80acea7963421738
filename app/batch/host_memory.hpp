// How much memory of the host this process may take, and has taken. docs/batch.md, "Memory".
#pragma once

#include <cstdint>

namespace gpuimg {

/// Physical memory available to this process: free memory, or less if the control group's limit is lower.
std::uint64_t available_memory();

/// Resident set size of the process, in bytes.
std::uint64_t resident_memory();

}  // namespace gpuimg
