// Reads zlib streams, and computes Adler-32 and PNG's CRC-32. RFC 1950; PNG specification, annex D.
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

/// The two header bytes of a stream with a window of 32 KiB.
inline constexpr unsigned char kZlibHeader[2] = {0x78, 0x01};

/// Adler-32, computed by ISA-L; `so_far` is the checksum of the bytes before these.
std::uint32_t adler32_of(std::span<const std::byte> bytes, std::uint32_t so_far = 1);

/// Adler-32 of two concatenated byte ranges, computed from their checksums and the size of the second; like zlib's
/// adler32_combine.
std::uint32_t adler32_combined(std::uint32_t first, std::uint32_t second, std::uint64_t second_size);

/// CRC-32 as in PNG and gzip; `so_far` is the checksum of the bytes before these.
std::uint32_t crc32_of(std::span<const std::byte> bytes, std::uint32_t so_far = 0);

/// Inflates a stream of pixels incrementally. Rejects every stream that zlib rejects. ISA-L's inflate is not used,
/// because it accepts incomplete Huffman codes. zlib, and so every other PNG reader, rejects them.
class Inflater {
 public:
  static constexpr std::size_t kWindow = kMaxMatchDistance;
  static constexpr std::size_t kOvershoot = 512;  ///< bytes that run() may write past `end`

  explicit Inflater(const RandomAccess& stream);
  ~Inflater();
  Inflater(const Inflater&) = delete;
  Inflater& operator=(const Inflater&) = delete;

  /// Writes output from `out` to `end`, or less if the stream ends first, and returns the end of the output. May write
  /// up to kOvershoot bytes past `end`. Earlier output, up to kWindow bytes, must lie between `oldest` and `out`.
  /// Returns null if the stream is damaged or is not zlib with a window of kWindow.
  std::uint8_t* run(const std::uint8_t* oldest, std::uint8_t* out, const std::uint8_t* end);

  /// Makes run() return early, before the first block that starts at or after bit `position` of the stream. Then
  /// is_paused() is true.
  void pause_at(std::uint64_t position);
  [[nodiscard]] bool is_paused() const;
  /// Number of consumed bits of the stream.
  [[nodiscard]] std::uint64_t position() const;
  /// Continues with the block at bit `position` or, if `is_after_last`, with the bytes after the last block. The caller
  /// must have inflated everything before `position`.
  void move_to(std::uint64_t position, bool is_after_last);

  /// True after run() has reached the end of the stream, if nothing follows it. Then declared_adler() is valid.
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
  /// Keeps a reference to the stream. Accepts any window size, because small streams are often compressed with a small
  /// window.
  explicit ZlibStream(ByteSpan zlib);
  ~ZlibStream();
  ZlibStream(const ZlibStream&) = delete;
  ZlibStream& operator=(const ZlibStream&) = delete;

  /// Returns the first `size` bytes of output and up to Inflater::kOvershoot more, or fewer if the stream ends earlier.
  /// Returns an empty vector if the stream is damaged. Each call starts at the beginning of the stream.
  std::vector<std::byte> inflate(std::size_t size);

  /// True if inflate() has reached the end of the stream, and the checksum stored there matches `output`.
  [[nodiscard]] bool ends_with_checksum_of(ByteSpan output) const;

 private:
  ByteSpan deflated_;                      ///< the bytes after the header; empty if the stream has no zlib header
  std::unique_ptr<InflateBlocks> blocks_;  ///< on the heap: it holds 100 KB of tables and input
};

/// The size of the zlib stream at the start of `bytes`, including its checksum, which is not verified. Returns nullopt
/// if the stream is damaged, is cut off, or holds more than `max_size` bytes. Holds less than 1 MB.
std::optional<std::uint64_t> zlib_stream_bytes(const RandomAccess& bytes, std::uint64_t max_size);

/// Inflates the whole stream. Returns nullopt if it is damaged or holds more than `max_size` bytes. Allocates at most
/// 64 KB or 16 times the stream's content, whichever is larger, and never more than `max_size` plus 1 KB.
std::optional<std::vector<std::byte>> inflated_zlib(ByteSpan zlib, std::size_t max_size);

}  // namespace gpuimg::codecs::deflate
