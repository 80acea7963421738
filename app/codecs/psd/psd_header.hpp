// What the sections of a PSD or PSB before its merged image say. Adobe Photoshop File Formats Specification.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "codecs/byte_fields.hpp"

namespace gpuimg::codecs {

/// The numbers are the file's.
enum class PsdMode : std::uint8_t { bitmap = 0, gray = 1, indexed = 2, rgb = 3, cmyk = 4, duotone = 8 };

struct PsdHeader {
  bool is_large = false;  ///< PSB: some lengths take twice the bytes
  PsdMode mode = PsdMode::rgb;
  std::uint32_t bits = 8;      ///< of a value: 1, 8 or 16
  std::uint64_t channels = 0;  ///< planes of the merged image
  std::uint64_t width = 0;
  std::uint64_t height = 0;

  [[nodiscard]] std::size_t color_planes() const { return mode == PsdMode::cmyk ? 4 : mode == PsdMode::rgb ? 3 : 1; }
  [[nodiscard]] std::size_t row_bytes() const { return (static_cast<std::size_t>(width) * bits + 7) / 8; }
};

/// `bytes` starts with the signature, and may be cut off after the first 26 bytes. Throws like decode_image; the size
/// is not checked.
PsdHeader read_psd_header(ByteSpan bytes, const std::string& name);

struct PsdSections {
  ByteSpan colors;                ///< of an indexed file
  ByteSpan resources;             ///< Photoshop image resources
  bool has_transparency = false;  ///< the plane after the colors is the transparency of the merged image
  std::size_t image = 0;          ///< offset of the merged image
};

/// The image resources of a file that may be cut off after them.
ByteSpan psd_resources(ByteSpan bytes, const std::string& name);

PsdSections read_psd_sections(ByteSpan bytes, const PsdHeader& header, const std::string& name);

}  // namespace gpuimg::codecs
