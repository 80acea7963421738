// A deflate stream block by block, from its beginning or from any block on. RFC 1951. Used by inflate.cpp and
// speculative_inflate.cpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "codecs/byte_fields.hpp"
#include "codecs/deflate/inflate_input.hpp"
#include "codecs/deflate/inflate_tables.hpp"

namespace gpuimg {

/// Takes and refuses what zlib does.
class DeflateBlocks {
 public:
  enum class Stage : std::uint8_t {
    header,  ///< a block comes next
    stored,  ///< inside a block of bytes as they are
    coded,   ///< inside a block of symbols
    ended,   ///< behind the last block
    damaged,
  };

  /// Borrows the pieces.
  explicit DeflateBlocks(std::span<const ByteSpan> pieces) : input(pieces) {}

  /// What is taken from it must not be a part of a block.
  InflateInput input;

  [[nodiscard]] Stage stage() const { return stage_; }

  /// Goes on with the block that begins at this bit of the pieces, or behind the last block.
  void move_to(std::uint64_t position, bool is_behind_last = false);

  /// Takes a block's header, or of a block as much as lies at hand and has room from `out` to `end`; may write
  /// Inflater::kOvershoot further. Returns where the output ends. Repeats may reach back to `oldest`. Out is
  /// std::uint8_t or std::uint16_t (inflate_symbols.hpp).
  template <class Out>
  Out* advance(const Out* oldest, Out* out, const Out* end);

 private:
  void read_header();
  void read_stored_length();
  bool read_code_lengths();
  template <class Out>
  Out* copy_stored(Out* out, const Out* end);
  template <class Out>
  Out* decode(const Out* oldest, Out* out, const Out* end);
  [[nodiscard]] Stage after_block() const { return is_last_ ? Stage::ended : Stage::header; }

  Stage stage_ = Stage::header;
  bool is_last_ = false;
  std::size_t stored_left_ = 0;
  bool is_fixed_ = false;  ///< the block's codes are those that every stream knows
  LiteralTable literals_;
  DistanceTable distances_;
};

}  // namespace gpuimg
