// Reads a whole input into memory, or its beginning. Not memory-mapped: a file that shrinks during the read must not
// crash the process (SIGBUS).
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "io/bytes.hpp"
#include "io/system_handles.hpp"

namespace gpuimg {

/// Gives memory for at least `bytes` bytes, or nothing if ordinary memory will do.
using LendMemory = std::function<ByteMemory(std::size_t bytes)>;

/// Called with the first kilobyte of an input before the rest is read; throws to refuse it.
using CheckBeginning = std::function<void(std::span<const std::byte> beginning)>;

/// `path` is a regular file, or "-" for standard input. Throws Error{read} with the escaped path and the reason, also
/// for a fifo, device or folder. Throws Error{out_of_memory}. A regular file is read into the memory that `lend` gives,
/// if it has the size that it reports.
Bytes read_input(const std::string& path, const LendMemory& lend = nullptr, const CheckBeginning& check = nullptr);

/// Part of a regular file that its owner keeps open, such as a member of an archive. It is read by offset, from any
/// thread.
struct FileSection {
  int file = -1;
  std::uint64_t first = 0;
  std::uint64_t size = 0;
  std::string shown;  ///< name of the file, for messages
};

/// Fills `room` from byte `at` of the section. Throws Error{read}, also if the file has become shorter.
void read_section(const FileSection& section, std::uint64_t at, std::span<std::byte> room);

/// All of a section. Throws as read_section, and Error{out_of_memory}.
Bytes read_input(const FileSection& section, const LendMemory& lend = nullptr);

/// An input that is read from its beginning only as far as its user asks.
class PartialInput {
 public:
  /// Opens what read_input accepts, and throws as it does.
  explicit PartialInput(const std::string& path);
  explicit PartialInput(const FileSection& section);

  /// The first `size` bytes, or all if there are fewer. Valid until the next call.
  std::span<const std::byte> beginning(std::size_t size);

  /// True if the last beginning() was all of the input.
  [[nodiscard]] bool is_whole() const { return is_whole_; }

  /// The last `size` bytes of a regular file or section, or all of a shorter one. Empty for a pipe.
  [[nodiscard]] std::vector<std::byte> end(std::size_t size) const;

  /// A regular file as a whole; the object must outlive the result. Bytes that cannot be read count as missing.
  [[nodiscard]] RandomAccess random_access() const;

  /// The size of a regular file or section.
  [[nodiscard]] std::optional<std::uint64_t> file_bytes() const { return file_bytes_; }

 private:
  Descriptor file_;
  int number_ = -1;  ///< file_, standard input, or the file of a section
  bool is_section_ = false;
  std::string shown_;
  std::uint64_t first_ = 0;  ///< where the input starts in the file: a caller may pass on a half-read standard input
  std::optional<std::uint64_t> file_bytes_;
  std::vector<std::byte> bytes_;
  bool is_whole_ = false;
};

/// Throws Error{decode} for an input of no bytes. Of a pipe it says that the program before it wrote nothing.
[[noreturn]] void refuse_empty(const std::string& path);

/// The message for a file that cannot be opened: "NAME: cannot be read: reason; what to do".
std::string cannot_be_read(const std::string& path, int error_number);

}  // namespace gpuimg
