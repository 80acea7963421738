// Inflates a zlib stream incrementally. RFC 1950 and 1951.
//
// Rejects everything zlib rejects. ISA-L's inflate does not: it accepts incomplete Huffman codes, which zlib, and so
// every other PNG reader, refuses.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "codecs/deflate/rfc1951.hpp"
#include "io/random_access.hpp"

namespace gpuimg::codecs {

class Inflater {
 public:
  static constexpr std::size_t kWindow = kMaxMatchDistance;
  static constexpr std::size_t kOvershoot = 512;  ///< bytes that run() may write past `end`

  explicit Inflater(const RandomAccess& stream);
  ~Inflater();
  Inflater(const Inflater&) = delete;
  Inflater& operator=(const Inflater&) = delete;

  /// Writes output from `out` to `end`, or less if the stream ends first, and returns where the output ends. May write
  /// up to kOvershoot bytes past `end`. Earlier output, up to kWindow bytes, must lie before `out`, from `oldest` on.
  /// Returns null if the stream is damaged or is not zlib with a window of kWindow.
  std::uint8_t* run(const std::uint8_t* oldest, std::uint8_t* out, const std::uint8_t* end);

  /// Makes run() return early at the first block that starts at bit `position` of the stream or later; is_paused() is
  /// true there.
  void pause_at(std::uint64_t position);
  [[nodiscard]] bool is_paused() const;
  /// How many bits of the stream have been consumed.
  [[nodiscard]] std::uint64_t position() const;
  /// Continues with the block at bit `position`, or, if `is_after_last`, with what follows the last block. The caller
  /// has inflated everything before it.
  void move_to(std::uint64_t position, bool is_after_last);

  /// True after a run that reached the end of the stream, if nothing follows it. declared_adler() is valid then.
  [[nodiscard]] bool has_ended() const;
  [[nodiscard]] std::uint32_t declared_adler() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace gpuimg::codecs
