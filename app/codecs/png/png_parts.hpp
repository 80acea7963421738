// The filtered rows of a plain PNG, inflated in parts by several threads at once. Used by png_fast_reader.cpp.
#pragma once

#include <cstddef>

#include "codecs/png/row_sink.hpp"
#include "codecs/png/simple_png.hpp"

namespace gpuimg {

/// How the image data is taken in parts.
struct PngParts {
  std::size_t part_bytes = 0;  ///< of deflated data; 0: not in parts
  std::size_t capacity = 0;    ///< most bytes of filtered rows that a part may give and still be of use
  int threads = 1;

  /// For images that are worth it and whose image data has blocks to begin at.
  static PngParts of(const PlainPng& png, int threads);
};

/// Gives all rows to `finisher`. False for image data that is damaged or of another length than the rows or whose
/// checksum is wrong. A thread takes up to three times the capacity.
bool read_in_parts(const PlainPng& png, const PngParts& parts, PngRowFinisher& finisher);

}  // namespace gpuimg
