// The first guard before stb_image: checks what the header declares and writes a new header, so that stb_image sees
// only checked values. One function per format.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "codecs/byte_fields.hpp"
#include "codecs/codec.hpp"

namespace gpuimg::codecs {

/// What happens to the alpha channel that stb_image returns.
enum class StbAlpha : std::uint8_t {
  keep,            ///< the file declares it
  drop,            ///< stb_image adds it; the file has none
  drop_if_unused,  ///< an undeclared fourth byte; dropped if it is 0 in all pixels or full in all
};

struct StbInput {
  std::vector<std::byte> header;  ///< what stb_image reads first
  ByteSpan body;                  ///< what it reads next
  int width = 0;
  int height = 0;
  int channels = 0;  ///< as stb_image returns them
  Sample sample = Sample::u8;
  StbAlpha alpha = StbAlpha::keep;
  bool is_mirrored = false;        ///< TGA stored right to left
  bool is_big_endian = false;      ///< 16-bit PNM; stb_image may keep the file's byte order
  std::uint32_t declared_max = 0;  ///< PNM: the maximum value, to be scaled to the full range; 0 if it is full
  std::vector<std::string> notes;
};

/// These throw like decode_image; `name` is printable.
StbInput bmp_input(ByteSpan bytes, const std::string& name, std::uint64_t max_pixels);
StbInput tga_input(ByteSpan bytes, const std::string& name, std::uint64_t max_pixels);
StbInput psd_input(ByteSpan bytes, const std::string& name, std::uint64_t max_pixels);
StbInput pnm_input(ByteSpan bytes, const std::string& name, std::uint64_t max_pixels);

/// Applies check_size and the limits of stb_image's 32-bit sizes. `stb_bytes` is bytes per pixel as stb_image returns
/// them; `format` is the format's name.
void set_checked_size(StbInput& input, std::string_view format, const std::string& name, std::uint64_t width,
                      std::uint64_t height, std::size_t stb_bytes, std::uint64_t max_pixels);

/// Appends `value` in little-endian order.
void append_le(std::vector<std::byte>& to, std::uint32_t value, int bytes);

}  // namespace gpuimg::codecs
