// The first guard before stb_image: what a header declares, checked, and the header written anew, so that stb_image
// sees only what has been checked. One function a format. Used by stb_reader.cpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "codecs/byte_fields.hpp"
#include "codecs/image_reader.hpp"

namespace gpuimg {

/// What becomes of the alpha that stb_image gives.
enum class StbAlpha : std::uint8_t {
  keep,            ///< the file declares it
  drop,            ///< stb_image adds it; the file has none
  drop_if_unused,  ///< a fourth byte that nothing declares: no alpha if it is 0 throughout or full throughout
};

struct StbInput {
  std::vector<std::byte> header;  ///< what stb_image reads first
  ByteSpan body;                  ///< what it reads then
  int width = 0;
  int height = 0;
  int channels = 0;  ///< as stb_image gives them
  Sample sample = Sample::u8;
  StbAlpha alpha = StbAlpha::keep;
  bool is_mirrored = false;        ///< TGA stored right to left
  bool is_big_endian = false;      ///< 16-bit PNM: stb_image may leave the file's byte order
  std::uint32_t declared_max = 0;  ///< PNM: the largest value, to be scaled to the full range; 0: it is that already
  std::string file_type;
  std::vector<std::string> notes;
};

/// What they throw is what decode_image throws; `name` is printable.
StbInput bmp_input(ByteSpan bytes, const std::string& name, std::uint64_t max_pixels);
StbInput tga_input(ByteSpan bytes, const std::string& name, std::uint64_t max_pixels);
StbInput psd_input(ByteSpan bytes, const std::string& name, std::uint64_t max_pixels);
StbInput pnm_input(ByteSpan bytes, const std::string& name, std::uint64_t max_pixels);

/// check_size, and the limits of stb_image's 32-bit sizes. stb_bytes: bytes a pixel as stb_image gives them.
void set_checked_size(StbInput& input, const std::string& name, std::uint64_t width, std::uint64_t height,
                      std::size_t stb_bytes, std::uint64_t max_pixels);

/// Appends `value` in little-endian order.
void append_le(std::vector<std::byte>& to, std::uint32_t value, int bytes);

}  // namespace gpuimg
