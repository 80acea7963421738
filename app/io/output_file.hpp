// Atomic output: the final name holds either the new content or the old one, never a part. Writes a temporary file in
// the same folder, checks every write and close, and renames it last. docs/cli.md, "Output files".
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "gpuimg/error.hpp"

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

/// `path` may be standard output or a fifo (output_stream.hpp). Throws Error{write} or OutputClosed; then no new file
/// is left, and an existing one is unchanged. Without `force` or `in_place`, never replaces a file, even one that
/// appears concurrently.
///
/// Keeps the permission bits of a replaced file, and its owner if the system allows. Follows a symbolic link and
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
  void commit();

  [[nodiscard]] std::size_t size() const { return size_; }   ///< bytes given to write()
  [[nodiscard]] bool replaces() const { return replaces_; }  ///< a file of that name already exists

 private:
  std::unique_ptr<TemporaryFile> file_;
  std::size_t size_ = 0;
  bool may_replace_;
  bool replaces_ = false;
};

/// Creates the parent folders of `path` if they are missing. Safe to call from many threads and processes at once.
/// Throws Error{write}.
void make_folder_of(const std::string& path);

}  // namespace gpuimg
