// Limits of this process's control groups (versions 1 and 2), which containers, Slurm and systemd set. docs/batch.md,
// "Memory" and "The pipeline".
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace gpuimg {

/// Bytes that the process may still allocate. File cache that the kernel can drop counts as free.
struct GroupMemory {
  std::uint64_t free = 0;
  std::uint64_t free_with_swap = 0;  ///< beyond this, the kernel kills the process
};

/// The memory that the limits of the process's group and of its parent groups leave for the process; the tightest limit
/// decides. Nothing if no group has a limit; a missing or malformed file counts as no limit. `free_swap` is the
/// system's free swap in bytes. `root` is a prefix of every path, for tests.
std::optional<GroupMemory> group_memory(std::uint64_t free_swap, const std::string& root = "");

/// The smallest CPU quota of the same groups, as a number of processors, rounded up. Nothing if no group has a quota.
std::optional<int> group_processors(const std::string& root = "");

}  // namespace gpuimg
