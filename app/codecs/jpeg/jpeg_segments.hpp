// Finds the marker segments of a JPEG, and reads the fields of frames, scans and tables. Three callers interpret the
// fields: the header (the segments that libjpeg reads before the first scan) and the description for a device, both in
// jpeg_header.hpp; and the script of scans, below, which checks that the scans are complete. ITU-T T.81, annexes B and
// G.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "codecs/byte_fields.hpp"
#include "gpuimg/encoded_image.hpp"

namespace gpuimg::codecs::jpeg {

/// The values of the byte after 0xFF.
namespace jpeg_marker {
inline constexpr std::uint32_t kHuffmanTables = 0xC4;
inline constexpr std::uint32_t kFirstRestart = 0xD0;
inline constexpr std::uint32_t kLastRestart = 0xD7;
inline constexpr std::uint32_t kEndOfImage = 0xD9;
inline constexpr std::uint32_t kStartOfScan = 0xDA;
inline constexpr std::uint32_t kStepTables = 0xDB;
inline constexpr std::uint32_t kRestartInterval = 0xDD;
inline constexpr std::uint32_t kApp0 = 0xE0;
inline constexpr std::uint32_t kApp1 = 0xE1;
inline constexpr std::uint32_t kApp2 = 0xE2;
inline constexpr std::uint32_t kApp13 = 0xED;
inline constexpr std::uint32_t kApp14 = 0xEE;
inline constexpr std::uint32_t kApp15 = 0xEF;
inline constexpr std::uint32_t kComment = 0xFE;
}  // namespace jpeg_marker

/// A marker and, if it has one, its segment.
struct JpegSegment {
  std::uint32_t marker = 0;
  std::size_t begin = 0;    ///< offset of the byte 0xFF before the marker
  std::size_t skipped = 0;  ///< number of bytes before the marker that belong to no segment
  std::size_t length = 0;   ///< as declared, so possibly below 2, the size of the field; 0 without a segment
  ByteSpan payload;         ///< the bytes after the length field, up to the end of the file at most
  bool is_cut_off = false;  ///< the file ends before the segment does

  [[nodiscard]] bool stands_alone() const;
  /// SOF0 to SOF15.
  [[nodiscard]] bool is_frame() const;
  [[nodiscard]] bool is_application_data() const {
    return marker >= jpeg_marker::kApp0 && marker <= jpeg_marker::kApp15;
  }
  /// True for a complete segment directly after the preceding one: all readers agree on its position.
  [[nodiscard]] bool is_plain() const { return skipped == 0 && length >= 2 && !is_cut_off && !stands_alone(); }
};

/// Walks over segments as libjpeg-turbo does: skips stray bytes between segments, about which libjpeg-turbo warns.
class JpegSegments {
 public:
  static constexpr std::size_t kAfterStart = 2;  ///< offset of the byte after SOI

  explicit JpegSegments(ByteSpan bytes, std::size_t begin = kAfterStart) : bytes_(bytes), next_(begin) {}

  /// Returns nullopt at the end of the bytes.
  std::optional<JpegSegment> next();

  /// Skips the codes of a scan, with their restart markers, up to the next other marker or to the end of the bytes.
  void skip_codes();

  /// Offset of the first byte that has not been visited.
  [[nodiscard]] std::size_t offset() const { return next_; }

 private:
  ByteSpan bytes_;
  std::size_t next_;
};

/// The fields of a frame header.
struct JpegFrame {
  struct Component {
    std::uint32_t id = 0;
    std::uint32_t horizontal_sampling = 1;  ///< 0 to 15
    std::uint32_t vertical_sampling = 1;    ///< 0 to 15
    std::uint32_t step_table = 0;
  };
  static constexpr std::size_t kMaxComponents = 4;

  std::uint32_t marker = 0xC0;
  std::uint32_t bits = 8;
  std::uint32_t width = 0;
  std::uint32_t height = 0;
  std::uint32_t component_count = 0;                 ///< as declared
  std::array<Component, kMaxComponents> components;  ///< only the components that the segment holds
  bool is_too_short = false;                         ///< the segment is too short for its components
  bool is_exact = false;                             ///< the segment ends directly after its components

  [[nodiscard]] bool is_baseline() const { return marker == 0xC0; }
  [[nodiscard]] bool is_progressive() const { return marker == 0xC2 || marker == 0xCA; }
  [[nodiscard]] bool is_arithmetic() const { return marker >= 0xC9; }
};

/// Returns nullopt if the segment ends before the field with the number of components.
std::optional<JpegFrame> jpeg_frame(const JpegSegment& segment);

/// The header of a scan.
struct JpegScanHeader {
  struct Component {
    std::uint32_t id = 0;
    std::size_t dc_table = 0;  ///< 0 to 15
    std::size_t ac_table = 0;  ///< 0 to 15
  };
  std::size_t component_count = 0;  ///< 1 to 4
  std::array<Component, JpegFrame::kMaxComponents> components;
  std::uint32_t first = 0;  ///< start of the spectral selection
  std::uint32_t last = 0;
  std::uint32_t high = 0;  ///< high bit position of the successive approximation
  std::uint32_t low = 0;
};

/// Returns nullopt if the segment's length does not match its number of components, or if T.81 does not allow a value.
std::optional<JpegScanHeader> jpeg_scan_header(const JpegSegment& segment);

/// Maps the index of a coefficient in zigzag order, used by coded blocks and quantization tables, to its index in row
/// order. T.81, figure A.6.
constexpr std::array<std::uint8_t, 64> kJpegZigzag = {0,  1,  8,  16, 9,  2,  3,  10, 17, 24, 32, 25, 18, 11, 4,  5,
                                                      12, 19, 26, 33, 40, 48, 41, 34, 27, 20, 13, 6,  7,  14, 21, 28,
                                                      35, 42, 49, 56, 57, 50, 43, 36, 29, 22, 15, 23, 30, 37, 44, 51,
                                                      58, 59, 52, 45, 38, 31, 39, 46, 53, 60, 61, 54, 47, 55, 62, 63};

/// A table of quantization steps.
struct JpegStepTable {
  static constexpr std::size_t kSlots = 4;

  std::uint32_t slot = 0;                 ///< 0 to 3
  std::uint32_t precision = 0;            ///< 0: steps of one byte; otherwise two bytes; T.81 allows 0 and 1
  std::array<std::uint16_t, 64> steps{};  ///< in zigzag order
};

/// Removes the next table from a DQT payload and returns it. Returns nullopt if it is cut off or its slot does not
/// exist.
std::optional<JpegStepTable> take_jpeg_steps(ByteSpan& payload);

/// The Huffman tables that a file has defined so far (T.81, B.2.4.2). Callers must check whether the codes are valid.
struct JpegHuffmanSlots {
  static constexpr std::size_t kCount = 4;  ///< number of tables of each class

  std::array<std::optional<JpegHuffmanTable>, kCount> dc;
  std::array<std::optional<JpegHuffmanTable>, kCount> ac;

  /// Stores the tables of a DHT segment. Returns false if libjpeg would reject the segment.
  bool read(ByteSpan segment);
};

struct JpegScan {
  /// A component of the scan. Parts are in coded order.
  struct Part {
    std::size_t component = 0;  ///< index in the frame
    std::size_t dc_table = 0;   ///< 0 to 15: the slot of the table, which can be undefined
    std::size_t ac_table = 0;
  };

  std::vector<Part> parts;
  std::uint32_t components = 0;  ///< bit i: component i of the frame is in the scan
  std::uint32_t first = 0;       ///< frequencies in zigzag order: first … last
  std::uint32_t last = 0;
  std::uint32_t low = 0;     ///< the lowest bit that is known after the scan
  bool is_refining = false;  ///< the bits above `low` are known before the scan
  ByteSpan tables;           ///< marker segments between the preceding scan and this one
  ByteSpan coded;            ///< from the scan's own marker up to the next marker
  ByteSpan codes;            ///< the bytes of `coded` after the scan header; the only markers are restart markers

  /// True if the codes of this scan depend on the coefficients of the earlier scan `other`, or if both scans write AC
  /// coefficients of the same component.
  [[nodiscard]] bool depends_on(const JpegScan& other) const {
    return (components & other.components) != 0 && (first == 0) == (other.first == 0);
  }
};

struct JpegScript {
  ByteSpan header;  ///< from SOI to the first scan
  bool is_progressive = false;
  std::vector<JpegScan> scans;
};

/// Returns a script with only the first scan. Returns nullopt unless this scan is sequential and Huffman-coded and
/// holds all components. `bytes` must have a valid header and can end anywhere after it. The result borrows `bytes`.
std::optional<JpegScript> read_jpeg_only_scan(ByteSpan bytes);

/// Returns the script of a file with several Huffman-coded scans. They must code each bit of each coefficient once, in
/// order. Only Huffman tables and restart intervals may be between the scans, and the file must end in EOI. For such a
/// file, libjpeg applies no block smoothing, never warns about the order of the scans, and takes all quantization
/// tables from the header. Returns nullopt for any other file. Does not check the coded bytes. `bytes` must have a
/// valid header. The result borrows `bytes`.
std::optional<JpegScript> read_jpeg_script(ByteSpan bytes);

}  // namespace gpuimg::codecs::jpeg
