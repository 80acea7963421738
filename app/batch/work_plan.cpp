// Makes the plan.
#include "batch/work_plan.hpp"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <optional>
#include <utility>

#include "batch/folder_scan.hpp"
#include "files/output_error.hpp"
#include "files/printable_name.hpp"
#include "gpuimg/error.hpp"
#include "path_names.hpp"

namespace gpuimg {
namespace {

/// The same text for "a//b", "./a/b" and "a/b".
std::string plain_path(const std::string& path) {
  std::string plain;
  for (std::size_t at = 0; at < path.size();) {
    const std::size_t slash = std::min(path.find('/', at), path.size());
    const std::string_view part = std::string_view(path).substr(at, slash - at);
    if (!part.empty() && part != ".") {
      plain.append("/").append(part);
    }
    at = slash + 1;
  }
  return path.starts_with('/') ? "/" + plain : plain;
}

void refuse_collisions(const std::vector<PlanItem>& items, const OutputNaming& naming) {
  std::vector<std::pair<std::string, std::size_t>> outputs;
  for (std::size_t i = 0; i < items.size(); ++i) {
    for (const std::string& file : naming.files_of(items[i].output)) {
      outputs.emplace_back(plain_path(file), i);
    }
  }
  std::sort(outputs.begin(), outputs.end());
  const auto twice = std::adjacent_find(outputs.begin(), outputs.end(),
                                        [](const auto& a, const auto& b) { return a.first == b.first; });
  if (twice != outputs.end()) {
    const PlanItem& first = items[twice->second];
    const PlanItem& second = items[std::next(twice)->second];
    throw Error(ErrorKind::usage, fmt::format("{} and {} would both be written to {}; name outputs apart, such as with "
                                              "--output '{{dir}}/{{name}}.{}'",
                                              printable_name(first.input), printable_name(second.input),
                                              printable_name(first.output), file_ending(first.output)));
  }
}

/// Inputs by what their paths lead to; read once, and only if there is an output that exists.
class InputIdentities {
 public:
  explicit InputIdentities(const std::vector<InputFile>& inputs) : inputs_(inputs) {}

  /// The input that `identity` is, or nothing.
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

bool is_done(const PlanItem& item, const PlanRules& rules, const OutputNaming& naming) {
  if (rules.resume == nullptr) {
    return false;
  }
  const auto found = rules.resume->items.find(item.input);
  if (found == rules.resume->items.end()) {
    return false;
  }
  const ItemRecord& record = found->second;
  std::uint64_t bytes = 0;
  std::int64_t mtime_ns = 0;
  const std::vector<std::string> files = naming.files_of(item.output);
  return record.status == ItemStatus::done && record.output == item.output && record.parameters == rules.parameters &&
         read_file_facts(item.input, bytes, mtime_ns) && record.bytes == bytes && record.mtime_ns == mtime_ns &&
         all_exist(files);
}

bool has_failed(const PlanItem& item, const Manifest& manifest) {
  const auto found = manifest.items.find(item.input);
  return found != manifest.items.end() && found->second.status == ItemStatus::failed;
}

/// Sets the states of items whose outputs exist, or refuses.
void judge_existing(std::vector<PlanItem>& items, const std::vector<InputFile>& inputs, const PlanRules& rules,
                    const OutputNaming& naming) {
  InputIdentities identities(inputs);
  std::size_t existing = 0;
  std::string example;
  for (PlanItem& item : items) {
    const std::vector<std::string> files = naming.files_of(item.output);
    for (const std::string& file : files) {
      const auto identity = identity_of(file);
      if (!identity) {
        continue;
      }
      const InputFile* input = identities.find(*identity);
      if (input != nullptr && !(rules.in_place && input->path == item.input)) {
        fail_writing(file, input->path == item.input
                               ? "it is the input itself; use --in-place to replace it, or another name"
                               : "it is the input " + printable_name(input->path) + "; use another name");
      }
      if (rules.skip_existing && item.state == PlanState::to_do) {
        item.is_half_there = !all_exist(files);
        item.state = item.is_half_there ? PlanState::to_do : PlanState::output_exists;
      }
      // What an interrupted run wrote and could not record is done again.
      const bool may_replace = input != nullptr || rules.force || rules.resume != nullptr || item.is_half_there;
      if (!may_replace && item.state == PlanState::to_do) {
        example = existing++ == 0 ? file : example;
      }
    }
  }
  if (existing > 0) {
    fail_writing(example, fmt::format("it exists already{}; use --skip-existing to leave such out, --resume to "
                                      "continue a run, or --force to replace",
                                      existing > 1 ? fmt::format(", as do {} other outputs", existing - 1) : ""));
  }
}

}  // namespace

bool all_exist(const std::vector<std::string>& files) {
  return std::all_of(files.begin(), files.end(), [](const std::string& file) { return identity_of(file).has_value(); });
}

bool read_file_facts(const std::string& path, std::uint64_t& bytes, std::int64_t& mtime_ns) {
  constexpr std::uint64_t kNanosecondsPerSecond = 1'000'000'000;
  struct stat found {};
  if (::stat(path.c_str(), &found) != 0) {
    return false;
  }
  bytes = static_cast<std::uint64_t>(found.st_size);
  // Past 2262 it wraps, as it must in 64 bits.
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
  }
  refuse_collisions(all, naming);
  WorkPlan plan;
  plan.total = inputs.size();
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    if (!shard.holds(inputs[i].relative)) {
      continue;
    }
    ++plan.shard_size;
    if (rules.retry_failed == nullptr || has_failed(all[i], *rules.retry_failed)) {
      plan.items.push_back(std::move(all[i]));
    }
  }
  for (PlanItem& item : plan.items) {
    item.state = is_done(item, rules, naming) ? PlanState::done_before : PlanState::to_do;
  }
  judge_existing(plan.items, inputs, rules, naming);
  return plan;
}

std::string plan_text(const WorkPlan& plan) {
  std::string text;
  for (const PlanItem& item : plan.items) {
    const char* state = item.state == PlanState::output_exists ? "  (skipped: its output exists)"
                        : item.state == PlanState::done_before ? "  (skipped: done before)"
                                                               : "";
    text += printable_name(item.input);
    text += item.output.empty() ? "" : " -> " + printable_name(item.output);
    text += state;
    text += '\n';
  }
  return text;
}

}  // namespace gpuimg
