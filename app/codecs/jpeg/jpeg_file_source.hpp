// A source for libjpeg whose bytes are in a file.
#pragma once

// jpeglib.h needs size_t and FILE declared before it.
#include <cstddef>
#include <cstdio>
// clang-format off
#include <jpeglib.h>
// clang-format on

#include <array>
#include <cstdint>

#include "io/random_access.hpp"

namespace gpuimg::codecs {

/// Reading past the end of the file is an error.
class JpegFileSource : public jpeg_source_mgr {
 public:
  /// The file must outlive the source.
  explicit JpegFileSource(const RandomAccess& file);
  JpegFileSource(const JpegFileSource&) = delete;
  JpegFileSource& operator=(const JpegFileSource&) = delete;

 private:
  static boolean fill(j_decompress_ptr info);
  static void skip(j_decompress_ptr info, long bytes);

  const RandomAccess& file_;
  std::uint64_t next_ = 0;  ///< byte of the file after the buffered ones
  std::array<std::byte, std::size_t{64} << 10> buffer_;
};

}  // namespace gpuimg::codecs
