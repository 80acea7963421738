// Writes manifest lines and reads them. Counts and skips lines that are incomplete or not from gpuimg. Sums up the
// manifests of a run's shards.
#include "batch/manifest.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <limits>
#include <optional>
#include <span>
#include <string_view>
#include <type_traits>
#include <utility>

#include "gpuimg/error.hpp"
#include "io/input_file.hpp"
#include "io/output_file.hpp"
#include "io/temporary_file.hpp"
#include "text/fnv_hash.hpp"
#include "text/json.hpp"
#include "text/number_text.hpp"
#include "text/path_names.hpp"
#include "text/printable_name.hpp"

namespace gpuimg {
namespace {

using Layout = JsonWriter::Layout;

constexpr std::uint64_t kSchema = 2;

std::string_view name_of(ItemStatus status) {
  switch (status) {
    case ItemStatus::begun: return "begun";
    case ItemStatus::done: return "done";
    case ItemStatus::failed: return "failed";
    case ItemStatus::skipped: return "skipped";
  }
  return "";
}

bool is_utf8(const std::string& name) { return valid_utf8(name) == name; }

void write_files(JsonWriter& json, const std::vector<std::string>& files) {
  json.key("files").begin_array();
  for (const std::string& file : files) {
    json.text(file);
  }
  json.end();
  if (!std::all_of(files.begin(), files.end(), is_utf8)) {
    json.key("files_hex").begin_array();
    for (const std::string& file : files) {
      json.text(hex_of(file));
    }
    json.end();
  }
}

void write_side(JsonWriter& json, std::string_view key, const std::string& side) {
  json.key(key);
  side.empty() ? json.null() : json.text(side);
}

void write_times(JsonWriter& json, const PhaseTimes& times) {
  json.key("ms").begin_object();
  for (std::size_t i = 0; i < kPhaseNames.size(); ++i) {
    json.key(kPhaseNames[i]).literal(fmt::format("{:.3f}", times.milliseconds(static_cast<Phase>(i))));
  }
  json.end();
}

/// Throws std::invalid_argument for a fraction, and for a value that is out of range, such as 1e99.
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
  run.options = line.contains("options") ? line.at("options").text() : "";
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
  /// Processes a line. Skips it if it is damaged.
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
      // After a failure, the file at the output's path may belong to another program.
      note_outputs(item.files);
      begun_.erase(key);
    }
    if (item.has_later && item.status == ItemStatus::failed) {
      manifest_.lost_from[item.input] = item.page;
    } else if (const auto lost = manifest_.lost_from.find(item.input);
               lost != manifest_.lost_from.end() && item.page >= lost->second) {
      manifest_.lost_from.erase(lost);  // a later run has found these pages
    }
    manifest_.items.insert_or_assign(std::move(key), std::move(item));
  }

  /// An item that was begun but not ended may already have its outputs in place.
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
  std::map<std::string, std::vector<std::string>> begun_;  ///< maps item_key to output files, for the current run
};

std::string_view text_of(const Bytes& bytes) { return {reinterpret_cast<const char*>(bytes.data.get()), bytes.size}; }

}  // namespace

std::string_view name_of(ErrorKind kind) {
  switch (kind) {
    case ErrorKind::usage: return "usage";
    case ErrorKind::read: return "read";
    case ErrorKind::write: return "write";
    case ErrorKind::decode: return "decode";
    case ErrorKind::unsupported: return "unsupported";
    case ErrorKind::backend_unavailable: return "backend_unavailable";
    case ErrorKind::out_of_memory: return "out_of_memory";
    case ErrorKind::device_fault: return "device_fault";
    case ErrorKind::mismatch: return "mismatch";
    case ErrorKind::check_failed: return "check_failed";
  }
  return "internal";
}

std::string manifest_line(const RunRecord& run) {
  JsonWriter json;
  json.begin_object(Layout::line).key("gpuimg").text("run").key("schema").integer(kSchema);
  json.key("operation").text(run.operation).key("parameters").text(run.parameters).key("version").text(run.version);
  json.key("options").text(run.options);
  json.key("shard").integer(run.shard.index).key("shards").integer(run.shard.count);
  json.name("folder", run.folder);
  if (!run.output.empty()) {
    json.name("output", run.output);
  }
  return json.key("items").integer(run.items).key("total").integer(run.total).end().take();
}

std::string manifest_line(const ItemRecord& item) {
  JsonWriter json;
  json.begin_object(Layout::line);
  json.name("input", item.input);
  json.name("output", item.output);
  if (item.page > 0) {
    json.key("page").integer(item.page);
  }
  if (item.has_later) {
    json.key("and_later").boolean(true);
  }
  json.key("bytes").integer(item.bytes).key("mtime_ns").literal(std::to_string(item.mtime_ns));
  json.key("operation").text(item.operation).key("parameters").text(item.parameters).key("version").text(item.version);
  if (item.status == ItemStatus::begun) {
    json.key("status").text(name_of(item.status));
    write_files(json, item.files);
    return json.end().take();
  }
  json.key("backend");
  item.backend.empty() ? json.null() : json.text(item.backend);
  json.key("device");
  item.device ? json.integer(static_cast<std::uint64_t>(*item.device)) : json.null();
  write_side(json, "decoded_by", item.sides.decoded_by);
  write_side(json, "encoded_by", item.sides.encoded_by);
  json.key("status").text(name_of(item.status));
  if (item.status == ItemStatus::failed) {
    json.key("error").begin_object().key("kind").text(item.error_kind).key("message").text(item.message).end();
  } else if (item.status == ItemStatus::skipped) {
    json.key("reason").text(item.message);
    if (!item.files.empty()) {
      write_files(json, item.files);
    }
  }
  if (!item.result.empty()) {
    json.key("result").text(item.result);
  }
  write_times(json, item.times);
  return json.end().take();
}

ManifestWriter::ManifestWriter(const std::string& path, Mode mode) : path_(path) {
  const int extra = mode == Mode::create ? O_EXCL : 0;
  file_ = ::open(path.c_str(), O_RDWR | O_CREAT | O_APPEND | O_NONBLOCK | O_CLOEXEC | extra, 0666);
  if (file_ < 0) {
    fail_writing(path, errno == EEXIST ? "it already exists; continue it with --resume, or replace it with --force"
                                       : write_advice(errno));
  }
  try {
    take_over(mode);
  } catch (...) {
    ::close(file_);
    throw;
  }
}

void ManifestWriter::take_over(Mode mode) {
  check_is_manifest();
  if (mode == Mode::replace && ::ftruncate(file_, 0) != 0) {
    fail_writing(path_, write_advice(errno));
  }
  // A killed process may have left an incomplete last line.
  char last = '\n';
  const off_t size = ::lseek(file_, 0, SEEK_END);
  if (size > 0 && ::pread(file_, &last, 1, size - 1) == 1 && last != '\n') {
    write("\n");
  }
}

/// Protects against a wrong file name: never overwrites a file that is not a manifest.
void ManifestWriter::check_is_manifest() const {
  struct stat found {};
  if (::fstat(file_, &found) != 0 || !S_ISREG(found.st_mode)) {
    fail_writing(path_, "it is not a regular file; name a file for --manifest");
  }
  std::array<char, kBeginningOfRun.size()> beginning{};
  const ssize_t size = ::pread(file_, beginning.data(), beginning.size(), 0);
  const std::string_view known(beginning.data(), size > 0 ? static_cast<std::size_t>(size) : 0);
  if (known != kBeginningOfRun.substr(0, known.size())) {
    fail_writing(path_, "it is not a manifest and is not replaced; use another name for --manifest");
  }
}

ManifestWriter::~ManifestWriter() { ::close(file_); }

void ManifestWriter::write(const std::string& line) {
  const std::lock_guard lock(mutex_);
  if (!std::exchange(is_whole_, false)) {
    fail_writing(path_, "an earlier line could not be written; free some space, then continue with --resume");
  }
  write_all(file_, std::as_bytes(std::span<const char>(line.data(), line.size())), path_);
  is_whole_ = true;
}

void ManifestWriter::finish() { check_written(file_, path_); }

// NUL separates the parts, because paths cannot contain NUL.
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

void ManifestReport::add(const Manifest& manifest, const std::string& name) {
  const RunRecord& run = manifest.runs.back();  // the last run states how many items the file covers
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
      continue;  // the record is from an earlier run with other options
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

// --- Shards: i/n, or the variables of Slurm, Open MPI and Kubernetes ------------------------------------------------

namespace {

std::optional<std::uint64_t> number_in(std::string_view text) {
  std::uint64_t number = 0;
  const auto [stop, failure] = std::from_chars(text.data(), text.data() + text.size(), number);
  return failure == std::errc{} && stop == text.data() + text.size() ? std::optional(number) : std::nullopt;
}

/// An environment variable that must be an integer if it is set.
std::optional<std::uint64_t> variable(const Environment& environment, const char* name) {
  const char* value = environment(name);
  if (value == nullptr || *value == '\0') {
    return std::nullopt;
  }
  const auto number = number_in(value);
  if (!number) {
    throw Error(ErrorKind::usage, fmt::format("--shard auto: {} is '{}', not a whole number", name, value));
  }
  return number;
}

Shard checked(std::optional<std::uint64_t> from_zero, std::optional<std::uint64_t> count, const char* source,
              const char* count_source) {
  if (!count) {
    throw Error(ErrorKind::usage, fmt::format("--shard auto: {} is set, but {} is not; set it to the number of shards, "
                                              "or give --shard i/n",
                                              source, count_source));
  }
  if (*from_zero >= *count) {
    throw Error(ErrorKind::usage, fmt::format("--shard auto: {} makes this shard {} of {} from {}; give --shard i/n",
                                              source, *from_zero + 1, *count, count_source));
  }
  if (*count > kMaxShards) {
    throw Error(ErrorKind::usage,
                fmt::format("--shard auto: {} is {}; there are at most {} shards", count_source, *count, kMaxShards));
  }
  return {*from_zero + 1, *count, source};
}

std::optional<Shard> slurm_array(const Environment& environment) {
  const auto id = variable(environment, "SLURM_ARRAY_TASK_ID");
  if (!id) {
    return std::nullopt;
  }
  const std::uint64_t first = variable(environment, "SLURM_ARRAY_TASK_MIN").value_or(0);
  const std::uint64_t step = variable(environment, "SLURM_ARRAY_TASK_STEP").value_or(1);
  if (*id < first || step == 0 || (*id - first) % step != 0) {
    throw Error(ErrorKind::usage,
                "--shard auto: SLURM_ARRAY_TASK_ID, _MIN and _STEP are inconsistent; give "
                "--shard i/n");
  }
  return checked((*id - first) / step, variable(environment, "SLURM_ARRAY_TASK_COUNT"), "SLURM_ARRAY_TASK_ID",
                 "SLURM_ARRAY_TASK_COUNT");
}

Shard from_environment(const Environment& environment) {
  if (const auto shard = slurm_array(environment)) {
    return *shard;
  }
  struct Rank {
    const char* index;
    const char* count;
  };
  // MPI variables come first: if Slurm starts one MPICH launcher per node, SLURM_PROCID is the index of the launcher.
  for (const Rank& rank : {Rank{"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"}, Rank{"PMI_RANK", "PMI_SIZE"},
                           Rank{"SLURM_PROCID", "SLURM_NTASKS"}, Rank{"JOB_COMPLETION_INDEX", "GPUIMG_SHARDS"}}) {
    if (const auto index = variable(environment, rank.index)) {
      return checked(index, variable(environment, rank.count), rank.index, rank.count);
    }
  }
  throw Error(ErrorKind::usage,
              "--shard auto: the environment does not define a shard (SLURM_ARRAY_TASK_ID, SLURM_PROCID, "
              "OMPI_COMM_WORLD_RANK, PMI_RANK or JOB_COMPLETION_INDEX); give --shard i/n");
}

}  // namespace

bool Shard::holds(const std::string& relative_path) const { return fnv_hash(relative_path) % count == index - 1; }

std::string Shard::text() const { return fmt::format("{}/{}", index, count); }

Shard parse_shard(const std::string& text, const Environment& environment) {
  if (text.empty()) {
    return {};
  }
  if (text == "auto") {
    return from_environment(environment);
  }
  const std::size_t slash = text.find('/');
  const std::uint64_t index = number_in(std::string_view(text).substr(0, slash)).value_or(0);
  const std::uint64_t count =
      slash == std::string::npos ? 0 : number_in(std::string_view(text).substr(slash + 1)).value_or(0);
  if (index < 1 || index > count || count > kMaxShards) {
    throw Error(ErrorKind::usage,
                fmt::format("--shard: '{}' is neither i/n with i from 1 to n, such as 2/8 (n at most {}), "
                            "nor auto",
                            text, kMaxShards));
  }
  return {index, count, "--shard"};
}

}  // namespace gpuimg
