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

/// The smallest of what the process's group and the groups above it leave. Nothing if none has a memory limit. A file
/// that is missing or malformed is no limit. `free_swap`: bytes of swap that the system has left. `root` is put before
/// every path, for tests.
std::optional<GroupMemory> group_memory(std::uint64_t free_swap, const std::string& root = "");

/// Processors that the smallest CPU quota of the same groups amounts to, rounded up. Nothing if none has a quota.
std::optional<int> group_processors(const std::string& root = "");

}  // namespace gpuimg
