// How much memory of the host this process may take, and has taken. docs/batch.md, "Memory".
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace gpuimg {

/// Physical memory available to this process: free memory, or less if the control group's limit is lower.
std::uint64_t available_memory();

/// What images may take together: the limit less what the process holds already, or half of the available memory.
std::uint64_t memory_for_images(const std::optional<std::uint64_t>& limit);

/// Returns freed pixels to the system at once; otherwise each thread keeps some beyond the limit.
void return_freed_memory();

/// Why an image is refused that needs `bytes` where `limit`, --max-memory, leaves `room`: what it needs, and what to
/// give.
std::string why_too_large(std::uint64_t bytes, std::uint64_t limit, std::uint64_t room);

}  // namespace gpuimg
