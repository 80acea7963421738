// Writes a file so that its final name holds the whole content or what was there before: a temporary file in the same
// folder, every write and close checked, rename last. docs/cli.md, "Outputs".
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "gpuimg/error.hpp"

namespace gpuimg {

struct OverwriteRules {
  bool force = false;     ///< an existing output may be replaced
  bool in_place = false;  ///< the output may be the input itself
};

/// Standard output's reader has gone away (EPIPE): a command that is told so ends quietly. The process must ignore
/// SIGPIPE, and SIGXFSZ too, for errors to be reported rather than end it.
class OutputClosed : public Error {
 public:
  OutputClosed() : Error(ErrorKind::write, "standard output: closed by its reader; nothing more was written") {}
};

/// Checked before work begins. `input` may be "-" or empty. Throws Error{write} if `output` exists and force is not
/// set, if it is the input under any alias (same device and inode) and in_place is not set, if it is a device, a socket
/// or a symbolic link to nothing, or if its folder is missing or closed to writing. Standard output and fifos pass.
/// True if `output` is the input, which is to be replaced.
bool check_output(const std::string& output, const std::string& input, const OverwriteRules& rules);

/// `path` may be standard output or a fifo (output_stream.hpp). Throws Error{write}, or OutputClosed; then nothing is
/// left behind and an older file under that name is as it was. Without `force` or `in_place` an output that appeared
/// since check_output is not replaced, even if it appears while this runs.
///
/// A replaced file keeps its permission bits, and its owner where the system lets us; where `path` is a symbolic link
/// the file it leads to is replaced and the link stays; other hard links keep the old content. The rename is atomic for
/// other processes, but nothing is flushed to the disk (fsync): that would take longer than the work itself, so a loss
/// of power can still lose a file just written.
void write_output(const std::string& path, std::span<const std::byte> content, const OverwriteRules& rules);

/// Text for standard output, as write_output("-") writes it.
void write_text(std::string_view text);

class TemporaryFile;

/// The steps of write_output, for content that comes in parts and for a command of several outputs: the content goes to
/// a temporary file, which takes its final name on commit, when those of all outputs stand. Without commit nothing is
/// left. `path` is not "-". Every step throws as write_output does.
class StagedOutput {
 public:
  StagedOutput(const std::string& path, const OverwriteRules& rules);
  StagedOutput(StagedOutput&&) noexcept;
  ~StagedOutput();

  void write(std::span<const std::byte> part);
  void finish();  ///< after the last part
  void commit();

  [[nodiscard]] std::size_t size() const { return size_; }   ///< bytes written
  [[nodiscard]] bool replaces() const { return replaces_; }  ///< there is a file under that name already

 private:
  std::unique_ptr<TemporaryFile> file_;
  std::size_t size_ = 0;
  bool may_replace_;
  bool replaces_ = false;
};

}  // namespace gpuimg
