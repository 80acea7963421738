// Reads manifests. Counts and skips lines that are foreign or incomplete.
#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <optional>
#include <type_traits>
#include <utility>

#include "batch/manifest.hpp"
#include "io/input_file.hpp"
#include "text/json.hpp"
#include "text/path_names.hpp"
#include "text/printable_name.hpp"

namespace gpuimg {
namespace {

/// Rejects fractions and out-of-range values such as 1e99, which get() would convert.
template <class Integer>
Integer whole(JsonValue value) {
  if (!(std::is_signed_v<Integer> ? value.is_integer() : value.is_unsigned())) {
    throw std::invalid_argument("not a whole number");
  }
  if constexpr (std::is_signed_v<Integer>) {
    return value.integer();
  } else {
    if (value.unsigned_integer() > std::numeric_limits<Integer>::max()) {
      throw std::invalid_argument("too large a number");
    }
    return static_cast<Integer>(value.unsigned_integer());
  }
}

std::string bytes_of_hex(const std::string& hex) {
  const auto digit = [](char c) {
    if (c >= '0' && c <= '9') {
      return c - '0';
    }
    if (c < 'a' || c > 'f') {
      throw std::invalid_argument("not a hexadecimal digit");
    }
    return c - 'a' + 10;
  };
  std::string bytes;
  for (std::size_t i = 0; i + 1 < hex.size(); i += 2) {
    bytes += static_cast<char>(digit(hex[i]) * 16 + digit(hex[i + 1]));
  }
  return bytes;
}

std::string name_in(JsonValue line, const std::string& key) {
  const auto hex = line.find(key + "_hex");
  return hex ? bytes_of_hex(hex->text()) : line.at(key).text();
}

std::vector<std::string> files_in(JsonValue line) {
  const auto hex = line.find("files_hex");
  std::vector<std::string> files;
  for (const JsonValue file : (hex ? *hex : line.at("files")).elements()) {
    files.push_back(hex ? bytes_of_hex(file.text()) : file.text());
  }
  return files;
}

ItemStatus status_named(const std::string& name) {
  if (name == "begun") {
    return ItemStatus::begun;
  }
  if (name == "done") {
    return ItemStatus::done;
  }
  if (name == "failed") {
    return ItemStatus::failed;
  }
  if (name == "skipped") {
    return ItemStatus::skipped;
  }
  throw std::invalid_argument("unknown status");
}

RunRecord run_in(JsonValue line) {
  RunRecord run;
  run.operation = line.at("operation").text();
  run.parameters = line.at("parameters").text();
  run.version = line.at("version").text();
  run.shard.index = whole<std::uint64_t>(line.at("shard"));
  run.shard.count = whole<std::uint64_t>(line.at("shards"));
  run.items = whole<std::uint64_t>(line.at("items"));
  run.total = whole<std::uint64_t>(line.at("total"));
  run.folder = line.contains("folder") ? name_in(line, "folder") : "";
  run.output = line.contains("output") ? name_in(line, "output") : "";
  if (run.shard.index < 1 || run.shard.index > run.shard.count || run.shard.count > kMaxShards) {
    throw std::invalid_argument("no such shard");
  }
  return run;
}

ItemRecord item_in(JsonValue line) {
  ItemRecord item;
  item.input = name_in(line, "input");
  item.output = name_in(line, "output");
  item.page = line.contains("page") ? whole<std::uint32_t>(line.at("page")) : 0;
  item.has_later = line.contains("and_later") && line.at("and_later").boolean();
  item.bytes = whole<std::uint64_t>(line.at("bytes"));
  item.mtime_ns = whole<std::int64_t>(line.at("mtime_ns"));
  item.parameters = line.at("parameters").text();
  item.status = status_named(line.at("status").text());
  if (item.status == ItemStatus::failed) {
    item.error_kind = line.at("error").at("kind").text();
    item.message = line.at("error").at("message").text();
  }
  if (item.status == ItemStatus::begun || (item.status == ItemStatus::skipped && line.contains("files"))) {
    item.files = files_in(line);
  }
  item.result = line.contains("result") ? line.at("result").text() : "";
  return item;
}

/// Accumulates the lines of a manifest, in file order.
class Reading {
 public:
  /// Skips a damaged line.
  void take(std::string_view text) {
    try {
      const JsonDocument document(text);
      const JsonValue line = document.root();
      line.contains("gpuimg") ? take(run_in(line)) : take(item_in(line));
    } catch (const JsonError&) {
      ++manifest_.damaged_lines;
    } catch (const std::invalid_argument&) {
      ++manifest_.damaged_lines;
    }
  }

  Manifest end() {
    end_run();
    return std::move(manifest_);
  }

 private:
  void take(RunRecord run) {
    end_run();
    manifest_.runs.push_back(std::move(run));
    if (const std::string& output = manifest_.runs.back().output; !output.empty()) {
      note_outputs({output});
    }
  }

  void take(ItemRecord item) {
    std::string key = item_key(item.input, item.page);
    if (item.status == ItemStatus::begun) {
      begun_[key] = item.files;
    } else {
      const auto begun = begun_.find(key);
      if (item.status == ItemStatus::done && begun != begun_.end()) {
        item.files = begun->second;
      }
      // After a failure, the file at that path may be another program's.
      note_outputs(item.files);
      begun_.erase(key);
    }
    if (item.has_later && item.status == ItemStatus::failed) {
      manifest_.lost_from[item.input] = item.page;
    } else if (const auto lost = manifest_.lost_from.find(item.input);
               lost != manifest_.lost_from.end() && item.page >= lost->second) {
      manifest_.lost_from.erase(lost);  // a later run has found them
    }
    manifest_.items.insert_or_assign(std::move(key), std::move(item));
  }

  /// An item that was begun but never ended may have its outputs in place.
  void end_run() {
    for (const auto& [input, files] : begun_) {
      note_outputs(files);
    }
    begun_.clear();
  }

  void note_outputs(const std::vector<std::string>& files) {
    const std::string folder = manifest_.runs.empty() ? "" : manifest_.runs.back().folder;
    for (const std::string& file : files) {
      manifest_.outputs.insert(recorded_path(folder, file));
    }
  }

  Manifest manifest_;
  std::map<std::string, std::vector<std::string>> begun_;  ///< files by item_key, for the current run
};

std::string_view text_of(const Bytes& bytes) { return {reinterpret_cast<const char*>(bytes.data.get()), bytes.size}; }

}  // namespace

// No path has a NUL.
std::string item_key(const std::string& input, std::uint32_t page) {
  return page == 0 ? input : fmt::format("{}{}{}", input, '\0', page);
}

std::string recorded_path(const std::string& folder, const std::string& file) {
  return plain_path(file.starts_with('/') ? file : joined_path(folder, file));
}

Manifest parse_manifest(std::string_view text, const std::string& name) {
  Reading reading;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    if (end > 0) {
      reading.take(text.substr(0, end));
    }
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  Manifest manifest = reading.end();
  if (manifest.runs.empty()) {
    throw Error(ErrorKind::decode, printable_name(name) +
                                       ": is not a gpuimg manifest: no line starts a run; name a file that "
                                       "--manifest wrote");
  }
  return manifest;
}

Manifest read_manifest(const std::string& path) { return parse_manifest(text_of(read_input(path)), path); }

Manifest read_manifest_to_continue(const std::string& path) {
  const Bytes bytes = read_input(path);
  const std::string_view text = text_of(bytes);
  const std::string_view known = text.substr(0, kBeginningOfRun.size());
  const bool was_cut_off = text.find('\n') == text.npos && known == kBeginningOfRun.substr(0, known.size());
  return was_cut_off ? Manifest() : parse_manifest(text, path);
}

}  // namespace gpuimg
