// How much memory of the host this process may take, and has taken. docs/batch.md, "Memory".
#pragma once

#include <cstdint>
#include <optional>

namespace gpuimg {

/// Physical memory available to this process: free memory, or less if the control group's limit is lower.
std::uint64_t available_memory();

/// What images may take together: the limit less what the process holds already, or half of the available memory.
std::uint64_t memory_for_images(const std::optional<std::uint64_t>& limit);

}  // namespace gpuimg
