// Plans a run before any work is done: assigns an output to each input, and rejects inputs. docs/batch.md, "Outputs".
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
  /// Existing outputs may be replaced: gpuimg recorded them, or --skip-existing found only some of them.
  bool may_replace = false;
  bool is_in_place = false;             ///< the output is the input
  const ItemRecord* earlier = nullptr;  ///< the record of an item that was done before
  codecs::PageRef page = {};            ///< see InputFile
  std::string lost = {};                ///< see InputFile
  std::optional<FileTimes> times = {};  ///< see InputFile
};

/// The name of the input in messages.
std::string shown_input(const PlanItem& item);

struct WorkPlan {
  std::vector<PlanItem> items;   ///< items of this shard, in input order
  std::uint64_t shard_size = 0;  ///< items of this shard, including those that --retry-failed leaves out
  std::uint64_t total = 0;       ///< items of all shards
};

struct PlanRules {
  bool force = false;
  bool in_place = false;
  bool skip_existing = false;
  std::function<bool(const std::string& file)> is_text = nullptr;  ///< null: no output is text
  std::vector<std::string> named_inputs = {};                      ///< see GlobalOptions
  const Manifest* resume = nullptr;                                ///< skip items that are done
  const Manifest* retry_failed = nullptr;                          ///< process only items that failed or did not finish
  std::string earlier_name;                                        ///< file name of the earlier manifest
  std::string parameters;                                          ///< parameters of this run, as in a manifest
  std::string folder;                                              ///< base folder of relative names

  /// The manifest to continue, or null.
  [[nodiscard]] const Manifest* earlier() const { return resume != nullptr ? resume : retry_failed; }
};

/// True if the record states that this item is done with these parameters. Does not check that the files exist.
bool is_result(const ItemRecord& record, const PlanItem& item, const std::string& parameters);

/// Throws Error{usage} if two items have the same output, and Error{write} if an output is an input or exists and must
/// not be replaced.
WorkPlan make_plan(const std::vector<InputFile>& inputs, const OutputNaming& naming, const Shard& shard,
                   const PlanRules& rules);

/// True if every path exists.
bool all_exist(const std::vector<std::string>& files);

/// Reads the size and the modification time of a file. Returns false if the file does not exist.
bool read_file_facts(const std::string& path, std::uint64_t& bytes, std::int64_t& mtime_ns);

/// Returns one line per item: "in.png -> out.png".
std::string plan_text(const WorkPlan& plan);

}  // namespace gpuimg
