// The bytes of a tar archive, in the blocks in which libarchive asks for them. docs/batch.md, "Archives".
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "io/descriptor.hpp"
#include "io/libarchive.hpp"

namespace gpuimg {

class TarInput {
 public:
  /// libarchive needs the headers of a file: the rest is skipped.
  static constexpr std::size_t kFileBlock = std::size_t{64} << 10;

  /// `path` is a file or "-". Throws Error{read}.
  explicit TarInput(const std::string& path);

  [[nodiscard]] const std::string& shown() const { return shown_; }  ///< for messages
  [[nodiscard]] int number() const { return number_; }               ///< of the descriptor

  /// Of a regular file.
  [[nodiscard]] const std::optional<std::uint64_t>& file_bytes() const { return file_bytes_; }

  /// The errno of a failed read, or 0.
  [[nodiscard]] int failure() const { return failure_; }

  /// Where a part is in the file; nothing if it is not in the current block: libarchive has copied or decompressed it.
  [[nodiscard]] std::optional<std::uint64_t> offset_of(std::span<const std::byte> part) const;

  /// libarchive's callbacks; `input` is a TarInput.
  static la_ssize_t read(archive* of, void* input, const void** block);
  static la_int64_t skip(archive* of, void* input, la_int64_t wanted);

 private:
  [[nodiscard]] ssize_t read_up_to_block();

  std::string shown_;
  Descriptor file_;
  int number_;
  std::optional<std::uint64_t> file_bytes_;
  std::uint64_t position_ = 0;  ///< in the file, of the next block
  std::vector<std::byte> block_;
  std::size_t filled_ = 0;  ///< of the block
  int failure_ = 0;
};

}  // namespace gpuimg
