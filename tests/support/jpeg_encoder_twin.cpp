// Runs the steps of the device's encoder one after another.
#include "support/jpeg_encoder_twin.hpp"

#include <algorithm>
#include <array>
#include <memory>

#include "codecs/image_writer.hpp"
#include "jpeg/encode.hpp"
#include "jpeg/pixels.hpp"
#include "jpeg/scan_bytes.hpp"
#include "support/encoded_bytes.hpp"

namespace gpuimg::test {

using namespace jpeg;

namespace {

class EncoderTwin {
 public:
  EncoderTwin(ConstView pixels, const JpegScanFormat& format, const EncoderTwinChoices& choices)
      : pixels_(pixels), choices_(choices), layout_(layout_without_restarts(pixels.width, pixels.height, format)) {
    for (int i = 0; i < format.component_count; ++i) {
      quantizers_.at(static_cast<std::size_t>(i)) = quantizers_of(format.components.at(static_cast<std::size_t>(i)));
    }
    is_taken_ = build_code_tables(format, *tables_);
  }

  std::optional<std::vector<std::byte>> run() {
    if (!is_taken_) {
      return std::nullopt;
    }
    transform_pixels();
    add_up_tiles();
    write_codes();
    return stuff_bytes();
  }

 private:
  [[nodiscard]] std::uint32_t component_of(std::uint32_t block) const {
    const std::uint32_t within = block % layout_.blocks_per_mcu;
    const std::uint32_t luma = layout_.luma_blocks_per_mcu();
    return within < luma ? 0 : within - luma + 1;
  }
  [[nodiscard]] const CodeTable& table_of(std::uint32_t block) const {
    return tables_->of[component_of(block) == 0 ? 0 : 1];
  }

  /// The pixel at (x, y). Outside the image, the pixel that replaces it.
  [[nodiscard]] const std::uint8_t* pixel(int x, int y) const {
    return pixels_.row<std::uint8_t>(clamp_index(y, pixels_.height)) +
           static_cast<std::ptrdiff_t>(clamp_index(x, pixels_.width)) * pixels_.format.channels;
  }
  [[nodiscard]] std::int32_t luma_at(int x, int y) const {
    const std::uint8_t* p = pixel(x, y);
    return layout_.component_count == 1 ? p[0] : luma_of_rgb(p[0], p[1], p[2]);
  }
  [[nodiscard]] Chroma chroma_at(int x, int y) const {
    switch (10 * layout_.horizontal_sampling + layout_.vertical_sampling) {
      case 11: return mean_chroma<1, 1>(x, y);
      case 12: return mean_chroma<1, 2>(x, y);
      case 21: return mean_chroma<2, 1>(x, y);
      default: return mean_chroma<2, 2>(x, y);
    }
  }
  template <int kHorizontal, int kVertical>
  [[nodiscard]] Chroma mean_chroma(int x, int y) const {
    Chroma sum;
    const int row = chroma_row(y, layout_.plane_height(1));
    for (int down = 0; down < kVertical; ++down) {
      for (int across = 0; across < kHorizontal; ++across) {
        const std::uint8_t* p = pixel(kHorizontal * x + across, kVertical * row + down);
        sum += chroma_of_rgb(p[0], p[1], p[2]);
      }
    }
    return {mean_sample<kHorizontal, kVertical>(sum.cb, x), mean_sample<kHorizontal, kVertical>(sum.cr, x)};
  }

  void transform_pixels();
  void transform_block(std::uint32_t block, int column, int row);
  void add_up_tiles();
  void write_codes();
  [[nodiscard]] std::vector<std::byte> stuff_bytes() const;
  [[nodiscard]] std::int32_t dc_difference(std::uint32_t block) const {
    const std::uint32_t before = layout_.predicting_block(block);
    return dc_[block] - (before == block ? 0 : dc_[before]);
  }

  ConstView pixels_;
  const EncoderTwinChoices& choices_;
  Layout layout_;
  std::array<Quantizers, kMaxComponents> quantizers_;
  std::unique_ptr<CodeTables> tables_ = std::make_unique<CodeTables>();
  bool is_taken_ = false;
  std::vector<std::int16_t> coefficients_;
  std::vector<std::uint64_t> nonzero_;
  std::vector<std::int16_t> dc_;
  std::vector<std::uint16_t> ac_bits_;
  std::vector<std::uint64_t> first_bit_;  ///< of each tile; the last entry is the end of the data
  std::vector<std::uint32_t> words_;      ///< the highest bit comes first
};

void EncoderTwin::transform_pixels() {
  const std::uint32_t blocks = layout_.block_count();
  coefficients_.assign(std::size_t{blocks} * kBlockSize, 0);
  nonzero_.assign(blocks, 0);
  dc_.assign(blocks, 0);
  ac_bits_.assign(blocks, 0);
  for (std::uint32_t block = 0; block < blocks; ++block) {
    const std::uint32_t mcu = block / layout_.blocks_per_mcu;
    const std::uint32_t within = block % layout_.blocks_per_mcu;
    const std::uint32_t column = mcu % layout_.mcu_columns;
    const std::uint32_t row = mcu / layout_.mcu_columns;
    if (layout_.is_filler(column, row, within)) {
      dc_[block] = dc_[block - 1];
    } else if (within < layout_.luma_blocks_per_mcu()) {
      const auto across = static_cast<std::uint32_t>(layout_.horizontal_sampling);
      const auto down = static_cast<std::uint32_t>(layout_.vertical_sampling);
      transform_block(block, static_cast<int>(column * across + within % across),
                      static_cast<int>(row * down + within / across));
    } else {
      transform_block(block, static_cast<int>(column), static_cast<int>(row));
    }
    for (std::uint32_t part = 0; part < kBlockSide; ++part) {
      ac_bits_[block] =
          static_cast<std::uint16_t>(ac_bits_[block] + ac_bits(&coefficients_[std::size_t{block} * kBlockSize],
                                                               nonzero_[block], part, table_of(block)));
    }
  }
}

void EncoderTwin::transform_block(std::uint32_t block, int column, int row) {
  const std::uint32_t component = component_of(block);
  std::int32_t work[kBlockSide][kBlockSide];
  for (int y = 0; y < kBlockSide; ++y) {
    for (int x = 0; x < kBlockSide; ++x) {
      const int at_x = kBlockSide * column + x;
      const int at_y = kBlockSide * row + y;
      const std::int32_t sample = component == 0   ? luma_at(at_x, at_y)
                                  : component == 1 ? chroma_at(at_x, at_y).cb
                                                   : chroma_at(at_x, at_y).cr;
      work[y][x] = sample - kLevelShift;
    }
    forward_dct_1d<DctPass::rows>(work[y]);
  }
  for (int x = 0; x < kBlockSide; ++x) {
    std::int32_t values[kBlockSide];
    for (int y = 0; y < kBlockSide; ++y) {
      values[y] = work[y][x];
    }
    forward_dct_1d<DctPass::columns>(values);
    for (int y = 0; y < kBlockSide; ++y) {
      const Quantizer quantizer = quantizers_.at(component).of[kBlockSide * y + x];
      const auto value = static_cast<std::int16_t>(quantizer.quantize(values[y]));
      coefficients_[std::size_t{block} * kBlockSize + quantizer.place] = value;
      if (quantizer.place == 0) {
        dc_[block] = value;
      } else if (value != 0) {
        nonzero_[block] |= std::uint64_t{1} << quantizer.place;
      }
    }
  }
}

void EncoderTwin::add_up_tiles() {
  std::uint64_t bits = 0;
  for (std::uint32_t block = 0; block < layout_.block_count(); ++block) {
    if (block % choices_.tile_blocks == 0) {
      first_bit_.push_back(bits);
    }
    bits += ac_bits_[block] + dc_bits(dc_difference(block), table_of(block));
  }
  first_bit_.push_back(bits);
}

/// Writes tiles from last to first: neighbors share words, but the order of tiles must not matter.
void EncoderTwin::write_codes() {
  words_.assign(first_bit_.back() / 32 + 1, 0);
  for (std::size_t tile = first_bit_.size() - 1; tile-- > 0;) {
    auto bit = static_cast<std::uint32_t>(first_bit_[tile] % 32);
    const std::uint64_t first_word = first_bit_[tile] / 32;
    const auto add_word = [&](std::uint32_t index, std::uint32_t word) { words_.at(first_word + index) |= word; };
    const auto first = static_cast<std::uint32_t>(tile) * choices_.tile_blocks;
    const std::uint32_t end = std::min(first + choices_.tile_blocks, layout_.block_count());
    for (std::uint32_t block = first; block < end; ++block) {
      BitPacker packer(bit, add_word);
      const auto put = [&](std::uint32_t bits, std::uint32_t count) {
        packer.put(bits, count);
        bit += count;
      };
      code_block(&coefficients_[std::size_t{block} * kBlockSize], nonzero_[block], dc_difference(block),
                 table_of(block), put);
      if (block + 1 == layout_.block_count()) {
        fill_last_byte(packer, first_bit_.back());
      }
      packer.finish();
    }
  }
}

std::vector<std::byte> EncoderTwin::stuff_bytes() const {
  const std::uint64_t count = (first_bit_.back() + 7) / 8;
  std::vector<std::byte> scan;
  for (std::uint64_t first = 0; first < count; first += choices_.piece_bytes) {
    const std::uint64_t end = std::min<std::uint64_t>(first + choices_.piece_bytes, count);
    std::uint32_t marks = 0;
    const std::size_t before = scan.size();
    for (std::uint64_t at = first; at < end; at += kScanChunkBytes) {
      std::uint32_t words[4] = {};
      for (std::uint64_t i = 0; i < 4 && at / 4 + i < words_.size(); ++i) {
        words[i] = byte_swapped(words_[at / 4 + i]);
      }
      const auto valid = static_cast<std::uint32_t>(std::min<std::uint64_t>(end - at, kScanChunkBytes));
      const std::uint32_t mask = mark_bytes(words, valid);
      marks += bit_count(mask);
      for (std::uint32_t i = 0; i < valid; ++i) {
        scan.push_back(static_cast<std::byte>(words[i / 4] >> (8 * (i % 4))));
        if ((mask >> i & 1U) != 0) {
          scan.push_back(std::byte{0});
        }
      }
    }
    if (scan.size() - before != end - first + marks) {
      return {};
    }
  }
  return scan;
}

}  // namespace

std::optional<std::vector<std::byte>> encode_with_twin(ConstView pixels, const JpegScanFormat& format,
                                                       const EncoderTwinChoices& choices) {
  return can_encode(pixels.format, format) ? EncoderTwin(pixels, format, choices).run() : std::nullopt;
}

std::string difference_of_jpeg_encoder_twin(ConstView pixels, const codecs::WriteOptions& options,
                                            const EncoderTwinChoices& choices, int* taken) {
  const std::optional<Encoding> encoding =
      codecs::backend_encoding(pixels.width, pixels.height, pixels.format, codecs::FileFormat::jpeg, options);
  const auto scan = encoding ? encode_with_twin(pixels, std::get<JpegScanFormat>(*encoding), choices) : std::nullopt;
  if (!scan) {
    return "";
  }
  if (taken != nullptr) {
    ++*taken;
  }
  return difference_of_encoded(*scan, pixels, codecs::FileFormat::jpeg, options);
}

}  // namespace gpuimg::test
