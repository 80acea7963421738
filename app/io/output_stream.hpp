// Outputs that are no files: standard output and named pipes (fifos). docs/cli.md, "Output files".
#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "io/descriptor.hpp"

namespace gpuimg {

/// True for "-" and for names of this process's standard output: /dev/stdout, /dev/fd/1, /proc/self/fd/1.
bool is_standard_output(const std::string& path);

/// True for this process's standard input and standard error, which take no output.
bool is_other_standard_stream(const std::string& path);

/// True if a fifo is there under that name.
bool is_fifo(const std::string& path);

/// True for standard output and for fifos.
bool is_stream(const std::string& path);

/// True for a stream whose name has no ending that says what to write. A device counts as one: check_output() refuses
/// it with a better reason than its name.
bool is_untyped_stream(const std::string& path);

/// A fifo open for writing. Its reader sees the end of the data when this goes out of scope.
class FifoOutput {
 public:
  /// Waits a short time for a reader. Throws Error{write} if none comes.
  explicit FifoOutput(const std::string& path);

  /// Throws Error{write}, also if the reader goes away before it has everything.
  void write(std::span<const std::byte> content) const;

 private:
  std::string path_;
  Descriptor file_;
};

}  // namespace gpuimg
