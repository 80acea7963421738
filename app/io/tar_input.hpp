// The bytes of a tar archive, decompressed if it is a .tar.gz, in the blocks in which libarchive asks for them.
// docs/batch.md, "Archives".
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "io/descriptor.hpp"
#include "io/gzip_stream.hpp"
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

  [[nodiscard]] bool is_gzip() const { return gzip_ != nullptr; }

  /// How many bytes have been read or passed over, and how many they were decompressed.
  [[nodiscard]] std::uint64_t bytes_taken() const { return position_ - start_; }
  [[nodiscard]] std::uint64_t bytes_given() const { return given_; }

  /// Passes over a block behind the end of the archive. False if there is none, or if that is not known: see failure()
  /// and damage().
  bool pass_over_block();

  /// What is wrong with the compressed data; null if nothing is.
  [[nodiscard]] const char* damage() const { return damage_; }

  /// Where a part is in the file; nothing if it is not in the current block: libarchive has copied or decompressed it.
  [[nodiscard]] std::optional<std::uint64_t> offset_of(std::span<const std::byte> part) const;

  /// libarchive's callbacks; `input` is a TarInput.
  static la_ssize_t read(archive* of, void* input, const void** block);
  static la_int64_t skip(archive* of, void* input, la_int64_t wanted);

 private:
  [[nodiscard]] ssize_t read_up_to_block(std::span<std::byte> to) const;
  void fill();
  std::span<const std::byte> next_block();
  std::span<const std::byte> next_decompressed();
  std::span<const std::byte> next();

  std::string shown_;
  Descriptor file_;
  int number_;
  std::optional<std::uint64_t> file_bytes_;
  std::uint64_t start_ = 0;     ///< of the archive in the file
  std::uint64_t position_ = 0;  ///< of the next block
  std::vector<std::byte> block_;
  std::size_t filled_ = 0;      ///< of the block
  bool is_first_block_ = true;  ///< which the constructor has read
  std::uint64_t given_ = 0;
  int failure_ = 0;
  const char* damage_ = nullptr;
  std::unique_ptr<GzipStream> gzip_;       ///< of a .tar.gz
  std::span<const std::byte> compressed_;  ///< what is left of the block
  std::vector<std::byte> decompressed_;
};

}  // namespace gpuimg
