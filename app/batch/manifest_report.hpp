// The manifests of a run, of one or more shards, summed up: gpuimg report. docs/batch.md, "Machines".
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "batch/manifest.hpp"

namespace gpuimg {

class ManifestReport {
 public:
  /// `name` stands in messages. Throws Error{usage} if the manifest is of another operation, other parameters or
  /// another number of shards than those before, or if its shard was added already.
  void add(const Manifest& manifest, const std::string& name);

  /// True if every item of every shard is done or was skipped.
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
