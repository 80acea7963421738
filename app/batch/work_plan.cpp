// Makes the plan.
#include "batch/work_plan.hpp"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <optional>
#include <utility>

#include "batch/existing_outputs.hpp"
#include "batch/outputs.hpp"
#include "gpuimg/error.hpp"
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

/// Treats an in-place image that a killed run had begun as possibly replaced: its record has no files. Pages that were
/// lost have one record for all.
bool is_to_retry(const PlanItem& item, const Manifest& manifest) {
  const ItemRecord* record = record_of(item, &manifest);
  if (record == nullptr) {
    const auto lost = manifest.lost_from.find(item.input);
    return lost != manifest.lost_from.end() && item.page.number > lost->second;
  }
  return record->status == ItemStatus::failed || (record->status == ItemStatus::begun && !record->files.empty());
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
  }
  refuse_output_collisions(all, inputs, naming);
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

}  // namespace gpuimg
