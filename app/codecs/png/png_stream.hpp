// Presents a PNG to libpng: chunks checked, and all image data joined into one chunk, or a few if it is 2 GiB or more.
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "codecs/byte_fields.hpp"

namespace gpuimg::codecs {

/// After the last row, libpng stops inflating at the end of the current chunk or read buffer, and so misses a wrong
/// checksum or extra data after it. With one chunk, and a last read that is not short, it sees the end of the stream.
class PngStream {
 public:
  static constexpr std::size_t kMaxSingleRead = std::size_t{256} << 10;  ///< up to this much image data is read at once
  static constexpr std::size_t kMinLastRead = 2048;  ///< of more image data, the last read has at least this many bytes

  /// Walks the chunks through IEND. Throws Error{decode} if a chunk extends past the file, if the checksum of a
  /// critical chunk is wrong, or if the image data is not contiguous. `bytes` starts with the PNG signature and must
  /// outlive the stream.
  PngStream(ByteSpan bytes, const std::string& name);

  /// How much image data libpng must read at a time.
  [[nodiscard]] std::size_t block_bytes() const { return block_bytes_; }

  /// Returns false if fewer bytes are left.
  bool read(std::byte* to, std::size_t size);

  /// True once image data has been read in portions other than block_bytes(), which means that libpng skipped it.
  [[nodiscard]] bool skipped_image_data() const { return skipped_image_data_; }

 private:
  void walk(ByteSpan bytes, const std::string& name);
  void join(ByteSpan bytes, std::size_t data_begin, std::size_t data_end, const std::string& name);
  [[nodiscard]] std::size_t max_chunk_bytes() const;
  void add_joined_chunks();
  void count_read(std::size_t size);

  std::vector<ByteSpan> image_data_;
  std::vector<ByteSpan> parts_;
  std::size_t next_part_ = 0;
  std::size_t data_left_ = 0;
  std::size_t chunk_left_ = 0;   // of data_left_, in the current joined chunk
  std::size_t before_data_ = 0;  // unread bytes that precede the image data, or more of it
  std::size_t block_bytes_ = 0;
  bool skipped_image_data_ = false;
  std::vector<std::array<std::byte, 8>> joined_headers_;
  std::array<std::byte, 4> joined_checksum_{};  // libpng ignores it; the original checksums have been checked
};

}  // namespace gpuimg::codecs
