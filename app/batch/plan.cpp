// Makes the plan, and decides for each existing output whether to skip, replace or reject it.
#include "batch/plan.hpp"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <optional>
#include <utility>

#include "batch/inputs.hpp"
#include "engine/item_outputs.hpp"
#include "gpuimg/error.hpp"
#include "io/output_file.hpp"
#include "text/path_names.hpp"
#include "text/printable_name.hpp"

namespace gpuimg {
namespace {

const ItemRecord* record_of(const PlanItem& item, const Manifest* manifest) {
  if (manifest == nullptr) {
    return nullptr;
  }
  const auto found = manifest->items.find(item_key(item.input, item.page.number));
  return found == manifest->items.end() ? nullptr : &found->second;
}

bool is_done(const PlanItem& item, const PlanRules& rules, const OutputNaming& naming) {
  const ItemRecord* record = record_of(item, rules.resume);
  std::uint64_t bytes = 0;
  std::int64_t mtime_ns = 0;
  return record != nullptr && is_result(*record, item, rules.parameters) &&
         read_file_facts(item.input, bytes, mtime_ns) && record->bytes == bytes && record->mtime_ns == mtime_ns &&
         all_exist(naming.files_of(item.output));
}

/// True if --retry-failed must process the item again. If a run was killed while it replaced an image in place, the
/// image is not retried, because it may already have been replaced. The record of such an image has the status `begun`
/// and no files. All lost pages of an input share one record.
bool is_to_retry(const PlanItem& item, const Manifest& manifest) {
  const ItemRecord* record = record_of(item, &manifest);
  if (record == nullptr) {
    const auto lost = manifest.lost_from.find(item.input);
    return lost != manifest.lost_from.end() && item.page.number > lost->second;
  }
  return record->status == ItemStatus::failed || (record->status == ItemStatus::begun && !record->files.empty());
}

/// Finds inputs by file identity. The index is built only if an output exists.
class InputIdentities {
 public:
  explicit InputIdentities(const std::vector<InputFile>& inputs) : inputs_(inputs) {}

  /// Returns the input with this identity, or nullptr.
  const InputFile* find(const FileIdentity& identity) {
    if (known_.empty()) {
      for (const InputFile& input : inputs_) {
        if (const auto found = identity_of(input.path)) {
          known_.emplace(*found, &input);
        }
      }
    }
    const auto found = known_.find(identity);
    return found == known_.end() ? nullptr : found->second;
  }

 private:
  const std::vector<InputFile>& inputs_;
  std::map<FileIdentity, const InputFile*> known_;
};

class Judge {
 public:
  Judge(const std::vector<InputFile>& inputs, const PlanRules& rules, const OutputNaming& naming)
      : identities_(inputs), rules_(rules), naming_(naming) {}

  void judge(PlanItem& item) {
    const std::vector<std::string> files = naming_.files_of(item.output);
    for (const std::string& file : files) {
      if (const auto identity = identity_of(file)) {
        check_is_no_other_input(file, *identity, item);
        if (rules_.skip_existing && item.state == PlanState::to_do) {
          item.state = all_exist(files) ? PlanState::output_exists : PlanState::to_do;
          item.may_replace = true;  // used only if some outputs are missing: the others are then not a complete result
        }
        if (item.state == PlanState::to_do && is_text(file)) {
          check_text_output(file, rules_.named_inputs);
        }
        if (!rules_.skip_existing && item.state == PlanState::to_do && !item.is_in_place && !rules_.force) {
          judge_file(file, item);
        }
      }
    }
  }

  void reject_the_rest() const {
    if (existing_ > 0) {
      const std::size_t more = existing_ - 1;
      const std::string others = more == 0   ? ""
                                 : more == 1 ? ", as does another output"
                                             : fmt::format(", as do {} other outputs", more);
      fail_writing(example_, fmt::format("it already exists{}{}", others, advice()));
    }
  }

 private:
  void check_is_no_other_input(const std::string& file, const FileIdentity& identity, PlanItem& item) {
    const InputFile* input = identities_.find(identity);
    if (input == nullptr) {
      return;
    }
    if (rules_.in_place && is_text(file)) {
      check_text_output(file, {input->path});
    }
    item.is_in_place = rules_.in_place && input->path == item.input;
    if (!item.is_in_place) {
      fail_writing(file, input->path == item.input
                             ? "it is the input itself; use --in-place to replace it, or another name"
                             : "it is the input " + printable_name(input->path) + "; use another name");
    }
  }

  [[nodiscard]] bool is_text(const std::string& file) const { return rules_.is_text && rules_.is_text(file); }

  void judge_file(const std::string& file, PlanItem& item) {
    if (is_recorded(file, item)) {
      item.may_replace = true;
    } else if (existing_++ == 0) {
      example_ = file;
    }
  }

  /// True if the manifest states that gpuimg wrote this file, or was about to write it.
  [[nodiscard]] bool is_recorded(const std::string& file, const PlanItem& item) const {
    const Manifest* manifest = rules_.earlier();
    if (manifest == nullptr) {
      return false;
    }
    const auto record = manifest->items.find(item_key(item.input, item.page.number));
    // Schema 1 has no `files`. Equal outputs and options imply equal files.
    const bool is_of_schema_1 = record != manifest->items.end() && record->second.files.empty() &&
                                is_result(record->second, item, rules_.parameters);
    return manifest->outputs.contains(recorded_path(rules_.folder, file)) || is_of_schema_1;
  }

  [[nodiscard]] std::string advice() const {
    if (const Manifest* manifest = rules_.earlier()) {
      return fmt::format(
          ", and {} {}; check that name, use --skip-existing to skip existing outputs, or --force to replace them",
          printable_name(rules_.earlier_name),
          manifest->runs.empty() ? "is missing or empty" : "does not say that gpuimg wrote it");
    }
    return "; use --skip-existing to skip existing outputs, --resume to continue a run, or --force to replace them";
  }

  InputIdentities identities_;
  const PlanRules& rules_;
  const OutputNaming& naming_;
  std::size_t existing_ = 0;
  std::string example_;
};

/// Sets the state of items whose outputs exist, and decides whether the run may replace the outputs. `inputs` are the
/// inputs of all shards. Throws Error{write} if an output is an input, or exists and must not be replaced.
void judge_existing_outputs(std::vector<PlanItem>& items, const std::vector<InputFile>& inputs, const PlanRules& rules,
                            const OutputNaming& naming) {
  Judge judge(inputs, rules, naming);
  for (PlanItem& item : items) {
    judge.judge(item);
  }
  judge.reject_the_rest();
}

}  // namespace

std::string shown_input(const PlanItem& item) { return printable_name(item.input, item.page.number); }

bool is_result(const ItemRecord& record, const PlanItem& item, const std::string& parameters) {
  const bool was_done_before = record.status == ItemStatus::skipped && !(record.files.empty() && record.result.empty());
  return (record.status == ItemStatus::done || was_done_before) && record.output == item.output &&
         record.parameters == parameters;
}

bool read_file_facts(const std::string& path, std::uint64_t& bytes, std::int64_t& mtime_ns) {
  constexpr std::uint64_t kNanosecondsPerSecond = 1'000'000'000;
  struct stat found {};
  if (::stat(path.c_str(), &found) != 0) {
    return false;
  }
  bytes = static_cast<std::uint64_t>(found.st_size);
  // Wraps after the year 2262, the limit of 64 bits.
  mtime_ns = static_cast<std::int64_t>(static_cast<std::uint64_t>(found.st_mtim.tv_sec) * kNanosecondsPerSecond +
                                       static_cast<std::uint64_t>(found.st_mtim.tv_nsec));
  return true;
}

WorkPlan make_plan(const std::vector<InputFile>& inputs, const OutputNaming& naming, const Shard& shard,
                   const PlanRules& rules) {
  std::vector<PlanItem> all;
  all.reserve(inputs.size());
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    all.push_back({inputs[i].path, naming.name_for(inputs[i], i + 1), PlanState::to_do});
    all.back().page = inputs[i].page;
    all.back().lost = inputs[i].lost;
    all.back().times = inputs[i].times;
  }
  reject_output_collisions(all, inputs, naming);
  WorkPlan plan;
  plan.total = inputs.size();
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    if (!shard.holds(inputs[i].relative)) {
      continue;
    }
    ++plan.shard_size;
    if (rules.retry_failed == nullptr || is_to_retry(all[i], *rules.retry_failed)) {
      plan.items.push_back(std::move(all[i]));
    }
  }
  for (PlanItem& item : plan.items) {
    if (is_done(item, rules, naming)) {
      item.state = PlanState::done_before;
      item.earlier = record_of(item, rules.resume);
    }
  }
  judge_existing_outputs(plan.items, inputs, rules, naming);
  return plan;
}

std::string plan_text(const WorkPlan& plan) {
  std::string text;
  for (const PlanItem& item : plan.items) {
    const std::string state = item.state == PlanState::output_exists ? "  (skipped: its output exists)"
                              : item.state == PlanState::done_before ? "  (skipped: done before)"
                              : !item.lost.empty()                   ? "  (fails: file is damaged: " + item.lost + ")"
                                                                     : "";
    text += shown_input(item);
    text += item.output.empty() ? "" : " -> " + printable_name(item.output);
    text += state;
    text += '\n';
  }
  return text;
}

bool all_exist(const std::vector<std::string>& files) {
  return std::all_of(files.begin(), files.end(), [](const std::string& file) { return identity_of(file).has_value(); });
}

}  // namespace gpuimg
