// The filtered rows of a plain PNG, inflated block after block by one thread. Used by png_fast_reader.cpp.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>

#include "codecs/deflate/inflate.hpp"
#include "codecs/png/simple_png.hpp"

namespace gpuimg {

/// Whole filtered rows, behind what was inflated before them.
struct PngRowBlock {
  std::unique_ptr<std::uint8_t[]> memory;
  int rows = 0;

  [[nodiscard]] std::uint8_t* filtered() const { return memory.get() + Inflater::kWindow; }
};

/// In bits, how much of a stream that is read in parts may follow its last byte: of more, libpng in the portions that
/// PngStream hands out sees only a part, and refuses it. Left to it.
std::uint64_t longest_tail(const PlainPng& png);

class PngRowInflater {
 public:
  static constexpr std::size_t kBlocks = 3;
  static constexpr std::size_t kBlockBytes = std::size_t{256} << 10;

  /// A block has a multiple of `rows_at_once` rows, or less than that where they are long.
  PngRowInflater(const PlainPng& png, std::size_t rows_at_once);

  [[nodiscard]] bool fits_one_block() const { return rows_left_ == rows_per_block_; }
  [[nodiscard]] bool is_sound() const { return is_sound_; }
  /// After the last block.
  [[nodiscard]] std::uint32_t declared_adler() const { return inflater_.declared_adler(); }

  /// The next block; null after the last, and where the stream is damaged or of another length. The block before must
  /// still hold what it held, and the kBlocks-th before is used again.
  PngRowBlock* next();

 private:
  bool inflate_into(PngRowBlock& block);
  bool ends_behind(const std::uint8_t* oldest, std::uint8_t* end);

  Inflater inflater_;
  std::uint64_t longest_tail_;
  std::size_t filtered_row_;
  int rows_left_;
  int rows_per_block_;
  std::array<PngRowBlock, kBlocks> blocks_;
  std::size_t number_ = 0;
  std::size_t known_ = 0;      // how much of the window there is before the block
  std::size_t overshoot_ = 0;  // bytes of the next block, inflated with the last
  bool is_sound_ = true;
};

}  // namespace gpuimg
