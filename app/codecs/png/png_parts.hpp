// Inflates the rows of a simple PNG in parts, on several threads. docs/decisions/0009-parts-inflated-ahead.md.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>

#include "codecs/png/row_sink.hpp"
#include "codecs/png/simple_png.hpp"

namespace gpuimg::codecs {

using CheckPngData = std::function<bool(std::uint64_t end)>;

/// How the image data is divided into parts.
struct PngParts {
  std::size_t part_bytes = 0;  ///< of deflated data; 0 to read without parts
  std::size_t capacity = 0;    ///< the largest output of a part; parts that exceed it are not used
  int threads = 1;

  /// Returns part_bytes 0 for images that are too small, or whose image data has no suitable block starts.
  static PngParts of(const SimplePng& png, int threads);
};

/// Passes all rows to `sink`. `check` is called in order, by one thread at a time, with the byte of the image data up
/// to which they are wanted; false ends it. Returns false if the image data is damaged, its length does not match the
/// rows, or its checksum is wrong. Uses up to three times the capacity per thread.
bool read_in_parts(const SimplePng& png, const PngParts& parts, PngRowSink& sink, const CheckPngData& check);

}  // namespace gpuimg::codecs
