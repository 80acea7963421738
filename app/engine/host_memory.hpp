// How much memory of the host this process may take, and has taken. docs/batch.md, "Memory".
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace gpuimg {

/// What images may take together: what --max-memory, `limit`, leaves beside what the process holds already, or half of
/// the free memory. Never more than the limits of the control groups leave.
std::uint64_t memory_for_images(const std::optional<std::uint64_t>& limit);

/// What a single image may take.
struct MostMemory {
  std::uint64_t bytes = 0;
  std::optional<std::uint64_t> option;  ///< --max-memory, if it leaves so little; else a control group does
};

/// Nothing if neither --max-memory, `limit`, nor a control group limits the process; then an image is tried.
std::optional<MostMemory> memory_for_one(const std::optional<std::uint64_t>& limit);

/// Returns freed pixels to the system at once; otherwise each thread keeps some beyond the limit.
void return_freed_memory();

/// Why an image is refused that needs `bytes`, more than `most`, and what to do.
std::string why_too_large(std::uint64_t bytes, const MostMemory& most);

}  // namespace gpuimg
