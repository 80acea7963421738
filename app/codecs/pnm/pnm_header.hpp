// The headers of the seven kinds of PNM, P1 to P7.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "codecs/byte_fields.hpp"
#include "gpuimg/image.hpp"

namespace gpuimg::codecs {

struct PnmHeader {
  int kind = 0;  ///< the digit after the P: 7 is PAM
  std::uint64_t width = 0;
  std::uint64_t height = 0;
  int channels = 1;        ///< 2 and 4 with alpha
  std::uint32_t max = 1;   ///< the value of white, 1 to 65535
  std::size_t pixels = 0;  ///< offset of the pixels

  [[nodiscard]] bool is_text() const { return kind <= 3; }
  [[nodiscard]] bool is_bitmap() const { return kind == 1 || kind == 4; }
  [[nodiscard]] Sample sample() const { return max > 255 ? Sample::u16 : Sample::u8; }
  [[nodiscard]] PixelFormat format() const { return {sample(), channels}; }
};

/// `bytes` starts with the signature, and may be cut off after the header. Throws like decode_image; the size is not
/// checked.
PnmHeader read_pnm_header(ByteSpan bytes, const std::string& name);

}  // namespace gpuimg::codecs
