// Outputs. A file is written atomically: its final name holds either the new content or the old one, never a part. A
// temporary file in the same folder is written, every write and close is checked, and the file is renamed last. Streams
// are standard output and named pipes (fifos). docs/cli.md, "Output files".
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

/// Error{write} with the text "path: cannot write: why; what to do"; the path is escaped.
class OutputError : public Error {
 public:
  /// `system_error` is the underlying errno, or 0 if gpuimg itself refuses.
  OutputError(const std::string& path, std::string why_and_what_to_do, int system_error);

  [[nodiscard]] const std::string& why() const noexcept { return why_; }  ///< "why; what to do"
  [[nodiscard]] int system_error() const noexcept { return system_error_; }

 private:
  std::string why_;
  int system_error_;
};

/// Throws OutputError.
[[noreturn]] void fail_writing(const std::string& path, const std::string& why_and_what_to_do);

/// The same for an errno of open, write, close, rename and similar calls; std::bad_alloc for ENOMEM.
[[noreturn]] void fail_writing(const std::string& path, int system_error);

/// "why; what to do" for an errno.
std::string write_advice(int error);

struct FileTimes {
  timespec accessed{};
  timespec modified{};
};

/// Nothing for "-", and for a file that is not there.
std::optional<FileTimes> times_of(const std::string& path);

struct OverwriteRules {
  bool force = false;     ///< an existing output may be replaced
  bool in_place = false;  ///< the output may be the input itself
};

/// Standard output's reader closed the pipe (EPIPE): the command should end quietly. The process must ignore SIGPIPE
/// and SIGXFSZ, or these errors end it.
class OutputClosed : public Error {
 public:
  OutputClosed() : Error(ErrorKind::write, "standard output: closed by its reader; nothing more was written") {}
};

/// Checks an output before any work. `input` may be "-" or empty. Throws Error{write} if `output`
///  - exists, and `force` is not set;
///  - is the input under any alias (same device and inode), and `in_place` is not set;
///  - is a device, a socket or a dangling symbolic link; or
///  - is in a folder that is missing or not writable.
/// Standard output and fifos pass. Returns true if `output` is the input, to be replaced.
bool check_output(const std::string& output, const std::string& input, const OverwriteRules& rules);

/// `path` may be standard output or a fifo. Throws Error{write} or OutputClosed; then no new file
/// is left, and an existing one is unchanged. Without `force` or `in_place`, never replaces a file, even one that
/// appears concurrently.
///
/// Keeps the permission bits of a replaced file, and its owner if the system allows; with `in_place`, also its extended
/// attributes. Follows a symbolic link and
/// replaces its target; other hard links keep the old content. The rename is atomic for other processes. There is no
/// fsync, which would take longer than the work itself: a power failure can lose a file just written.
void write_output(const std::string& path, std::span<const std::byte> content, const OverwriteRules& rules);

/// Writes text to standard output, like write_output("-").
void write_text(std::string_view text);

class TemporaryFile;

/// The steps of write_output, for content that arrives in parts and for commands with several outputs. The content goes
/// to a temporary file; commit() gives it the final name, once all outputs are complete. Without commit(), nothing is
/// left. `path` must not be "-". Every step throws like write_output.
class StagedOutput {
 public:
  StagedOutput(const std::string& path, const OverwriteRules& rules);
  StagedOutput(StagedOutput&&) noexcept;
  ~StagedOutput();

  void write(std::span<const std::byte> part);

  /// In place of write(), for parts in any order and from any thread. What is in no part is zero.
  void write_at(std::uint64_t offset, std::span<const std::byte> part) const;

  void finish();  ///< call after the last part

  /// After finish(). Returns an errno, or 0.
  [[nodiscard]] int set_times(const FileTimes& times);

  void commit();

  [[nodiscard]] std::size_t size() const { return size_; }   ///< bytes given to write()
  [[nodiscard]] bool replaces() const { return replaces_; }  ///< a file of that name already exists

  /// How many other names (hard links) the replaced file has, which keep the old content.
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

/// True for this process's standard input and standard error, which cannot be outputs.
bool is_other_standard_stream(const std::string& path);

/// True if the path is a fifo.
bool is_fifo(const std::string& path);

/// True for standard output and fifos.
bool is_stream(const std::string& path);

/// True for a stream whose name has no extension to choose the format by. Includes devices: check_output() refuses them
/// with a better message.
bool is_untyped_stream(const std::string& path);

/// What a command line of `batch -` writes in place of the process: to standard output, to standard error, and the
/// names of its files.
struct CapturedStreams {
  std::mutex mutex;  ///< of the members below, if several threads write
  std::string output;
  std::string messages;
  std::vector<std::string> files;
};

/// While it exists, standard output and messages of this thread go to `streams`, or those of the whole process after
/// take_all(). Standard input is then not for images.
class StreamCapture {
 public:
  explicit StreamCapture(CapturedStreams& streams);
  StreamCapture(const StreamCapture&) = delete;
  StreamCapture& operator=(const StreamCapture&) = delete;
  ~StreamCapture();

  /// No other capture may exist.
  void take_all();
};

/// Throws Error{usage} if standard input is for command lines.
void refuse_captured_input();

/// Like write_text, but never captured.
void write_answer(std::string_view text);

/// Where this thread's output goes; nullptr if it is the process's.
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

/// Memory that already holds bytes of a file. `keeper` owns it; null if its owner lives longer than the file's content.
struct LentBytes {
  std::span<const std::byte> bytes;
  std::shared_ptr<const void> keeper;
};

/// A file in memory, on its way to a stream or an archive. Parts inside `lent` are not copied.
class FileContent {
 public:
  explicit FileContent(LentBytes lent = {}) : lent_(std::move(lent)) {}
  FileContent(const FileContent&) = delete;
  FileContent& operator=(const FileContent&) = delete;
  ~FileContent() = default;

  /// For its producer, which must not outlive this.
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

 private:
  struct Borrowed {
    std::size_t own_before;  ///< how much of own_ comes before it
    std::span<const std::byte> bytes;
  };

  void append(std::span<const std::byte> part);
  void place(std::uint64_t offset, std::span<const std::byte> part);

  LentBytes lent_;
  std::vector<std::byte> own_;
  std::vector<Borrowed> borrowed_;
};

}  // namespace gpuimg
