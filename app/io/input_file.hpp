// Reads an input, or its beginning, into memory. Files are not memory-mapped, because a file that shrinks while it is
// mapped would crash the process (SIGBUS).
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

/// Lends memory for at least `bytes` bytes. Returns null if ordinary memory should be used.
using LendMemory = std::function<ByteMemory(std::size_t bytes)>;

/// Called with the first kilobyte of an input, before the rest is read. Throws to reject the input.
using CheckBeginning = std::function<void(std::span<const std::byte> beginning)>;

/// `path` is a regular file, or "-" for standard input. A regular file is read into memory from `lend`, if the system
/// reports its size correctly. Throws Error{read} with the escaped path and the reason, also for a fifo, device or
/// folder. Throws Error{out_of_memory}.
Bytes read_input(const std::string& path, const LendMemory& lend = nullptr, const CheckBeginning& check = nullptr);

/// Part of a regular file that its owner keeps open, such as a member of an archive. It is read by offset, from any
/// thread.
struct FileSection {
  int file = -1;
  std::uint64_t first = 0;
  std::uint64_t size = 0;
  std::string shown;  ///< name of the file, for messages
};

/// Fills `room` from byte `at` of the section. Throws Error{read}, also if the file became shorter.
void read_section(const FileSection& section, std::uint64_t at, std::span<std::byte> room);

/// Reads a whole section. Throws like read_section, and Error{out_of_memory}.
Bytes read_input(const FileSection& section, const LendMemory& lend = nullptr);

/// An input that is read only as far as requested.
class PartialInput {
 public:
  /// Opens the inputs that read_input accepts, and throws like it.
  explicit PartialInput(const std::string& path);
  explicit PartialInput(const FileSection& section);

  /// The first `size` bytes, or the whole input if it is shorter. Valid until the next call.
  std::span<const std::byte> beginning(std::size_t size);

  /// True if the last call of beginning() returned the whole input.
  [[nodiscard]] bool is_whole() const { return is_whole_; }

  /// The last `size` bytes of a regular file or section; all of it if it is shorter. Empty for a pipe.
  [[nodiscard]] std::vector<std::byte> end(std::size_t size) const;

  /// Access to a whole regular file. This object must outlive the result. Unreadable bytes count as missing.
  [[nodiscard]] RandomAccess random_access() const;

  /// The size of a regular file or section.
  [[nodiscard]] std::optional<std::uint64_t> file_bytes() const { return file_bytes_; }

 private:
  Descriptor file_;
  int number_ = -1;  ///< descriptor: file_, standard input, or the file of a section
  bool is_section_ = false;
  std::string shown_;
  std::uint64_t first_ = 0;  ///< offset of the input in the file: standard input may be partly read already
  std::optional<std::uint64_t> file_bytes_;
  std::vector<std::byte> bytes_;
  bool is_whole_ = false;
};

/// Throws Error{decode} for an empty input. For a pipe, the message says that the program before the pipe wrote
/// nothing.
[[noreturn]] void reject_empty(const std::string& path);

/// The message for a file that cannot be opened: "NAME: cannot be read: reason; what to do".
std::string cannot_be_read(const std::string& path, int error_number);

}  // namespace gpuimg
