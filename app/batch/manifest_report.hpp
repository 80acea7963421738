// `gpuimg report`: sums up the manifests of a run's shards. docs/batch.md, "Machines".
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "batch/manifest.hpp"

namespace gpuimg {

class ManifestReport {
 public:
  /// `name` is used in messages. Throws Error{usage} if the manifest has another operation, other parameters or another
  /// number of shards than the previous ones, or if its shard was already added.
  void add(const Manifest& manifest, const std::string& name);

  /// True if every item of every shard is done or skipped.
  [[nodiscard]] bool is_complete() const;

  [[nodiscard]] std::string text() const;
  [[nodiscard]] std::string json() const;
  [[nodiscard]] const std::vector<std::string>& notes() const { return notes_; }

 private:
  struct ShardCounts {
    std::string name;
    std::uint64_t items = 0;
    std::uint64_t done = 0;
    std::uint64_t failed = 0;
    std::uint64_t skipped = 0;
    [[nodiscard]] std::uint64_t missing() const { return items - std::min(items, done + failed + skipped); }
  };
  struct Failure {
    std::string input;
    std::string kind;
    std::string message;
  };
  [[nodiscard]] ShardCounts sum() const;
  [[nodiscard]] std::vector<std::uint64_t> absent_shards() const;

  std::vector<RunRecord> runs_;
  std::map<std::uint64_t, ShardCounts> shards_;
  std::vector<Failure> failures_;
  std::vector<std::string> notes_;
};

}  // namespace gpuimg
