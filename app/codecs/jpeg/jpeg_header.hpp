// What a JPEG says before its first scan: as libjpeg-turbo reads it, and for a backend's own decoder
// (gpuimg/encoded_image.hpp). ITU-T T.81, annex B.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "codecs/byte_fields.hpp"
#include "codecs/jpeg/jpeg_segments.hpp"
#include "codecs/metadata/metadata.hpp"
#include "gpuimg/encoded_image.hpp"

namespace gpuimg::codecs::jpeg {

/// Quantization steps in the order of the file: zigzag.
using JpegSteps = std::array<std::uint16_t, 64>;

/// Signatures of an APP1 with XMP, an APP1 with extended XMP and an APP13 with Photoshop resources.
inline constexpr std::string_view kJpegXmpSignature("http://ns.adobe.com/xap/1.0/\0", 29);
inline constexpr std::string_view kJpegXmpExtensionSignature("http://ns.adobe.com/xmp/extension/\0", 35);
inline constexpr std::string_view kJpegPhotoshopSignature("Photoshop 3.0\0", 14);

/// What the segments before the first scan say.
struct JpegHeader {
  JpegFrame frame;
  bool keeps_coefficients = false;  ///< components in separate scans: all coefficients wait for the last scan
  ByteSpan jfif;                    ///< starts at the version; empty if there is none
  ByteSpan exif;                    ///< starts at the byte order mark; empty if there is none
  /// Parts of an ICC profile in file order, each starting at its number: 2 bytes or more. A profile has at most 255;
  /// 256 are kept to detect more.
  std::vector<ByteSpan> icc_parts;
  ByteSpan xmp;  ///< starts at the packet; empty if there is none
  /// Parts of the extended XMP in file order, each starting at its GUID: 40 bytes or more. At most 256 are kept.
  std::vector<ByteSpan> xmp_extension_parts;
  /// Parts of the Photoshop resources in file order. At most 256 are kept.
  std::vector<ByteSpan> photoshop_parts;
  ByteSpan adobe;                                                     ///< APP14 after "Adobe"; empty if there is none
  std::array<std::optional<JpegSteps>, JpegStepTable::kSlots> steps;  ///< as defined before the first scan
  std::uint32_t restart_interval = 0;                                 ///< in MCUs; 0 without restart markers
  std::uint32_t pictures = 0;        ///< that the file claims to hold (MPO); 0 if it does not say
  std::uint32_t other_segments = 0;  ///< bit n: there is an APPn other than those above; bit 16: there is a comment
};

/// Throws Error{decode} for a file that is damaged before its first scan, and Error{unsupported}, with the kind in the
/// message, for a lossless, hierarchical or 12-bit file and for one without 1, 3 or 4 components. `name` is printable.
JpegHeader read_jpeg_header(ByteSpan bytes, const std::string& name);

/// Returns nullopt for every file that libjpeg-turbo must read: not sequential, Huffman-coded and 8 bit; several scans;
/// colors other than gray and YCbCr; other sampling than 4:4:4, 4:2:2, 4:4:0 and 4:2:0; more than two Huffman tables of
/// a kind; and any header that is damaged or unusual. The coded bytes are not looked at. Never throws. The result
/// borrows `bytes`, and its orientation is 1.
std::optional<EncodedJpeg> describe_jpeg(ByteSpan bytes) noexcept;

/// The same for JpegCoefficients::frame: for a sequential or progressive file with any scans.
std::optional<EncodedJpeg> describe_jpeg_frame(ByteSpan bytes) noexcept;

// Metadata in segments, in jpeg_metadata.cpp: APP0 (JFIF density), APP1 (EXIF 2.3; XMP and extended XMP, Adobe XMP
// specification, part 3), APP2 (ICC.1:2022, annex B.4) and APP13 (IPTC data in Photoshop resources).

/// Leaves out damaged metadata and adds a clause about it to `details`. Names other segments in `not_kept`.
Metadata read_jpeg_metadata(const JpegHeader& header, std::vector<std::string>& details);

struct JpegMetadataSegment {
  std::uint32_t marker = 0;  ///< APP1, APP2 or APP13
  std::vector<std::byte> content;
};

/// Segments for EXIF data, XMP, the profile in parts, and IPTC data; libjpeg writes the density into the JFIF header.
/// Each must be within the bounds below, the profile within kMaxIccBytes. An XMP extension needs
/// its GUID in the packet.
std::vector<JpegMetadataSegment> jpeg_metadata_segments(const Metadata& metadata);

inline constexpr std::size_t kMaxJpegExifBytes = 65527;
inline constexpr std::size_t kMaxJpegXmpBytes = 65502;  ///< the specification's limit, two less than fit
inline constexpr std::size_t kMaxJpegIptcBytes = 65506;

}  // namespace gpuimg::codecs::jpeg
