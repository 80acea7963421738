// Decides for each existing output whether it is skipped, replaced or refused.
#include "batch/existing_outputs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "batch/inputs.hpp"
#include "engine/item_outputs.hpp"
#include "io/output_file.hpp"
#include "text/path_names.hpp"
#include "text/printable_name.hpp"

namespace gpuimg {
namespace {

/// Inputs by file identity; built only if an output exists.
class InputIdentities {
 public:
  explicit InputIdentities(const std::vector<InputFile>& inputs) : inputs_(inputs) {}

  /// The input with this identity, or nullptr.
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
          item.may_replace = true;  // some outputs alone are not a result
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

  void refuse_the_rest() const {
    if (existing_ > 0) {
      const std::size_t more = existing_ - 1;
      const std::string others = more == 0   ? ""
                                 : more == 1 ? ", as does another output"
                                             : fmt::format(", as do {} other outputs", more);
      fail_writing(example_, fmt::format("it already exists{}{}", others, remedy()));
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

  /// True if the manifest says that gpuimg wrote this file, or was about to.
  [[nodiscard]] bool is_recorded(const std::string& file, const PlanItem& item) const {
    const Manifest* manifest = rules_.earlier();
    if (manifest == nullptr) {
      return false;
    }
    const auto record = manifest->items.find(item_key(item.input, item.page.number));
    // Schema 1 has no `files`; equal output and options imply the same files.
    const bool is_of_schema_1 = record != manifest->items.end() && record->second.files.empty() &&
                                is_result(record->second, item, rules_.parameters);
    return manifest->outputs.contains(recorded_path(rules_.folder, file)) || is_of_schema_1;
  }

  [[nodiscard]] std::string remedy() const {
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

}  // namespace

bool all_exist(const std::vector<std::string>& files) {
  return std::all_of(files.begin(), files.end(), [](const std::string& file) { return identity_of(file).has_value(); });
}

void judge_existing_outputs(std::vector<PlanItem>& items, const std::vector<InputFile>& inputs, const PlanRules& rules,
                            const OutputNaming& naming) {
  Judge judge(inputs, rules, naming);
  for (PlanItem& item : items) {
    judge.judge(item);
  }
  judge.refuse_the_rest();
}

}  // namespace gpuimg
