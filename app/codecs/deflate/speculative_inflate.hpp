// A part of a deflate stream inflated before the parts in front of it are, by another thread. The idea: Kerbiriou and
// Chikhi, "Parallel decompression of gzip-compressed files and random access to DNA sequences", 2019.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "codecs/deflate/inflate.hpp"
#include "codecs/deflate/inflate_blocks.hpp"

namespace gpuimg {

/// Begins at what looks like a block. Whether one begins there nobody knows until the parts in front end there, but if
/// so, all that is missing are the bytes of the window that repeats refer to: until no repeat can reach them, the
/// output is of 16-bit symbols, of which those from kFirstMarker on stand for the bytes of the window.
class InflateAhead {
 public:
  /// Borrows the pieces of a zlib stream. `capacity` is how many bytes a part may give; before them there will be
  /// `room` bytes to be written to. Takes up to three bytes a byte of capacity, as far as they are needed.
  InflateAhead(std::span<const ByteSpan> pieces, std::size_t room, std::size_t capacity);

  /// Looks for a block at byte `begin` of the stream or not far behind, and inflates to the end of the last block that
  /// begins before byte `end`. Forgets the part before.
  void run(std::size_t begin, std::size_t end);

  /// Whether a block begins at byte `begin` or not far behind, and symbols give way to bytes within the capacity.
  [[nodiscard]] bool settles(std::size_t begin);

  /// False if no block was found, or what was found is damaged, or gives more than the capacity.
  [[nodiscard]] bool is_sound() const { return is_sound_; }
  /// Of a sound part: the bit at which it begins, the bit behind it, whether the last block is in it, its bytes.
  [[nodiscard]] std::uint64_t begin() const { return begin_; }
  [[nodiscard]] std::uint64_t end() const { return end_; }
  /// The bit behind which no more bytes come in it.
  [[nodiscard]] std::uint64_t data_end() const { return data_end_; }
  [[nodiscard]] bool holds_last_block() const { return holds_last_block_; }
  [[nodiscard]] std::size_t size() const { return wide_count_ + byte_count_; }

  using Window = std::array<std::uint8_t, Inflater::kWindow>;
  /// The bytes of a sound part that comes after the bytes of `window`.
  std::span<std::uint8_t> resolve(const Window& window);

 private:
  enum class Try : std::uint8_t { block, no_block, hopeless };
  static constexpr std::size_t kSearched = std::size_t{128} << 10;  // an encoder's blocks are rarely longer
  static constexpr std::uint16_t kFirstMarker = 256;

  bool search(std::size_t begin, std::size_t size, std::size_t end);
  std::span<const std::uint8_t> copy_searched(std::size_t begin, std::size_t size);
  Try try_block(std::uint64_t position, std::uint64_t end);
  bool inflate_wide(std::uint64_t end);
  bool inflate_bytes(std::uint64_t end);
  [[nodiscard]] bool has_reached(std::uint64_t end) const;

  std::span<const ByteSpan> pieces_;
  std::size_t room_;
  std::size_t capacity_;
  DeflateBlocks blocks_;
  std::vector<std::uint8_t> searched_;
  std::unique_ptr<std::uint16_t[]> wide_;  // a window of markers, then the symbols
  std::unique_ptr<std::uint8_t[]> bytes_;  // room, then bytes for the symbols, then the bytes behind them
  std::size_t wide_count_ = 0;
  std::size_t byte_count_ = 0;
  std::uint64_t begin_ = 0;
  std::uint64_t end_ = 0;
  std::uint64_t data_end_ = 0;
  bool holds_last_block_ = false;
  bool is_sound_ = false;
};

}  // namespace gpuimg
