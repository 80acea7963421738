// Outputs that are not regular files: standard output and named pipes (fifos). docs/cli.md, "Output files".
#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "io/descriptor.hpp"

namespace gpuimg {

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

}  // namespace gpuimg
