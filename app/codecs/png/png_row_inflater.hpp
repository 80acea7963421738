// Inflates the filtered rows of a simple PNG block by block, on one thread.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>

#include "codecs/deflate/zlib_stream.hpp"
#include "codecs/png/simple_png.hpp"

namespace gpuimg::codecs {

/// Whole filtered rows, preceded by the window that was inflated before them.
struct PngRowBlock {
  std::unique_ptr<std::uint8_t[]> memory;
  int rows = 0;
  std::uint32_t adler = 0;  ///< of the filtered rows; the inflater leaves it to its caller

  [[nodiscard]] std::uint8_t* filtered() const { return memory.get() + Inflater::kWindow; }
};

/// How many bits of the deflate stream may follow the last byte of output. With a longer tail, libpng sees only a part
/// of it in the portions that PngStream hands out, and refuses the file; such files are left to libpng.
std::uint64_t max_tail_bits(const SimplePng& png);

class PngRowInflater {
 public:
  static constexpr std::size_t kBlocks = 3;
  static constexpr std::size_t kBlockBytes = std::size_t{256} << 10;

  /// A block has a multiple of `rows_at_once` rows, or fewer rows if they are long.
  PngRowInflater(const SimplePng& png, std::size_t rows_at_once);

  [[nodiscard]] bool fits_one_block() const { return rows_left_ == rows_per_block_; }
  [[nodiscard]] bool is_sound() const { return is_sound_; }
  /// The byte of the image data that the next block continues with, or one a little before.
  [[nodiscard]] std::uint64_t position() const { return inflater_.position() / 8; }
  /// Valid after the last block.
  [[nodiscard]] std::uint32_t declared_adler() const { return inflater_.declared_adler(); }

  /// Returns the next block, or null after the last one or if the stream is damaged or has the wrong length. Reuses the
  /// memory of the block kBlocks calls earlier; the contents of the previous block must be unchanged.
  PngRowBlock* next();

 private:
  bool inflate_into(PngRowBlock& block);
  bool ends_after(const std::uint8_t* oldest, std::uint8_t* end);

  Inflater inflater_;
  std::uint64_t max_tail_bits_;
  std::size_t filtered_row_;
  int rows_left_;
  int rows_per_block_;
  std::array<PngRowBlock, kBlocks> blocks_;
  std::size_t number_ = 0;
  std::size_t known_ = 0;      // bytes of window before the block
  std::size_t overshoot_ = 0;  // bytes of the next block that were inflated with this one
  bool is_sound_ = true;
};

}  // namespace gpuimg::codecs
