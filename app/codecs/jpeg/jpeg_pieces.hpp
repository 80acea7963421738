// A source for libjpeg whose bytes are in several pieces.
#pragma once

// jpeglib.h needs size_t and FILE declared before it.
#include <cstddef>
#include <cstdio>
// clang-format off
#include <jpeglib.h>
// clang-format on

#include <vector>

#include "codecs/byte_fields.hpp"

namespace gpuimg::codecs {

/// Behaves as jpeg_mem_src would with the pieces in one, but reading on after the last one is an error.
class JpegPieces : public jpeg_source_mgr {
 public:
  /// The bytes must outlive the source. No piece is empty.
  explicit JpegPieces(std::vector<ByteSpan> pieces);
  JpegPieces(const JpegPieces&) = delete;
  JpegPieces& operator=(const JpegPieces&) = delete;

  /// Continues there, in the last piece, which must have been reached.
  void go_to(const std::byte* at);

 private:
  static boolean next_piece(j_decompress_ptr info);
  static void skip(j_decompress_ptr info, long bytes);

  std::vector<ByteSpan> pieces_;
  std::size_t next_ = 0;
};

}  // namespace gpuimg::codecs
