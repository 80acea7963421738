// PNM: binary gray (P5) and RGB (P6), 8 and 16 bits, with any maximum value.
#include <fmt/format.h>

#include "codecs/stb/pnm_header.hpp"
#include "codecs/stb/stb_input.hpp"
#include "text/refusals.hpp"

namespace gpuimg::codecs {

StbInput pnm_input(ByteSpan bytes, const std::string& name, std::uint64_t max_pixels) {
  PnmHeader header(bytes, name);
  const std::uint64_t width = header.number();
  const std::uint64_t height = header.number();
  StbInput input;
  input.file_type = "PNM";
  const bool is_color = u8_at(bytes, 1) == '6';
  input.channels = is_color ? 3 : 1;
  set_checked_size(input, name, width, height, 6, max_pixels);
  const std::uint64_t largest = header.number();
  if (largest == 0 || largest > 65535) {
    refuse_damaged(name, fmt::format("its maximum value is {}, but must be 1 to 65535", largest));
  }
  const bool is_wide = largest > 255;
  const std::uint32_t full = is_wide ? 65535 : 255;
  input.sample = is_wide ? Sample::u16 : Sample::u8;
  input.is_big_endian = is_wide;
  input.declared_max = largest == full ? 0 : static_cast<std::uint32_t>(largest);
  const ByteSpan body = header.body();
  const std::size_t needed = width * height * static_cast<std::size_t>(input.channels) * sample_bytes(input.sample);
  if (body.size() < needed) {
    refuse_truncated(name);
  }
  input.body = body.first(needed);
  const std::string text = fmt::format("P{}\n{} {}\n{}\n", is_color ? 6 : 5, width, height, full);
  for (const char c : text) {
    input.header.push_back(static_cast<std::byte>(c));
  }
  return input;
}

}  // namespace gpuimg::codecs
