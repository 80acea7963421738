// Decodes a deflate stream block by block, from its start or from any block. RFC 1951.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>

#include "codecs/deflate/inflate_input.hpp"
#include "codecs/deflate/inflate_tables.hpp"
#include "io/random_access.hpp"

namespace gpuimg::codecs {

/// Accepts and rejects the same streams as zlib.
class InflateBlocks {
 public:
  enum class Stage : std::uint8_t {
    header,  ///< at the start of a block
    stored,  ///< inside a stored block
    coded,   ///< inside a block of symbols
    ended,   ///< after the last block
    damaged,
  };

  explicit InflateBlocks(RandomAccess stream) : input(std::move(stream)) {}

  /// Callers may consume input only before the first block and after the last.
  InflateInput input;

  [[nodiscard]] Stage stage() const { return stage_; }

  /// Continues with the block at bit `position` of the stream, or with what follows the last block.
  void move_to(std::uint64_t position, bool is_after_last = false);

  /// Consumes a block header, or as much of a block as the buffered input and the room from `out` to `end` allow.
  /// Returns where the output ends; may write Inflater::kOvershoot elements past `end`. Matches may reach back to
  /// `oldest`. Out is std::uint8_t or std::uint16_t (see inflate_symbols.hpp).
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
  bool is_fixed_ = false;  ///< the block uses the fixed codes
  std::size_t stored_left_ = 0;
  LiteralTable literals_;
  DistanceTable distances_;
};

}  // namespace gpuimg::codecs
