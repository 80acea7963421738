// Inflates small zlib streams, such as metadata, into memory of a bounded size. RFC 1950. For pixels see inflate.hpp.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <vector>

#include "codecs/byte_fields.hpp"
#include "codecs/deflate/inflate_blocks.hpp"

namespace gpuimg::codecs {

class ZlibStream {
 public:
  /// Borrows the stream. Accepts any window size: small streams are often compressed with a window no larger than they
  /// are.
  explicit ZlibStream(ByteSpan zlib);
  ZlibStream(const ZlibStream&) = delete;
  ZlibStream& operator=(const ZlibStream&) = delete;

  /// The first `size` bytes of output and up to Inflater::kOvershoot more; fewer if the stream ends before. Empty if
  /// the stream is damaged. Starts from the beginning each time.
  std::vector<std::byte> inflate(std::size_t size);

  /// True once inflate() has met the end of the stream, if the checksum after it is that of `output`.
  [[nodiscard]] bool ends_with_checksum_of(ByteSpan output) const;

 private:
  ByteSpan deflated_;                      ///< what follows the header; empty if the stream has no zlib header
  std::unique_ptr<InflateBlocks> blocks_;  ///< on the heap: it holds 100 KB of tables and input
};

/// The whole stream; nullopt if it is damaged or holds more than `max_size` bytes. Allocates at most 16 times what the
/// stream holds, or 64 KB, and never more than `max_size` plus 1 KB.
std::optional<std::vector<std::byte>> inflated_zlib(ByteSpan zlib, std::size_t max_size);

}  // namespace gpuimg::codecs
