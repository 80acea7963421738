// The marker segments of a JPEG before its first scan, and the tables that segments define. ITU-T T.81, annex B.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "codecs/byte_fields.hpp"
#include "gpuimg/codec.hpp"

namespace gpuimg::codecs {

/// Frequencies in zigzag order, each as its place in row order. Coded blocks and tables of steps use it. Figure A.6.
constexpr std::array<std::uint8_t, 64> kJpegZigzag = {0,  1,  8,  16, 9,  2,  3,  10, 17, 24, 32, 25, 18, 11, 4,  5,
                                                      12, 19, 26, 33, 40, 48, 41, 34, 27, 20, 13, 6,  7,  14, 21, 28,
                                                      35, 42, 49, 56, 57, 50, 43, 36, 29, 22, 15, 23, 30, 37, 44, 51,
                                                      58, 59, 52, 45, 38, 31, 39, 46, 53, 60, 61, 54, 47, 55, 62, 63};

/// The Huffman tables that a file has defined so far (B.2.4.2). Whether their codes are possible is for their users.
struct JpegHuffmanSlots {
  static constexpr std::size_t kCount = 4;  ///< of each kind

  std::array<std::optional<JpegHuffmanTable>, kCount> dc;
  std::array<std::optional<JpegHuffmanTable>, kCount> ac;

  /// Takes over the tables of a DHT segment. Returns false if libjpeg would refuse it.
  bool read(ByteSpan segment);
};

/// Signatures of an APP1 with XMP, an APP1 with extended XMP and an APP13 with Photoshop resources.
inline constexpr std::string_view kJpegXmpSignature("http://ns.adobe.com/xap/1.0/\0", 29);
inline constexpr std::string_view kJpegXmpExtensionSignature("http://ns.adobe.com/xmp/extension/\0", 35);
inline constexpr std::string_view kJpegPhotoshopSignature("Photoshop 3.0\0", 14);

/// What the segments before the first scan say.
struct JpegHeader {
  std::uint32_t width = 0;
  std::uint32_t height = 0;
  std::uint32_t components = 0;
  bool is_baseline = false;
  bool is_progressive = false;
  bool is_arithmetic = false;
  bool keeps_coefficients = false;  ///< components in separate scans: all coefficients wait for the last scan
  std::span<const std::byte> jfif;  ///< starts at the version; empty if there is none
  std::span<const std::byte> exif;  ///< starts at the byte order mark; empty if there is none
  /// Parts of an ICC profile in file order, each starting at its number: 2 bytes or more. A profile has at most 255;
  /// 256 are kept to detect more.
  std::vector<std::span<const std::byte>> icc_parts;
  std::span<const std::byte> xmp;  ///< starts at the packet; empty if there is none
  /// Parts of the extended XMP in file order, each starting at its GUID: 40 bytes or more. At most 256 are kept.
  std::vector<std::span<const std::byte>> xmp_extension_parts;
  /// Parts of the Photoshop resources in file order. At most 256 are kept.
  std::vector<std::span<const std::byte>> photoshop_parts;
  std::span<const std::byte> frame;  ///< the payload of the frame header
  std::span<const std::byte> adobe;  ///< APP14 after "Adobe"; empty if there is none
  /// The quantization tables defined before the first scan, 64 steps of one or two bytes each; empty if not defined.
  std::array<std::span<const std::byte>, 4> quantization;
  std::uint32_t restart_interval = 0;  ///< in MCUs; 0 without restart markers
  std::uint32_t pictures = 0;          ///< that the file says to hold (MPO); 0 if it does not say
  std::uint32_t other_segments = 0;    ///< bit n: an APPn that is none of these, nor Adobe's APP14; bit 16: a comment
};

/// Throws Error{decode} for a file that is damaged before its first scan, and Error{unsupported}, naming it, for a
/// process that is not supported: lossless, hierarchical, 12 bit, not 1, 3 or 4 components. `name` is printable.
JpegHeader read_jpeg_header(std::span<const std::byte> bytes, const std::string& name);

}  // namespace gpuimg::codecs
