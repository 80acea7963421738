// Reads the part of a JPEG before its first scan: as libjpeg-turbo reads it, and as a description for a backend's own
// decoder (gpuimg/encoded_image.hpp). ITU-T T.81, annex B.
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

/// Contents of the segments before the first scan.
struct JpegHeader {
  JpegFrame frame;
  bool keeps_coefficients = false;  ///< separate scans, so all coefficients stay in memory until the last one
  ByteSpan jfif;                    ///< starts at the version; empty if there is none
  ByteSpan exif;                    ///< starts at the byte order mark; empty if there is none
  /// Parts of an ICC profile in file order. Each starts at its part number and has at least 2 bytes. A profile has at
  /// most 255 parts; the header keeps up to 256 to detect an excess.
  std::vector<ByteSpan> icc_parts;
  ByteSpan xmp;  ///< starts at the packet; empty if there is none
  /// Parts of the extended XMP in file order. Each starts at its GUID and has at least 40 bytes. At most 256 are kept.
  std::vector<ByteSpan> xmp_extension_parts;
  /// Parts of the Photoshop resources in file order. At most 256 are kept.
  std::vector<ByteSpan> photoshop_parts;
  ByteSpan adobe;                                                     ///< APP14 after "Adobe"; empty if there is none
  std::array<std::optional<JpegSteps>, JpegStepTable::kSlots> steps;  ///< as defined before the first scan
  std::uint32_t restart_interval = 0;                                 ///< in MCUs; 0 without restart markers
  std::uint32_t pictures = 0;        ///< number of pictures that the file claims to hold (MPO); 0 if it claims none
  std::uint32_t other_segments = 0;  ///< bit n: there is an APPn segment not listed above; bit 16: a comment
};

/// Throws Error{decode} if the file is damaged before its first scan. Throws Error{unsupported} for lossless,
/// hierarchical and 12-bit files, and unless there are 1, 3 or 4 components; the message names the kind. `name` is
/// printable.
JpegHeader read_jpeg_header(ByteSpan bytes, const std::string& name);

/// Describes a file for a backend's decoder. The file must be sequential, Huffman-coded and 8-bit, in one scan, gray or
/// YCbCr, sampled at 4:4:4, 4:2:2, 4:4:0 or 4:2:0, with at most two Huffman tables of each class. Returns nullopt for
/// every other file, and for a damaged or unusual header: libjpeg-turbo must read such files. Does not check the coded
/// bytes. Never throws. The result borrows `bytes`, and its orientation is 1.
std::optional<EncodedJpeg> describe_jpeg(ByteSpan bytes) noexcept;

/// Like describe_jpeg, but for JpegCoefficients::frame: accepts any sequential or progressive scans.
std::optional<EncodedJpeg> describe_jpeg_frame(ByteSpan bytes) noexcept;

// Metadata in segments, in jpeg_metadata.cpp: APP0 (JFIF density), APP1 (EXIF 2.3; XMP and extended XMP, Adobe XMP
// specification, part 3), APP2 (ICC.1:2022, annex B.4) and APP13 (IPTC data in Photoshop resources).

/// Leaves out damaged metadata and adds a clause about each damaged part to `details`. Lists other segments in
/// `not_kept`.
Metadata read_jpeg_metadata(const JpegHeader& header, std::vector<std::string>& details);

struct JpegMetadataSegment {
  std::uint32_t marker = 0;  ///< APP1, APP2 or APP13
  std::vector<std::byte> content;
};

/// Builds the segments for EXIF data, XMP, the profile in parts, and IPTC data. The density has no segment, because
/// libjpeg writes it into the JFIF header. Sizes must be within the bounds below, and the profile within kMaxIccBytes.
/// The XMP packet must contain the GUID of an XMP extension.
std::vector<JpegMetadataSegment> jpeg_metadata_segments(const Metadata& metadata);

inline constexpr std::size_t kMaxJpegExifBytes = 65527;
inline constexpr std::size_t kMaxJpegXmpBytes = 65502;  ///< the specification's limit; two more bytes would fit
inline constexpr std::size_t kMaxJpegIptcBytes = 65506;

}  // namespace gpuimg::codecs::jpeg
