// The scans of a JPEG file that has several, for jpeg_pipeline.hpp. ITU-T T.81, annexes B and G.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "codecs/byte_fields.hpp"

namespace gpuimg::codecs {

struct JpegScan {
  /// A component of the scan, in coded order.
  struct Part {
    std::size_t component = 0;  ///< of the frame
    std::size_t dc_table = 0;   ///< 0 … 15: the slot of the table, which may be undefined
    std::size_t ac_table = 0;
  };

  std::vector<Part> parts;
  std::uint32_t components = 0;  ///< bit i: component i of the frame is in the scan
  std::uint32_t first = 0;       ///< frequencies in zigzag order: first … last
  std::uint32_t last = 0;
  std::uint32_t low = 0;     ///< the lowest bit that is known after the scan
  bool is_refining = false;  ///< the bits above it are known before the scan
  ByteSpan tables;           ///< marker segments before the scan, after the preceding one
  ByteSpan coded;            ///< from the scan's own marker to the next one
  ByteSpan codes;            ///< the part of `coded` after the header; no markers in it but those for restarts

  /// True if the codes of the later one depend on the coefficients of the other one, or both write AC coefficients of a
  /// component.
  [[nodiscard]] bool depends_on(const JpegScan& other) const {
    return (components & other.components) != 0 && (first == 0) == (other.first == 0);
  }
};

struct JpegScript {
  ByteSpan header;  ///< from SOI to the first scan
  bool is_progressive = false;
  std::vector<JpegScan> scans;
};

/// Returns nullopt unless the first scan is sequential, Huffman-coded and of all components. The script has this scan
/// alone. `bytes` has a valid header, and may end anywhere after it. The result borrows `bytes`.
std::optional<JpegScript> read_jpeg_only_scan(ByteSpan bytes);

/// Returns nullopt unless the file has several Huffman-coded scans that code each bit of each coefficient once, in
/// order, with nothing but Huffman tables and restart intervals between them, and ends in EOI. Then libjpeg applies no
/// block smoothing, never warns of the order of the scans, and takes all quantization tables from the header. Coded
/// bytes are not looked at. `bytes` has a valid header. The result borrows `bytes`.
std::optional<JpegScript> read_jpeg_script(ByteSpan bytes);

}  // namespace gpuimg::codecs
