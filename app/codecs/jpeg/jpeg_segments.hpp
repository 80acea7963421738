// The marker segments of a JPEG: where they are, and what frames, scans and tables say. Three users interpret them: the
// header (what libjpeg sees before the first scan) and the description for a device, both in jpeg_header.hpp, and the
// script of scans, below (whether the scans are complete). ITU-T T.81, annexes B and G.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "codecs/byte_fields.hpp"
#include "gpuimg/encoded_image.hpp"

namespace gpuimg::codecs::jpeg {

/// The byte after 0xFF.
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

/// A marker and its segment, unless it stands alone.
struct JpegSegment {
  std::uint32_t marker = 0;
  std::size_t begin = 0;    ///< offset of the byte 0xFF before the marker
  std::size_t skipped = 0;  ///< bytes before it that belong to no segment
  std::size_t length = 0;   ///< as declared, which may be less than the 2 bytes of the length itself; 0 without one
  ByteSpan payload;         ///< what follows the length, as far as the file goes
  bool is_cut_off = false;  ///< the file ends before the segment does

  [[nodiscard]] bool stands_alone() const;
  /// SOF0 to SOF15.
  [[nodiscard]] bool is_frame() const;
  [[nodiscard]] bool is_application_data() const {
    return marker >= jpeg_marker::kApp0 && marker <= jpeg_marker::kApp15;
  }
  /// True for a whole segment right after the one before it: all readers agree on where it is.
  [[nodiscard]] bool is_plain() const { return skipped == 0 && length >= 2 && !is_cut_off && !stands_alone(); }
};

/// Walks over segments as libjpeg-turbo does: skips bytes that are not markers; libjpeg-turbo warns about them.
class JpegSegments {
 public:
  static constexpr std::size_t kAfterStart = 2;  ///< offset of what follows SOI

  explicit JpegSegments(ByteSpan bytes, std::size_t begin = kAfterStart) : bytes_(bytes), next_(begin) {}

  /// Nullopt at the end of the bytes.
  std::optional<JpegSegment> next();

  /// Skips the codes of a scan up to the next marker that does not belong to them, or to the end of the bytes.
  void skip_codes();

  /// The first byte after what has been walked over.
  [[nodiscard]] std::size_t offset() const { return next_; }

 private:
  ByteSpan bytes_;
  std::size_t next_;
};

/// The fields of a frame header.
struct JpegFrame {
  struct Component {
    std::uint32_t id = 0;
    std::uint32_t horizontal_sampling = 1;  ///< 0 … 15
    std::uint32_t vertical_sampling = 1;    ///< 0 … 15
    std::uint32_t step_table = 0;
  };
  static constexpr std::size_t kMaxComponents = 4;

  std::uint32_t marker = 0xC0;
  std::uint32_t bits = 8;
  std::uint32_t width = 0;
  std::uint32_t height = 0;
  std::uint32_t component_count = 0;                 ///< as declared
  std::array<Component, kMaxComponents> components;  ///< as many of them as the segment holds
  bool is_too_short = false;                         ///< for its components
  bool is_exact = false;                             ///< the segment ends after them

  [[nodiscard]] bool is_baseline() const { return marker == 0xC0; }
  [[nodiscard]] bool is_progressive() const { return marker == 0xC2 || marker == 0xCA; }
  [[nodiscard]] bool is_arithmetic() const { return marker >= 0xC9; }
};

/// Nullopt if the segment ends before the number of components.
std::optional<JpegFrame> jpeg_frame(const JpegSegment& segment);

/// The header of a scan.
struct JpegScanHeader {
  struct Component {
    std::uint32_t id = 0;
    std::size_t dc_table = 0;  ///< 0 … 15
    std::size_t ac_table = 0;  ///< 0 … 15
  };
  std::size_t component_count = 0;  ///< 1 … 4
  std::array<Component, JpegFrame::kMaxComponents> components;
  std::uint32_t first = 0;  ///< of the spectral selection
  std::uint32_t last = 0;
  std::uint32_t high = 0;  ///< of the successive approximation
  std::uint32_t low = 0;
};

/// Nullopt if the segment has another length than its number of components needs, or a number that T.81 does not allow.
std::optional<JpegScanHeader> jpeg_scan_header(const JpegSegment& segment);

/// Frequencies in zigzag order, each as its place in row order. Coded blocks and tables of steps use it. Figure A.6.
constexpr std::array<std::uint8_t, 64> kJpegZigzag = {0,  1,  8,  16, 9,  2,  3,  10, 17, 24, 32, 25, 18, 11, 4,  5,
                                                      12, 19, 26, 33, 40, 48, 41, 34, 27, 20, 13, 6,  7,  14, 21, 28,
                                                      35, 42, 49, 56, 57, 50, 43, 36, 29, 22, 15, 23, 30, 37, 44, 51,
                                                      58, 59, 52, 45, 38, 31, 39, 46, 53, 60, 61, 54, 47, 55, 62, 63};

/// A table of quantization steps.
struct JpegStepTable {
  static constexpr std::size_t kSlots = 4;

  std::uint32_t slot = 0;                 ///< 0 … 3
  std::uint32_t precision = 0;            ///< 0: steps of a byte, else of two; T.81 allows 0 and 1
  std::array<std::uint16_t, 64> steps{};  ///< in zigzag order
};

/// Takes the next table off the payload of a DQT segment. Nullopt if it is cut off or its slot does not exist.
std::optional<JpegStepTable> take_jpeg_steps(ByteSpan& payload);

/// The Huffman tables that a file has defined so far (B.2.4.2). Users must check whether the codes are possible.
struct JpegHuffmanSlots {
  static constexpr std::size_t kCount = 4;  ///< of each kind

  std::array<std::optional<JpegHuffmanTable>, kCount> dc;
  std::array<std::optional<JpegHuffmanTable>, kCount> ac;

  /// Takes over the tables of a DHT segment. Returns false if libjpeg would reject it.
  bool read(ByteSpan segment);
};

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
  ByteSpan codes;            ///< the part of `coded` after the header; it has no markers except restart markers

  /// True if the codes of the later scan depend on the coefficients of the earlier one, or if both write AC
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

/// Returns nullopt unless the first scan is sequential, Huffman-coded and of all components. The script has only this
/// scan. `bytes` has a valid header, and may end anywhere after it. The result borrows `bytes`.
std::optional<JpegScript> read_jpeg_only_scan(ByteSpan bytes);

/// Returns nullopt unless the file has several Huffman-coded scans that code each bit of each coefficient once, in
/// order, with nothing but Huffman tables and restart intervals between them, and ends in EOI. Then libjpeg applies no
/// block smoothing, never warns about the order of the scans, and takes all quantization tables from the header. Coded
/// bytes are not looked at. `bytes` has a valid header. The result borrows `bytes`.
std::optional<JpegScript> read_jpeg_script(ByteSpan bytes);

}  // namespace gpuimg::codecs::jpeg
