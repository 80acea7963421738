// The plan of a run, made before any work: which input becomes which output, and which inputs are rejected.
// docs/batch.md, "Outputs".
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "batch/manifest.hpp"
#include "batch/outputs.hpp"

namespace gpuimg {

enum class PlanState : std::uint8_t {
  to_do,
  output_exists,  ///< skipped by --skip-existing
  done_before,    ///< skipped by --resume
};

struct PlanItem {
  std::string input;
  std::string output;
  PlanState state = PlanState::to_do;
  bool may_replace =
      false;  ///< existing outputs may be replaced: gpuimg recorded them, or --skip-existing found only some
  bool is_in_place = false;             ///< the output is the input
  const ItemRecord* earlier = nullptr;  ///< of an item done before
  codecs::PageRef page = {};            ///< as in InputFile
  std::string lost = {};                ///< as in InputFile
  std::optional<FileTimes> times = {};  ///< as in InputFile
};

/// The input as messages show it.
std::string shown_input(const PlanItem& item);

struct WorkPlan {
  std::vector<PlanItem> items;   ///< of this shard, in input order
  std::uint64_t shard_size = 0;  ///< items of this shard, including those that --retry-failed leaves out
  std::uint64_t total = 0;       ///< items of all shards
};

struct PlanRules {
  bool force = false;
  bool in_place = false;
  bool skip_existing = false;
  std::function<bool(const std::string& file)> is_text = nullptr;  ///< null: no output is text
  std::vector<std::string> named_inputs = {};                      ///< as in GlobalOptions
  const Manifest* resume = nullptr;                                ///< skip what is done
  const Manifest* retry_failed = nullptr;                          ///< keep what failed or did not finish
  std::string earlier_name;                                        ///< file name of that manifest
  std::string parameters;                                          ///< of this run, as in a manifest
  std::string folder;                                              ///< base of relative names

  /// The manifest to continue, or null.
  [[nodiscard]] const Manifest* earlier() const { return resume != nullptr ? resume : retry_failed; }
};

/// True if the record says that this item is done with these parameters. Does not check that the files exist.
bool is_result(const ItemRecord& record, const PlanItem& item, const std::string& parameters);

/// Throws Error{usage} if two items have the same output, and Error{write} if an output is an input or exists and must
/// not be replaced.
WorkPlan make_plan(const std::vector<InputFile>& inputs, const OutputNaming& naming, const Shard& shard,
                   const PlanRules& rules);

/// True if every path exists.
bool all_exist(const std::vector<std::string>& files);

/// Gets the size and the modification time of a file; returns false if there is no such file.
bool read_file_facts(const std::string& path, std::uint64_t& bytes, std::int64_t& mtime_ns);

/// One line per item: "in.png -> out.png".
std::string plan_text(const WorkPlan& plan);

}  // namespace gpuimg
