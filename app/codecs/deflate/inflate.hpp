// Inflate of a zlib stream that lies in several pieces of memory, a stretch of output at a time. RFC 1950 and 1951.
//
// Why not ISA-L's inflate: it accepts Huffman codes with unused bit patterns, which zlib (and so every other reader of
// PNG) refuses. This one refuses all that zlib refuses.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "codecs/byte_fields.hpp"

namespace gpuimg {

class Inflater {
 public:
  static constexpr std::size_t kWindow = 32768;   ///< how far back a stream may refer
  static constexpr std::size_t kOvershoot = 512;  ///< room needed behind `end`, see run

  /// Borrows the pieces.
  explicit Inflater(std::span<const ByteSpan> pieces);
  ~Inflater();
  Inflater(const Inflater&) = delete;
  Inflater& operator=(const Inflater&) = delete;

  /// Writes from `out` to `end` and up to kOvershoot bytes beyond, unless the stream ends first; returns where the
  /// output ends. What was written before, up to kWindow bytes, lies before `out`, from `oldest` on. Null for a stream
  /// that is damaged or of another kind than zlib with a window of kWindow.
  std::uint8_t* run(const std::uint8_t* oldest, std::uint8_t* out, const std::uint8_t* end);

  /// Runs end early where a block begins at bit `position` of the pieces or behind it; is_paused() is true there.
  void pause_at(std::uint64_t position);
  [[nodiscard]] bool is_paused() const;
  /// How many bits of the pieces were taken.
  [[nodiscard]] std::uint64_t position() const;
  /// Goes on with the block that begins at this bit, or behind the last block: others inflated what lies between.
  void move_to(std::uint64_t position, bool is_behind_last);

  /// True after a run that met the end of the stream, with nothing behind it. Then the Adler-32 it declares is known.
  [[nodiscard]] bool has_ended() const;
  [[nodiscard]] std::uint32_t declared_adler() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace gpuimg
