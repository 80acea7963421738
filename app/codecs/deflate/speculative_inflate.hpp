// Inflates a part of a deflate stream on one thread before the parts that precede it are known. The idea is from
// Kerbiriou and Chikhi, "Parallel decompression of gzip-compressed files and random access to DNA sequences", 2019;
// measured in docs/decisions/0009-parts-inflated-ahead.md.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "codecs/deflate/inflate.hpp"
#include "codecs/deflate/zlib_stream.hpp"

namespace gpuimg::codecs::deflate {

inline constexpr std::size_t kBlockFinderOverread = 32;

/// Returns the first bit in [begin, end) of `bytes` that can start a dynamic block other than the last block: its
/// symbol counts are possible, and the code for its code lengths is complete. In unrelated data, about one bit in
/// several thousand also passes this test. May read kBlockFinderOverread bytes past the byte of bit `end`.
std::optional<std::size_t> find_block_header(const std::uint8_t* bytes, std::size_t begin, std::size_t end);

/// Speculatively decodes from a candidate block start. The caller confirms the start later, if the preceding part ends
/// exactly there. Until then the window before the block is unknown, so the output starts as 16-bit symbols. Symbols
/// from kFirstMarker on are placeholders for bytes of the window. Once no match can reach a placeholder, output
/// continues in bytes.
class SpeculativeInflater {
 public:
  /// `stream` is a zlib stream. `capacity` is the maximum number of output bytes of a part; `room` writable bytes
  /// precede them. Uses up to three bytes of memory per byte of capacity, touched only as needed.
  SpeculativeInflater(const RandomAccess& stream, std::size_t room, std::size_t capacity);

  /// Searches for a block that starts at byte `begin` of the stream or slightly later, and inflates through the end of
  /// the last block that starts before byte `end`. Replaces the previous part.
  void run(std::size_t begin, std::size_t end);

  /// Searches for a block at byte `begin` or slightly later. Returns true if the output of the block switches to bytes
  /// within the capacity.
  [[nodiscard]] bool try_settle(std::size_t begin);

  /// False if no block was found, or if the part is damaged or exceeds the capacity. Call the members below only if
  /// this one returns true.
  [[nodiscard]] bool is_sound() const { return is_sound_; }
  /// The part's first bit in the stream, and the bit after its last one.
  [[nodiscard]] std::uint64_t begin() const { return begin_; }
  [[nodiscard]] std::uint64_t end() const { return end_; }
  /// The bit after the part's last output.
  [[nodiscard]] std::uint64_t data_end() const { return data_end_; }
  [[nodiscard]] bool holds_last_block() const { return holds_last_block_; }
  [[nodiscard]] std::size_t size() const { return wide_count_ + byte_count_; }

  using Window = std::array<std::uint8_t, Inflater::kWindow>;
  /// Replaces the placeholders, and returns the part's bytes. `window` holds the bytes before the part.
  std::span<std::uint8_t> resolve(const Window& window);

 private:
  enum class Attempt : std::uint8_t { block, no_block, hopeless };
  static constexpr std::size_t kSearchBytes = std::size_t{128} << 10;  // encoders rarely make longer blocks
  static constexpr std::uint16_t kFirstMarker = 256;

  bool search(std::size_t begin, std::size_t size, std::size_t end);
  std::span<const std::uint8_t> copy_search_range(std::size_t begin, std::size_t size);
  Attempt try_block(std::uint64_t position, std::uint64_t end);
  bool inflate_wide(std::uint64_t end);
  bool inflate_bytes(std::uint64_t end);
  [[nodiscard]] bool has_reached(std::uint64_t end) const;

  RandomAccess stream_;
  std::size_t room_;
  std::size_t capacity_;
  InflateBlocks blocks_;
  std::vector<std::uint8_t> search_range_;
  std::unique_ptr<std::uint16_t[]> wide_;  // a window of placeholders, then the symbols
  std::unique_ptr<std::uint8_t[]> bytes_;  // `room`, then bytes for the symbols, then bytes decoded directly
  std::size_t wide_count_ = 0;
  std::size_t byte_count_ = 0;
  std::uint64_t begin_ = 0;
  std::uint64_t end_ = 0;
  std::uint64_t data_end_ = 0;
  bool holds_last_block_ = false;
  bool is_sound_ = false;
};

}  // namespace gpuimg::codecs::deflate
