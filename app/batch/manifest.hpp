// The manifest of a run, as JSON lines: one for the run, one for each item before its outputs get their final names,
// and one when it ends. `gpuimg report` sums up the manifests of shards. docs/batch.md, "Manifest" and "Machines".
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "engine/item_report.hpp"
#include "gpuimg/error.hpp"

namespace gpuimg {

// --- --shard: which part of the work this process does. docs/batch.md, "Machines" -----------------------------------

constexpr std::uint64_t kMaxShards = 1'000'000;

struct Shard {
  std::uint64_t index = 1;  ///< 1 … count
  std::uint64_t count = 1;
  std::string source;  ///< where it comes from: "--shard", "SLURM_ARRAY_TASK_ID"

  /// By FNV-1a of the relative path, modulo count: adding a file never moves another one.
  [[nodiscard]] bool holds(const std::string& relative_path) const;

  /// "2/4".
  [[nodiscard]] std::string text() const;
};

using Environment = std::function<const char*(const char* variable)>;

/// "i/n" with 1 ≤ i ≤ n, "auto" to read the scheduler's environment variables, or empty for everything. Throws
/// Error{usage}.
Shard parse_shard(const std::string& text, const Environment& environment);

// --- The manifest ---------------------------------------------------------------------------------------------------

/// Prefix of the first line of every run, and therefore of every manifest.
constexpr std::string_view kBeginningOfRun = R"({"gpuimg")";

enum class ItemStatus : std::uint8_t {
  begun,  ///< its outputs are about to get their final names; the final status only if the run was killed
  done,
  failed,
  skipped
};

/// The first line of a run.
struct RunRecord {
  std::string operation;
  std::string parameters;  ///< 16 hexadecimal digits
  std::string version;
  std::uint64_t items = 0;  ///< covered by this run, or by all runs in this file
  std::uint64_t total = 0;  ///< in all shards
  Shard shard;
  std::string folder = {};   ///< base of relative names; empty if unknown, as in schema 1
  std::string output = {};   ///< the one output of all items; empty: each item has its own
  std::string options = {};  ///< as given, quoted for a shell, for display; empty in manifests before 0.2
};

struct ItemRecord {
  std::string input;       ///< any bytes
  std::string output;      ///< any bytes
  std::uint32_t page = 0;  ///< of the input; 0 if the item is the file as a whole
  bool has_later = false;  ///< the item also stands for all later pages: InputFile::lost
  std::uint64_t bytes = 0;
  std::int64_t mtime_ns = 0;  ///< of the input, since 1970
  std::string operation;
  std::string parameters;
  std::string version;
  std::string backend;        ///< Backend::name(); empty if no backend was used
  std::optional<int> device;  ///< nullopt if the backend computes in host memory
  CodecSides sides;
  ItemStatus status = ItemStatus::done;
  std::string error_kind;  ///< see docs/batch.md; empty unless failed
  std::string message;     ///< why it failed or was skipped
  /// Files that a resumed run may replace: those of an item that is begun, done, or skipped as done before. Empty for
  /// an image replaced in place, and for records of schema 1.
  std::vector<std::string> files = {};
  /// The item's contribution to the merged output, if a resumed run takes it from here (ImageJob::again).
  std::string result = {};
  PhaseTimes times;
};

/// The key of Manifest::items: the input's name, with the page number if the item is a page.
std::string item_key(const std::string& input, std::uint32_t page);

/// The path under which Manifest::outputs lists `file`, as named by a run in `folder`.
std::string recorded_path(const std::string& folder, const std::string& file);

/// Each returns one JSON line with its line break. In `input`, bytes that are not UTF-8 become U+FFFD; `input_hex` then
/// has the exact name. The same holds for `output`.
std::string manifest_line(const RunRecord& run);
std::string manifest_line(const ItemRecord& item);

/// The content of a manifest, with the last record of each input.
struct Manifest {
  std::vector<RunRecord> runs;
  std::map<std::string, ItemRecord> items;         ///< by item_key
  std::map<std::string, std::uint32_t> lost_from;  ///< by input: the page of a failed record that has_later
  /// Plain paths of the files that its runs wrote, or were about to name when they were killed. Absolute if the run's
  /// folder is known.
  std::set<std::string> outputs;
  std::size_t damaged_lines = 0;  ///< skipped; a killed process leaves at most one
};

/// `name` is used in messages. Throws Error{decode} if no line starts a run.
Manifest parse_manifest(std::string_view text, const std::string& name);

/// Also throws Error{read}.
Manifest read_manifest(const std::string& path);

/// Like read_manifest, for --resume: an empty file or a partial first line, as left by an early kill, counts as an
/// empty manifest.
Manifest read_manifest_to_continue(const std::string& path);

std::string_view name_of(ErrorKind kind);

/// Appends to a file, each line with a single write(2), so that a killed process leaves whole lines. Thread-safe.
class ManifestWriter {
 public:
  enum class Mode { create, replace, append };

  /// Throws Error{write}: with `create` if the file exists; otherwise if it is not a regular file or not a manifest.
  ManifestWriter(const std::string& path, Mode mode);
  ManifestWriter(const ManifestWriter&) = delete;
  ManifestWriter& operator=(const ManifestWriter&) = delete;
  ~ManifestWriter();

  /// Once this returns, the line survives a kill of the process. Throws Error{write}; after one failure, every call
  /// throws, because the file may end with a partial line.
  void write(const std::string& line);

  /// Call after the last line: throws Error{write} if the file system reports a delayed write error.
  void finish();

 private:
  void take_over(Mode mode);
  void check_is_manifest() const;

  std::string path_;
  int file_ = -1;
  std::mutex mutex_;
  bool is_whole_ = true;  ///< no line was written partially
};

/// The sum of the manifests of a run's shards, by status: `gpuimg report`.
class ManifestReport {
 public:
  /// `name` is used in messages. Throws Error{usage} if the manifest has another operation, other parameters or another
  /// number of shards than the previous ones, or if its shard was already added.
  void add(const Manifest& manifest, const std::string& name);

  /// True if every item of every shard is done or skipped.
  [[nodiscard]] bool is_complete() const;

  [[nodiscard]] std::string text() const;
  [[nodiscard]] std::string json() const;
  [[nodiscard]] const std::vector<std::string>& notes() const { return notes_; }

 private:
  struct ShardCounts {
    std::string name;
    std::uint64_t items = 0;
    std::uint64_t done = 0;
    std::uint64_t failed = 0;
    std::uint64_t skipped = 0;
    [[nodiscard]] std::uint64_t missing() const { return items - std::min(items, done + failed + skipped); }
  };
  struct Failure {
    std::string input;
    std::string kind;
    std::string message;
  };
  [[nodiscard]] ShardCounts sum() const;
  [[nodiscard]] std::vector<std::uint64_t> absent_shards() const;

  std::vector<RunRecord> runs_;
  std::map<std::uint64_t, ShardCounts> shards_;
  std::vector<Failure> failures_;
  std::vector<std::string> notes_;
};

}  // namespace gpuimg
