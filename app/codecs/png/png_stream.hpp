// A PNG file as libpng gets it: checked chunk by chunk, all image data in one chunk. Used by png_session.cpp.
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "codecs/byte_fields.hpp"

namespace gpuimg {

/// libpng stops looking at the deflate stream where a chunk or its read buffer ends behind the last row, and so misses
/// a wrong checksum or more data there. With one chunk, and reads whose last is not short, it sees the end.
class PngStream {
 public:
  static constexpr std::size_t kReadWhole = std::size_t{256} << 10;  ///< image data up to this is read at once
  static constexpr std::size_t kLeastLast = 2048;                    ///< of more, the last read is at least of this

  /// Walks the chunks up to IEND. Throws Error{decode} for chunks that reach beyond the file, wrong checksums of
  /// critical chunks, and image data in two places. `bytes` must outlive the stream; it begins with the PNG signature.
  PngStream(ByteSpan bytes, const std::string& name);

  /// What libpng must read of the image data at a time.
  [[nodiscard]] std::size_t block_bytes() const { return block_bytes_; }

  /// False if fewer bytes are left.
  bool read(std::byte* to, std::size_t size);

  /// True once image data was read in other portions than block_bytes(): libpng skipped it.
  [[nodiscard]] bool skipped_image_data() const { return skipped_image_data_; }

 private:
  void walk(ByteSpan bytes, const std::string& name);
  void join(ByteSpan bytes, std::size_t data_begin, std::size_t data_end, const std::string& name);

  std::vector<ByteSpan> image_data_;
  std::vector<ByteSpan> parts_;
  std::size_t next_part_ = 0;
  std::size_t data_left_ = 0;
  std::size_t before_data_ = 0;  // bytes that come before the image data, still to be read
  std::size_t block_bytes_ = 0;
  bool skipped_image_data_ = false;
  std::array<std::byte, 8> joined_header_{};
  std::array<std::byte, 4> joined_checksum_{};  // not looked at: the parts' own checksums have been
};

}  // namespace gpuimg
