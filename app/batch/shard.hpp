// --shard: which part of the work this process does. docs/batch.md, "Machines".
#pragma once

#include <cstdint>
#include <functional>
#include <string>

namespace gpuimg {

constexpr std::uint64_t kMaxShards = 1'000'000;

struct Shard {
  std::uint64_t index = 1;  ///< 1 … count
  std::uint64_t count = 1;
  std::string source;  ///< where it comes from: "--shard", "SLURM_ARRAY_TASK_ID"

  /// By FNV-1a of the relative path, modulo count: adding a file never moves another one.
  [[nodiscard]] bool holds(const std::string& relative_path) const;

  /// "2/4".
  [[nodiscard]] std::string text() const;
};

using Environment = std::function<const char*(const char* variable)>;

/// "i/n" with 1 ≤ i ≤ n, "auto" to read the scheduler's environment variables, or empty for everything. Throws
/// Error{usage}.
Shard parse_shard(const std::string& text, const Environment& environment);

}  // namespace gpuimg
