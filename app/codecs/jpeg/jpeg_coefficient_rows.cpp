// Sizes are those of libjpeg's arrays: whole MCUs, beyond the edges of the image too.
#include "codecs/jpeg/jpeg_coefficient_rows.hpp"

#include <cstring>
#include <span>

namespace gpuimg::codecs {

JpegCoefficientRows::JpegCoefficientRows(const jpeg_decompress_struct& info, int kept) : kept_(kept) {
  for (const jpeg_component_info& from : std::span(info.comp_info, static_cast<std::size_t>(info.num_components))) {
    Component& to = components_.emplace_back();
    const auto across = static_cast<std::size_t>(from.h_samp_factor);
    to.rows_per_mcu = from.v_samp_factor;
    to.blocks_per_row = (from.width_in_blocks + across - 1) / across * across;
    const auto rows = static_cast<std::size_t>(kept) * static_cast<std::size_t>(from.v_samp_factor);
    to.blocks = std::make_unique_for_overwrite<Block[]>(rows * to.blocks_per_row);
    for (std::size_t i = 0; i < rows; ++i) {
      to.rows.push_back(&to.blocks[i * to.blocks_per_row].coefficients);
    }
  }
}

void JpegCoefficientRows::clear(int component, int mcu_row) {
  const Component& of = components_[static_cast<std::size_t>(component)];
  const std::size_t blocks = of.blocks_per_row * static_cast<std::size_t>(of.rows_per_mcu);
  std::memset(*row(component, mcu_row), 0, blocks * sizeof(Block));
}

}  // namespace gpuimg::codecs
