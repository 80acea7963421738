// What a run will do, decided before any work: which input becomes which output, and what is refused.
// docs/batch.md, "Outputs".
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "batch/manifest.hpp"
#include "batch/output_name.hpp"
#include "batch/shard.hpp"

namespace gpuimg {

enum class PlanState : std::uint8_t {
  to_do,
  output_exists,  ///< left out by --skip-existing
  done_before,    ///< left out by --resume
};

struct PlanItem {
  std::string input;
  std::string output;
  PlanState state = PlanState::to_do;
  bool may_replace = false;  ///< outputs that exist: recorded as gpuimg's own, or a part left by --skip-existing
  bool is_in_place = false;  ///< the output is the input
};

struct WorkPlan {
  std::vector<PlanItem> items;   ///< of this shard, in the order of their places
  std::uint64_t shard_size = 0;  ///< items of this shard, those that --retry-failed leaves out included
  std::uint64_t total = 0;       ///< items of all shards
};

/// How the outputs of an item are found.
struct OutputNaming {
  std::function<std::string(const InputFile&, std::size_t index)> name_for;  ///< index from 1; empty for no output
  std::function<std::vector<std::string>(const std::string& output)> files_of;
  bool depends_on_list = false;                ///< another list of inputs gives other names
  std::vector<std::string> alternatives = {};  ///< templates to suggest where two inputs have one output, best first
};

struct PlanRules {
  bool force = false;
  bool in_place = false;
  bool skip_existing = false;
  const Manifest* resume = nullptr;        ///< leave out what is done
  const Manifest* retry_failed = nullptr;  ///< keep what has failed or was not finished
  std::string earlier_name;                ///< of the file of that manifest
  std::string parameters;                  ///< of this run, as in a manifest
  std::string folder;                      ///< that relative names start from

  /// The manifest that is continued, or nothing.
  [[nodiscard]] const Manifest* earlier() const { return resume != nullptr ? resume : retry_failed; }
};

/// True if the record says that this item is done, with these parameters; whether the files are there is not looked at.
bool is_result(const ItemRecord& record, const PlanItem& item, const std::string& parameters);

/// `inputs` are sorted. Throws Error{usage} if two items have one output, Error{write} if an output is an input or
/// exists and may not be replaced.
WorkPlan make_plan(const std::vector<InputFile>& inputs, const OutputNaming& naming, const Shard& shard,
                   const PlanRules& rules);

/// Size and time of change of a file; false if there is none.
bool read_file_facts(const std::string& path, std::uint64_t& bytes, std::int64_t& mtime_ns);

/// A line an item: "in.png -> out.png".
std::string plan_text(const WorkPlan& plan);

}  // namespace gpuimg
