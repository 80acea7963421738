// The first guard before stb_image: checks what the header of a TGA declares and writes a new header, so that stb_image
// sees only checked values. And where rows are that need no stb_image.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "codecs/byte_fields.hpp"
#include "codecs/stored_rows.hpp"

namespace gpuimg::codecs {

struct TgaInput {
  std::vector<std::byte> header;  ///< what stb_image reads first
  ByteSpan body;                  ///< what it reads next
  int width = 0;
  int height = 0;
  int channels = 0;             ///< as stb_image returns them
  bool declares_alpha = false;  ///< otherwise a fourth byte is dropped if it is 0 in all pixels or full in all
  bool is_mirrored = false;     ///< stored right to left
};

/// Rows of whole bytes, each a channel: neither run-length coded nor of a color map nor of 5 bits.
struct TgaRows {
  int width = 0;
  int height = 0;
  int channels = 0;
  bool is_mirrored = false;
  StoredRows stored;
};

/// Nullopt for other rows, and where only the pixels say whether they have alpha. Throws like tga_input, but does not
/// see the pixels. `beginning` is that of a file.
std::optional<TgaRows> stored_tga_rows(ByteSpan beginning, const std::string& name, std::uint64_t max_pixels);

/// Throws like decode_image; `name` is printable.
TgaInput tga_input(ByteSpan bytes, const std::string& name, std::uint64_t max_pixels);

}  // namespace gpuimg::codecs
