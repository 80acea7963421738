// The manifest of a run consists of JSON lines: one for the run; for each item, one before its outputs get their final
// names, and one when the item ends. `gpuimg report` sums up the manifests of shards. docs/batch.md, "Manifest" and
// "Machines".
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

// --- --shard: the part of the work that this process does. docs/batch.md, "Machines" --------------------------------

constexpr std::uint64_t kMaxShards = 1'000'000;

struct Shard {
  std::uint64_t index = 1;  ///< 1 to count
  std::uint64_t count = 1;
  std::string source;  ///< the option or variable that gave the index: "--shard", "SLURM_ARRAY_TASK_ID"

  /// True if the file is in this shard. Depends on the FNV-1a hash of the relative path, modulo count: adding a file
  /// never moves another file to another shard.
  [[nodiscard]] bool holds(const std::string& relative_path) const;

  /// Returns, for example, "2/4".
  [[nodiscard]] std::string text() const;
};

using Environment = std::function<const char*(const char* variable)>;

/// Parses "i/n" with 1 ≤ i ≤ n, "auto" to read the scheduler's environment variables, or an empty text for the whole
/// work. Throws Error{usage}.
Shard parse_shard(const std::string& text, const Environment& environment);

// --- The manifest ---------------------------------------------------------------------------------------------------

/// The first line of every run, and therefore of every manifest, begins with this text.
constexpr std::string_view kBeginningOfRun = R"({"gpuimg")";

enum class ItemStatus : std::uint8_t {
  begun,  ///< outputs are about to get their final names; stays the last status only if the run was killed
  done,
  failed,
  skipped
};

/// The first line of a run.
struct RunRecord {
  std::string operation;
  std::string parameters;  ///< 16 hexadecimal digits
  std::string version;
  std::uint64_t items = 0;  ///< items covered by this run, or by all runs in this file
  std::uint64_t total = 0;  ///< items in all shards
  Shard shard;
  std::string folder = {};   ///< base folder of relative names; empty if unknown, as in schema 1
  std::string output = {};   ///< the common output of all items; empty if each item has its own
  std::string options = {};  ///< options for display, quoted for a shell; empty in manifests before 0.2
};

struct ItemRecord {
  std::string input;       ///< any bytes
  std::string output;      ///< any bytes
  std::uint32_t page = 0;  ///< page of the input; 0 if the item is the whole file
  bool has_later = false;  ///< the item also represents all later pages: InputFile::lost
  std::uint64_t bytes = 0;
  std::int64_t mtime_ns = 0;  ///< modification time of the input, in nanoseconds since 1970
  std::string operation;
  std::string parameters;
  std::string version;
  std::string backend;        ///< Backend::name(); empty if no backend was used
  std::optional<int> device;  ///< nullopt if the backend computes in host memory
  CodecSides sides;
  ItemStatus status = ItemStatus::done;
  std::string error_kind;  ///< see docs/batch.md; empty unless failed
  std::string message;     ///< reason of a failure or of skipping the item
  /// Files that a resumed run may replace: the outputs of an item that is begun, done, or skipped because it was done
  /// before. Empty for an image replaced in place, and in records of schema 1.
  std::vector<std::string> files = {};
  /// The item's contribution to the merged output, if a resumed run needs it from the manifest (ImageJob::again).
  std::string result = {};
  PhaseTimes times;
};

/// The key in Manifest::items: the input's name and, if the item is a page, the page number.
std::string item_key(const std::string& input, std::uint32_t page);

/// The path of `file` in Manifest::outputs, if a run in `folder` named the file.
std::string recorded_path(const std::string& folder, const std::string& file);

/// These functions return one JSON line with its line break. In `input` and `output`, bytes that are not UTF-8 become
/// U+FFFD; `input_hex` and `output_hex` then contain the exact names.
std::string manifest_line(const RunRecord& run);
std::string manifest_line(const ItemRecord& item);

/// The content of a manifest. Keeps only the last record of each input.
struct Manifest {
  std::vector<RunRecord> runs;
  std::map<std::string, ItemRecord> items;         ///< the key is item_key
  std::map<std::string, std::uint32_t> lost_from;  ///< by input: the page of a failed record with has_later
  /// Paths of the files that the manifest's runs wrote, or were about to write when they were killed. The paths are
  /// normalized, and absolute if the run's folder is known.
  std::set<std::string> outputs;
  std::size_t damaged_lines = 0;  ///< skipped lines; a killed process leaves at most one
};

/// `name` is used in messages. Throws Error{decode} if no line starts a run.
Manifest parse_manifest(std::string_view text, const std::string& name);

/// Like parse_manifest, but reads a file. Also throws Error{read}.
Manifest read_manifest(const std::string& path);

/// Like read_manifest, for --resume: treats an empty file or a partial first line as an empty manifest. A process that
/// is killed early can leave such a file.
Manifest read_manifest_to_continue(const std::string& path);

std::string_view name_of(ErrorKind kind);

/// Appends lines to a file. Each line is a single write(2), so that a killed process leaves only complete lines.
/// Thread-safe.
class ManifestWriter {
 public:
  enum class Mode { create, replace, append };

  /// With `create`, throws Error{write} if the file exists. Otherwise throws Error{write} if it is not a regular file
  /// or not a manifest.
  ManifestWriter(const std::string& path, Mode mode);
  ManifestWriter(const ManifestWriter&) = delete;
  ManifestWriter& operator=(const ManifestWriter&) = delete;
  ~ManifestWriter();

  /// After this returns, the line remains even if the process is killed. Throws Error{write}. After one failure, every
  /// call throws, because the file may end with a partial line.
  void write(const std::string& line);

  /// Call this after the last line. Throws Error{write} if the file system reports a delayed write error.
  void finish();

 private:
  void take_over(Mode mode);
  void check_is_manifest() const;

  std::string path_;
  int file_ = -1;
  std::mutex mutex_;
  bool is_whole_ = true;  ///< every line was written completely
};

/// Sums up the manifests of a run's shards by status, for `gpuimg report`.
class ManifestReport {
 public:
  /// `name` is used in messages. Throws Error{usage} if the operation, the parameters or the number of shards differ
  /// from the previous manifests, or if the shard was already added.
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
