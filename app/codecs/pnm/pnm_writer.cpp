// A header, then rows; 16-bit samples are big endian. Netpbm's pages pbm(5), pgm(5), ppm(5) and pam(5).
#include "codecs/pnm/pnm_writer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <span>

#include "codecs/joined_bytes.hpp"
#include "codecs/packed_bits.hpp"
#include "codecs/sample_order.hpp"

namespace gpuimg::codecs {
namespace {

std::string header_of(ConstView pixels) {
  const PixelFormat format = pixels.format;
  const bool is_color = format.color_channels() == 3;
  if (!format.has_alpha()) {
    return fmt::format("P{}\n{} {}\n{}\n", is_color ? 6 : 5, pixels.width, pixels.height, format.max_value());
  }
  return fmt::format("P7\nWIDTH {}\nHEIGHT {}\nDEPTH {}\nMAXVAL {}\nTUPLTYPE {}\nENDHDR\n", pixels.width, pixels.height,
                     format.channels, format.max_value(), is_color ? "RGB_ALPHA" : "GRAYSCALE_ALPHA");
}

}  // namespace

void encode_pnm(ConstView pixels, const std::string& /*name*/, const WriteOptions& options, const ByteSink& sink) {
  if (options.one_bit && can_pack_bits(pixels.format)) {
    constexpr unsigned kWhite = 0;
    const Image bits = packed_bits(pixels, kWhite);
    sink(letters(fmt::format("P4\n{} {}\n", pixels.width, pixels.height)));
    sink({bits.view().data, bits.size_bytes()});
    return;
  }
  sink(letters(header_of(pixels)));
  const std::size_t row_bytes = pixels.tight_pitch_bytes();
  constexpr std::size_t kBlock = std::size_t{1} << 20;
  const std::size_t rows_a_block = std::max<std::size_t>(1, kBlock / row_bytes);
  std::vector<std::byte> block;
  const auto height = static_cast<std::size_t>(pixels.height);
  for (std::size_t y = 0; y < height; y += rows_a_block) {
    const std::size_t rows = std::min(rows_a_block, height - y);
    block.resize(rows * row_bytes);
    for (std::size_t i = 0; i < rows; ++i) {
      const std::byte* from = pixels.row_bytes(static_cast<int>(y + i));
      std::byte* to = block.data() + i * row_bytes;
      if (pixels.format.sample == Sample::u16) {
        swap_sample_bytes(reinterpret_cast<const std::uint8_t*>(from), reinterpret_cast<std::uint8_t*>(to), row_bytes);
      } else {
        std::memcpy(to, from, row_bytes);
      }
    }
    sink(block);
  }
}

}  // namespace gpuimg::codecs
