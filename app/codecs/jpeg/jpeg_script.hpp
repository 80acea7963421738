// The scans of a JPEG file that has several, for jpeg_pipeline.hpp. ITU-T T.81, annexes B and G.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "codecs/byte_fields.hpp"

namespace gpuimg::codecs {

struct JpegScan {
  std::uint32_t components = 0;  ///< bit i: component i of the frame is in the scan
  std::uint32_t first = 0;       ///< frequencies in zigzag order: first … last
  std::uint32_t last = 0;
  ByteSpan tables;  ///< marker segments before the scan, after the preceding one
  ByteSpan coded;   ///< from the scan's own marker to the next one

  /// True if both code the same coefficients.
  [[nodiscard]] bool overlaps(const JpegScan& other) const {
    return (components & other.components) != 0 && first <= other.last && other.first <= last;
  }
};

struct JpegScript {
  ByteSpan header;  ///< from SOI to the first scan
  std::vector<JpegScan> scans;
};

/// Returns nullopt unless the file has several Huffman-coded scans that code each bit of each coefficient once, in
/// order, with nothing but Huffman tables and restart intervals between them, and ends in EOI. Then libjpeg applies no
/// block smoothing, never warns of the order of the scans, and takes all quantization tables from the header. Coded
/// bytes are not looked at. `bytes` has a valid header. The result borrows `bytes`.
std::optional<JpegScript> read_jpeg_script(ByteSpan bytes);

}  // namespace gpuimg::codecs
