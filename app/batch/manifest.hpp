// The manifest of a run: JSON lines, one for the run, one for each item before its outputs get their names, and one as
// it ends. docs/batch.md, "Manifest".
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "batch/shard.hpp"
#include "engine/phase_times.hpp"
#include "gpuimg/error.hpp"

namespace gpuimg {

/// How the first line of every run begins, and so every manifest.
constexpr std::string_view kBeginningOfRun = R"({"gpuimg")";

enum class ItemStatus : std::uint8_t {
  begun,  ///< its outputs are about to get their names; not the last word unless the run was killed
  done,
  failed,
  skipped
};

/// The first line of a run.
struct RunRecord {
  std::string operation;
  std::string parameters;  ///< 16 hexadecimal digits
  std::string version;
  std::uint64_t items = 0;  ///< that this run, or the runs in this file together, answer for
  std::uint64_t total = 0;  ///< in all shards
  Shard shard;
  std::string folder = {};  ///< that relative names start from; empty if unknown, as in schema 1
};

struct ItemRecord {
  std::string input;   ///< any bytes
  std::string output;  ///< likewise
  std::uint64_t bytes = 0;
  std::int64_t mtime_ns = 0;  ///< of the input, since 1970
  std::string operation;
  std::string parameters;
  std::string version;
  std::string backend;        ///< as Backend::name() says it; empty if none was reached
  std::optional<int> device;  ///< nullopt if the backend computes in host memory
  ItemStatus status = ItemStatus::done;
  std::string error_kind;  ///< as in docs/batch.md; empty unless failed
  std::string message;     ///< why it failed or was skipped
  /// What a resumed run may replace: the files of an item that is begun, done, or skipped because it was done before.
  /// Empty for an image that is replaced in place, and for what was done by schema 1.
  std::vector<std::string> files = {};
  PhaseTimes times;
};

/// One line of JSON each, with its line break. Bytes of names that are not UTF-8 become U+FFFD in `input`, and stand
/// exactly in `input_hex`; likewise for `output`.
std::string manifest_line(const RunRecord& run);
std::string manifest_line(const ItemRecord& item);

/// What the file says of a run, the last word on each input.
struct Manifest {
  std::vector<RunRecord> runs;
  std::map<std::string, ItemRecord> items;  ///< by input
  /// Plain paths, absolute where the run's folder is known, of the files that its runs wrote, or were about to name
  /// when they were killed.
  std::set<std::string> outputs;
  std::size_t damaged_lines = 0;  ///< passed over: a process that was killed leaves at most one
};

/// `name` stands in messages. Throws Error{decode} if no line of it begins a run.
Manifest parse_manifest(std::string_view text, const std::string& name);

/// Throws Error{read} too.
Manifest read_manifest(const std::string& path);

/// The same for a run that goes on. A process that was killed at once leaves a manifest that is empty, or holds a part
/// of its first line: then nothing is done.
Manifest read_manifest_to_continue(const std::string& path);

std::string_view name_of(ErrorKind kind);

/// Appends to a file, a line with one write(2), so that a killed process leaves whole lines behind. Thread-safe.
class ManifestWriter {
 public:
  enum class Mode { create, replace, append };

  /// Throws Error{write}: with `create` also if the file exists, with the others if it is no file, or holds anything
  /// but a manifest.
  ManifestWriter(const std::string& path, Mode mode);
  ManifestWriter(const ManifestWriter&) = delete;
  ManifestWriter& operator=(const ManifestWriter&) = delete;
  ~ManifestWriter();

  /// When it returns, the line survives a kill of the process. Throws Error{write}; after a failure always, because
  /// the file may end with a part of a line.
  void write(const std::string& line);

  /// After the last line: throws Error{write} where a file system that writes late says now that it could not.
  void finish();

 private:
  void take_over(Mode mode);
  void check_is_manifest() const;

  std::string path_;
  int file_ = -1;
  std::mutex mutex_;
  bool is_whole_ = true;  ///< no line was cut off
};

}  // namespace gpuimg
