// zlib streams: their header, their checksum and that of PNG, and how they are inflated. RFC 1950; PNG specification,
// annex D.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "codecs/byte_fields.hpp"
#include "codecs/deflate/rfc1951.hpp"
#include "io/bytes.hpp"

namespace gpuimg::codecs::deflate {

/// The two bytes that open a stream with a window of 32 KiB.
inline constexpr unsigned char kZlibHeader[2] = {0x78, 0x01};

/// Adler-32, computed by ISA-L; `so_far` is the checksum of the bytes before these.
std::uint32_t adler32_of(std::span<const std::byte> bytes, std::uint32_t so_far = 1);

/// Adler-32 of two runs of bytes, from the checksum of each and the length of the second; zlib's adler32_combine.
std::uint32_t adler32_combined(std::uint32_t first, std::uint32_t second, std::uint64_t second_size);

/// CRC-32 as in PNG and gzip; `so_far` is the checksum of the bytes before these.
std::uint32_t crc32_of(std::span<const std::byte> bytes, std::uint32_t so_far = 0);

/// Inflates a stream of pixels incrementally. Rejects everything zlib rejects. ISA-L's inflate does not: it accepts
/// incomplete Huffman codes, which zlib, and so every other PNG reader, rejects.
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

class InflateBlocks;

/// A small stream, such as metadata, inflated into memory of a bounded size.
class ZlibStream {
 public:
  /// Borrows the stream. Accepts any window size: small streams are often compressed with a window no larger than they
  /// are.
  explicit ZlibStream(ByteSpan zlib);
  ~ZlibStream();
  ZlibStream(const ZlibStream&) = delete;
  ZlibStream& operator=(const ZlibStream&) = delete;

  /// The first `size` bytes of output and up to Inflater::kOvershoot more; fewer if the stream ends before. Empty if
  /// the stream is damaged. Each call starts from the beginning.
  std::vector<std::byte> inflate(std::size_t size);

  /// True once inflate() has met the end of the stream, if the checksum after it is that of `output`.
  [[nodiscard]] bool ends_with_checksum_of(ByteSpan output) const;

 private:
  ByteSpan deflated_;                      ///< what follows the header; empty if the stream has no zlib header
  std::unique_ptr<InflateBlocks> blocks_;  ///< on the heap: it holds 100 KB of tables and input
};

/// The size of the zlib stream at the start of `bytes`, including its checksum, which is not compared. Nullopt if the
/// stream is damaged, is cut off, or holds more than `max_size` bytes. Holds less than 1 MB.
std::optional<std::uint64_t> zlib_stream_bytes(const RandomAccess& bytes, std::uint64_t max_size);

/// The whole stream; nullopt if it is damaged or holds more than `max_size` bytes. Allocates at most 16 times what the
/// stream holds, or 64 KB, and never more than `max_size` plus 1 KB.
std::optional<std::vector<std::byte>> inflated_zlib(ByteSpan zlib, std::size_t max_size);

}  // namespace gpuimg::codecs::deflate
