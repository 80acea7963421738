// What the control groups of this process allow, in version 1 and 2, as containers, Slurm and systemd set them.
// docs/batch.md, "Memory" and "The pipeline".
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace gpuimg {

/// Bytes that the process may still take. File cache that the kernel can drop counts as free.
struct GroupMemory {
  std::uint64_t free = 0;
  std::uint64_t free_with_swap = 0;  ///< beyond this, the kernel kills the process
};

/// The memory that the process's group and all groups above it leave: the smallest counts. Nothing if no group has a
/// limit; a missing or malformed file means that there is none. `free_swap` is the system's free swap in bytes. Tests
/// set `root`, which is put before every path.
std::optional<GroupMemory> group_memory(std::uint64_t free_swap, const std::string& root = "");

/// Processors that the smallest CPU quota of the same groups amounts to, rounded up. Nothing if none has a quota.
std::optional<int> group_processors(const std::string& root = "");

}  // namespace gpuimg
