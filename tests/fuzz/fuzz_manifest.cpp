// Fuzzes the reader of manifests: any bytes are read or rejected. A manifest that was read survives a round trip.
#include <algorithm>

#include "batch/manifest.hpp"
#include "fuzz/finding.hpp"
#include "fuzz/fuzz_input.hpp"
#include "gpuimg/error.hpp"

namespace {

using namespace gpuimg;

bool same_run(const RunRecord& a, const RunRecord& b) {
  return a.operation == b.operation && a.parameters == b.parameters && a.version == b.version && a.items == b.items &&
         a.total == b.total && a.shard.index == b.shard.index && a.shard.count == b.shard.count && a.folder == b.folder;
}

bool same_item(const ItemRecord& a, const ItemRecord& b) {
  const bool holds_files = a.status == ItemStatus::begun || a.status == ItemStatus::skipped;
  return (!holds_files || a.files == b.files) && a.input == b.input && a.output == b.output && a.page == b.page &&
         a.has_later == b.has_later && a.bytes == b.bytes && a.mtime_ns == b.mtime_ns && a.parameters == b.parameters &&
         a.status == b.status && a.error_kind == b.error_kind && a.message == b.message;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  Manifest manifest;
  try {
    manifest = parse_manifest({reinterpret_cast<const char*>(data), size}, "fuzzed");
  } catch (const Error& error) {
    fuzz::demand(error.kind() == ErrorKind::decode, error.what());
    return 0;
  }
  std::string text;
  for (const RunRecord& run : manifest.runs) {
    text += manifest_line(run);
  }
  for (const auto& [input, item] : manifest.items) {
    fuzz::demand(input == item.input, "an item under another name than its own");
    text += manifest_line(item);
  }
  const Manifest again = parse_manifest(text, "fuzzed");
  fuzz::demand(again.damaged_lines == 0, "a line that was written is damaged");
  fuzz::demand(std::equal(again.runs.begin(), again.runs.end(), manifest.runs.begin(), manifest.runs.end(), same_run),
               "other runs");
  fuzz::demand(std::equal(again.items.begin(), again.items.end(), manifest.items.begin(), manifest.items.end(),
                          [](const auto& a, const auto& b) { return same_item(a.second, b.second); }),
               "other items");
  return 0;
}
