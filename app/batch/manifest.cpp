// Writes manifest lines.
#include "batch/manifest.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <span>
#include <utility>

#include "io/output_file.hpp"
#include "io/temporary_file.hpp"
#include "text/json.hpp"
#include "text/number_text.hpp"
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

std::string hex_of(const std::string& bytes) {
  std::string hex;
  for (const char byte : bytes) {
    append_format(hex, "{:02x}", static_cast<unsigned char>(byte));
  }
  return hex;
}

bool is_utf8(const std::string& name) { return valid_utf8(name) == name; }

void write_name(JsonWriter& json, const std::string& key, const std::string& name) {
  json.key(key).text(name);
  if (!is_utf8(name)) {
    json.key(key + "_hex").text(hex_of(name));
  }
}

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
  json.key("shard").integer(run.shard.index).key("shards").integer(run.shard.count);
  write_name(json, "folder", run.folder);
  if (!run.output.empty()) {
    write_name(json, "output", run.output);
  }
  return json.key("items").integer(run.items).key("total").integer(run.total).end().take();
}

std::string manifest_line(const ItemRecord& item) {
  JsonWriter json;
  json.begin_object(Layout::line);
  write_name(json, "input", item.input);
  write_name(json, "output", item.output);
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
  // A killed process may have left a partial line.
  char last = '\n';
  const off_t size = ::lseek(file_, 0, SEEK_END);
  if (size > 0 && ::pread(file_, &last, 1, size - 1) == 1 && last != '\n') {
    write("\n");
  }
}

/// Guards against a wrong name: never overwrites a file that is not a manifest.
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

}  // namespace gpuimg
