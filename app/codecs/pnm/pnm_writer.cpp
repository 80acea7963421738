// A header, then rows; 16-bit samples are big endian. Netpbm's pages pbm(5), pgm(5), ppm(5) and pam(5).
#include "codecs/pnm/pnm_writer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <span>
#include <stdexcept>
#include <vector>

#include "codecs/joined_bytes.hpp"
#include "codecs/packed_bits.hpp"
#include "codecs/sample_order.hpp"

namespace gpuimg::codecs {
namespace {

std::string header_of(int width, int height, PixelFormat format, bool one_bit) {
  const bool is_color = format.color_channels() == 3;
  if (one_bit) {
    return fmt::format("P4\n{} {}\n", width, height);
  }
  if (!format.has_alpha()) {
    return fmt::format("P{}\n{} {}\n{}\n", is_color ? 6 : 5, width, height, format.max_value());
  }
  return fmt::format("P7\nWIDTH {}\nHEIGHT {}\nDEPTH {}\nMAXVAL {}\nTUPLTYPE {}\nENDHDR\n", width, height,
                     format.channels, format.max_value(), is_color ? "RGB_ALPHA" : "GRAYSCALE_ALPHA");
}

class PnmWriter final : public RowWriter {
 public:
  PnmWriter(int width, int height, PixelFormat format, const WriteOptions& options, const ByteSink& sink)
      : sink_(sink),
        width_(width),
        format_(format),
        rows_left_(height),
        one_bit_(options.one_bit && can_pack_bits(format)) {
    sink(letters(header_of(width, height, format, one_bit_)));
  }

  void write(ConstView rows) override {
    if (rows.width != width_ || rows.format != format_ || rows.height > rows_left_) {
      throw std::logic_error("PNM: rows of another image");
    }
    rows_left_ -= rows.height;
    if (one_bit_) {
      constexpr unsigned kWhite = 0;
      const Image bits = packed_bits(rows, kWhite);
      sink_({bits.view().data, bits.size_bytes()});
    } else {
      write_blocks(rows);
    }
  }

  void finish() override {
    if (rows_left_ > 0) {
      throw std::logic_error("PNM: rows are missing");
    }
  }

 private:
  void write_blocks(ConstView rows);

  const ByteSink& sink_;
  int width_;
  PixelFormat format_;
  int rows_left_;
  bool one_bit_;
  std::vector<std::byte> block_;
};

void PnmWriter::write_blocks(ConstView rows) {
  constexpr std::size_t kBlock = std::size_t{1} << 20;
  const std::size_t row_bytes = rows.tight_pitch_bytes();
  const std::size_t rows_a_block = std::max<std::size_t>(1, kBlock / row_bytes);
  const auto height = static_cast<std::size_t>(rows.height);
  for (std::size_t y = 0; y < height; y += rows_a_block) {
    const std::size_t count = std::min(rows_a_block, height - y);
    block_.resize(count * row_bytes);
    for (std::size_t i = 0; i < count; ++i) {
      const std::byte* from = rows.row_bytes(static_cast<int>(y + i));
      std::byte* to = block_.data() + i * row_bytes;
      if (format_.sample == Sample::u16) {
        swap_sample_bytes(reinterpret_cast<const std::uint8_t*>(from), reinterpret_cast<std::uint8_t*>(to), row_bytes);
      } else {
        std::memcpy(to, from, row_bytes);
      }
    }
    sink_(block_);
  }
}

}  // namespace

std::unique_ptr<RowWriter> open_pnm_writer(int width, int height, PixelFormat format, const std::string& /*name*/,
                                           const WriteOptions& options, const ByteSink& sink) {
  return std::make_unique<PnmWriter>(width, height, format, options, sink);
}

void encode_pnm(ConstView pixels, const std::string& /*name*/, const WriteOptions& options, const ByteSink& sink) {
  PnmWriter writer(pixels.width, pixels.height, pixels.format, options, sink);
  writer.write(pixels);
  writer.finish();
}

}  // namespace gpuimg::codecs
