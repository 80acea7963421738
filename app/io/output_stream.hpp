// Outputs that are not regular files: standard output, named pipes (fifos), and a file in memory on its way to a stream
// or an archive. docs/cli.md, "Output files".
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "io/bytes.hpp"
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

/// Memory that a file's content may stay in. `keeper` owns it; null if its owner lives longer.
struct LentBytes {
  std::span<const std::byte> bytes;
  std::shared_ptr<const void> keeper;
};

/// Parts that are in `lent` are not copied.
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
