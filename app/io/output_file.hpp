// Outputs. Files are written atomically: the final name has either the old content or the complete new content. The
// content is first written to a temporary file in the same folder, with every write and close checked; then the file is
// renamed. Streams are standard output and named pipes (fifos). docs/cli.md, "Output files".
#pragma once

#include <sys/stat.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "gpuimg/error.hpp"
#include "io/bytes.hpp"
#include "io/system_handles.hpp"

namespace gpuimg {

/// Error{write} with the text "path: cannot write: reason; advice"; the path is escaped.
class OutputError : public Error {
 public:
  /// `system_error` is the underlying errno, or 0 if gpuimg itself rejects the output.
  OutputError(const std::string& path, std::string why_and_what_to_do, int system_error);

  [[nodiscard]] const std::string& why() const noexcept { return why_; }  ///< "reason; advice"
  [[nodiscard]] int system_error() const noexcept { return system_error_; }

 private:
  std::string why_;
  int system_error_;
};

/// Throws OutputError.
[[noreturn]] void fail_writing(const std::string& path, const std::string& why_and_what_to_do);

/// Throws OutputError for an errno of open, write, close, rename and similar calls; std::bad_alloc for ENOMEM.
[[noreturn]] void fail_writing(const std::string& path, int system_error);

/// "reason; advice" for an errno.
std::string write_advice(int error);

struct FileTimes {
  timespec accessed{};
  timespec modified{};
};

/// Nothing for "-" and for a missing file.
std::optional<FileTimes> times_of(const std::string& path);

struct OverwriteRules {
  bool force = false;     ///< an existing output may be replaced
  bool in_place = false;  ///< the output may be the input itself
};

/// The reader of standard output closed the pipe (EPIPE), so the command should end quietly. The process must ignore
/// SIGPIPE and SIGXFSZ; otherwise these signals kill it.
class OutputClosed : public Error {
 public:
  OutputClosed() : Error(ErrorKind::write, "standard output: the reader closed it; nothing more was written") {}
};

/// Checks an output before any work. `input` may be "-" or empty. Throws Error{write} if `output`
///  - exists, and `force` is not set;
///  - is the input under any alias (same device and inode), and `in_place` is not set;
///  - is a device, a socket or a dangling symbolic link; or
///  - is in a folder that is missing or not writable.
/// Accepts standard output and fifos. Returns true if `output` is the input and is to be replaced.
bool check_output(const std::string& output, const std::string& input, const OverwriteRules& rules);

/// Writes `content` to `path`, which may be standard output or a fifo. On failure, throws Error{write} or OutputClosed,
/// leaves no new file, and keeps an existing file unchanged. Without `force` and `in_place`, never replaces a file, not
/// even one that appears concurrently.
///
/// Keeps the permission bits of a replaced file, and its owner if the system allows; with `in_place`, also its extended
/// attributes. Follows a symbolic link and replaces its target; other hard links keep the old content. The rename is
/// atomic for other processes. Does not call fsync, which would take longer than the work itself, so a power failure
/// can lose a file just written.
void write_output(const std::string& path, std::span<const std::byte> content, const OverwriteRules& rules);

/// Writes text to standard output, like write_output("-").
void write_text(std::string_view text);

class TemporaryFile;

/// write_output in separate steps, for content that arrives in parts and for commands with several outputs. The content
/// goes to a temporary file. commit() gives the file its final name once all outputs are complete; without commit(),
/// the destructor removes it. `path` must not be "-". Every step throws like write_output.
class StagedOutput {
 public:
  StagedOutput(const std::string& path, const OverwriteRules& rules);
  StagedOutput(StagedOutput&&) noexcept;
  ~StagedOutput();

  void write(std::span<const std::byte> part);

  /// Alternative to write(), for parts in any order and from any thread. Bytes that no part covers are zero.
  void write_at(std::uint64_t offset, std::span<const std::byte> part) const;

  void finish();  ///< call after the last part

  /// Call after finish(). Returns an errno, or 0.
  [[nodiscard]] int set_times(const FileTimes& times);

  void commit();

  [[nodiscard]] std::size_t size() const { return size_; }   ///< bytes given to write()
  [[nodiscard]] bool replaces() const { return replaces_; }  ///< a file of that name already exists

  /// The number of other hard links of the replaced file. They keep the old content.
  [[nodiscard]] std::uint64_t other_names() const { return other_names_; }

 private:
  std::unique_ptr<TemporaryFile> file_;
  std::size_t size_ = 0;
  bool may_replace_;
  bool replaces_ = false;
  std::uint64_t other_names_ = 0;
};

/// Creates the parent folders of `path` if they are missing. Safe to call from many threads and processes at once.
/// Throws Error{write}.
void make_folder_of(const std::string& path);

/// True for "-" and for this process's standard output: /dev/stdout, /dev/fd/1, /proc/self/fd/1.
bool is_standard_output(const std::string& path);

/// True for standard input and standard error of this process, which cannot be outputs.
bool is_other_standard_stream(const std::string& path);

/// True if the path is a fifo.
bool is_fifo(const std::string& path);

/// True for standard output and fifos.
bool is_stream(const std::string& path);

/// True for a stream whose name has no extension that could determine the format. Also true for devices, because
/// check_output() rejects them with a better message.
bool is_untyped_stream(const std::string& path);

/// Captures what a command line of `batch -` writes: standard output, standard error, and the names of its files.
struct CapturedStreams {
  std::mutex mutex;  ///< protects the members below if several threads write
  std::string output;
  std::string messages;
  std::vector<std::string> files;
};

/// While a capture exists, standard output and messages of its thread go to `streams`, and images cannot be read from
/// standard input.
class StreamCapture {
 public:
  explicit StreamCapture(CapturedStreams& streams);
  StreamCapture(const StreamCapture&) = delete;
  StreamCapture& operator=(const StreamCapture&) = delete;
  ~StreamCapture();

  /// Captures the output of all threads. No other capture may exist.
  void take_all();
};

/// Throws Error{usage} if standard input contains command lines.
void reject_captured_input();

/// Like write_text, but never captured.
void write_answer(std::string_view text);

/// The capture of this thread's output; nullptr if it is not captured.
CapturedStreams* captured_streams() noexcept;

/// A fifo open for writing. Its reader sees end of file when this object is destroyed.
class FifoOutput {
 public:
  /// Waits briefly for a reader. Throws Error{write} if none opens the fifo.
  explicit FifoOutput(const std::string& path);

  /// Throws Error{write}, also if the reader closes the fifo early.
  void write(std::span<const std::byte> content) const;

 private:
  std::string path_;
  Descriptor file_;
};

/// Memory that already contains bytes of a file. `keeper` owns the memory; it is null if the owner outlives the
/// content.
struct LentBytes {
  std::span<const std::byte> bytes;
  std::shared_ptr<const void> keeper;
};

/// A file in memory that will be written to a stream or an archive. Parts that lie in `lent` are not copied.
class FileContent {
 public:
  explicit FileContent(LentBytes lent = {}) : lent_(std::move(lent)) {}
  FileContent(const FileContent&) = delete;
  FileContent& operator=(const FileContent&) = delete;
  ~FileContent() = default;

  /// Callbacks for the producer of the file. They must not outlive this object.
  [[nodiscard]] FileParts parts();

  [[nodiscard]] std::uint64_t size() const;

  /// Calls write(part) for the content in order.
  template <class Write>
  void for_each_part(const Write& write) const {
    std::size_t at = 0;
    for (const Borrowed& part : borrowed_) {
      write(std::span(own_).subspan(at, part.own_before - at));
      write(part.bytes);
      at = part.own_before;
    }
    write(std::span(own_).subspan(at));
  }

  /// The whole content as one span: a copy in `room` if parts are borrowed, otherwise the memory of this object.
  std::span<const std::byte> in_one_piece(std::vector<std::byte>& room) const;

 private:
  struct Borrowed {
    std::size_t own_before;  ///< bytes of own_ that come before this part
    std::span<const std::byte> bytes;
  };

  void append(std::span<const std::byte> part);
  void place(std::uint64_t offset, std::span<const std::byte> part);

  LentBytes lent_;
  std::vector<std::byte> own_;
  std::vector<Borrowed> borrowed_;
};

}  // namespace gpuimg
