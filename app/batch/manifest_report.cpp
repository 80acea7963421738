// Counts the items of manifests by status.
#include "batch/manifest_report.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "gpuimg/error.hpp"
#include "text/json.hpp"
#include "text/number_text.hpp"
#include "text/printable_name.hpp"

namespace gpuimg {

void ManifestReport::add(const Manifest& manifest, const std::string& name) {
  const RunRecord& run = manifest.runs.back();  // the last run in the file states how many items the file covers
  if (!runs_.empty()) {
    const RunRecord& first = runs_.front();
    if (first.operation != run.operation || first.parameters != run.parameters ||
        first.shard.count != run.shard.count) {
      throw Error(ErrorKind::usage, printable_name(name) +
                                        ": belongs to another run: its operation, parameters or number "
                                        "of shards differ; report each run separately");
    }
  }
  ShardCounts counts;
  counts.name = name;
  counts.items = run.items;
  for (const auto& [key, item] : manifest.items) {
    if (item.parameters != run.parameters) {
      continue;  // from an earlier run with other options
    }
    counts.done += item.status == ItemStatus::done ? 1U : 0U;
    counts.skipped += item.status == ItemStatus::skipped ? 1U : 0U;
    if (item.status == ItemStatus::failed) {
      ++counts.failed;
      failures_.push_back({item.input, item.error_kind, item.message});
    }
  }
  if (!shards_.emplace(run.shard.index, counts).second) {
    throw Error(ErrorKind::usage,
                fmt::format("{}: shard {} is already in {}; name one manifest per shard", printable_name(name),
                            run.shard.text(), printable_name(shards_.at(run.shard.index).name)));
  }
  if (manifest.damaged_lines > 0) {
    notes_.push_back(fmt::format("{}: skipped {} damaged line{}", printable_name(name), manifest.damaged_lines,
                                 manifest.damaged_lines == 1 ? "" : "s"));
  }
  runs_.push_back(run);
}

ManifestReport::ShardCounts ManifestReport::sum() const {
  ShardCounts total;
  for (const auto& [index, shard] : shards_) {
    total.items += shard.items;
    total.done += shard.done;
    total.failed += shard.failed;
    total.skipped += shard.skipped;
  }
  return total;
}

std::vector<std::uint64_t> ManifestReport::absent_shards() const {
  std::vector<std::uint64_t> absent;
  for (std::uint64_t index = 1; index <= runs_.front().shard.count; ++index) {
    if (!shards_.contains(index)) {
      absent.push_back(index);
    }
  }
  return absent;
}

bool ManifestReport::is_complete() const {
  const ShardCounts total = sum();
  const bool all_there =
      std::all_of(shards_.begin(), shards_.end(), [](const auto& shard) { return shard.second.missing() == 0; });
  return total.failed == 0 && all_there && absent_shards().empty();
}

std::string ManifestReport::text() const {
  const ShardCounts total = sum();
  const std::uint64_t shard_count = runs_.front().shard.count;
  std::string text;
  std::uint64_t missing = 0;
  for (const auto& [index, shard] : shards_) {
    missing += shard.missing();
    if (shard.missing() > 0) {
      append_format(text, "missing: {} of the {} items of shard {}/{} ({})\n", shard.missing(), shard.items, index,
                    shard_count, printable_name(shard.name));
    }
  }
  for (const std::uint64_t index : absent_shards()) {
    append_format(text, "missing: shard {}/{}\n", index, shard_count);
  }
  for (const Failure& failure : failures_) {
    append_format(text, "failed: {}\n", printable_name(failure.message));
  }
  append_format(text, "{} of {} shards, {} items: {} done, {} failed, {} skipped, {} missing\n", shards_.size(),
                shard_count, total.items, total.done, total.failed, total.skipped, missing);
  return text;
}

std::string ManifestReport::json() const {
  const ShardCounts total = sum();
  JsonWriter json;
  json.begin_object().key("operation").text(runs_.front().operation);
  json.key("parameters").text(runs_.front().parameters);
  json.key("items").integer(total.items).key("done").integer(total.done).key("failed").integer(total.failed);
  json.key("skipped").integer(total.skipped).key("shards").begin_array();
  for (const auto& [index, shard] : shards_) {
    json.begin_object(JsonWriter::Layout::line).key("shard").integer(index).key("manifest").text(shard.name);
    json.key("items").integer(shard.items).key("missing").integer(shard.missing()).end();
  }
  json.end().key("absent_shards").begin_array(JsonWriter::Layout::line);
  for (const std::uint64_t index : absent_shards()) {
    json.integer(index);
  }
  json.end().key("failures").begin_array();
  for (const Failure& failure : failures_) {
    json.begin_object(JsonWriter::Layout::line).key("input").text(failure.input).key("kind").text(failure.kind);
    json.key("message").text(failure.message).end();
  }
  return json.end().key("complete").boolean(is_complete()).end().take();
}

}  // namespace gpuimg
