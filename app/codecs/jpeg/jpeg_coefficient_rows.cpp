// Sizes are those of libjpeg's arrays: whole MCUs, beyond the edges of the image too.
#include "codecs/jpeg/jpeg_coefficient_rows.hpp"

#include <algorithm>
#include <cstring>

namespace gpuimg::codecs {

namespace {

std::span<const jpeg_component_info> components_of(const jpeg_decompress_struct& info) {
  return {info.comp_info, static_cast<std::size_t>(info.num_components)};
}

std::size_t rounded_up(JDIMENSION count, int factor) {
  const auto step = static_cast<std::size_t>(factor);
  return (count + step - 1) / step * step;
}

bool is_gray(const jpeg_decompress_struct& info) { return info.num_components == 1; }

/// Of a gray image an MCU is one block, whatever its sampling.
std::size_t blocks_per_row_of(const jpeg_decompress_struct& info, const jpeg_component_info& of) {
  return is_gray(info) ? of.width_in_blocks : rounded_up(of.width_in_blocks, of.h_samp_factor);
}

std::size_t blocks_in(const jpeg_decompress_struct& info, const jpeg_component_info& of, int mcu_rows) {
  return static_cast<std::size_t>(mcu_rows) * static_cast<std::size_t>(of.v_samp_factor) * blocks_per_row_of(info, of);
}

}  // namespace

JpegCoefficientRows::JpegCoefficientRows(const jpeg_decompress_struct& info, int kept) : kept_(kept) {
  for (const jpeg_component_info& of : components_of(info)) {
    auto own = std::make_unique_for_overwrite<Block[]>(blocks_in(info, of, kept));
    add_component(info, of, &own[0].coefficients);
    components_.back().own = std::move(own);
  }
}

JpegCoefficientRows::JpegCoefficientRows(const jpeg_decompress_struct& info, int kept, std::span<std::int16_t> memory)
    : kept_(kept) {
  auto* next = reinterpret_cast<JBLOCKROW>(memory.data());
  for (const jpeg_component_info& of : components_of(info)) {
    add_component(info, of, next);
    next += blocks_in(info, of, kept);
  }
}

void JpegCoefficientRows::add_component(const jpeg_decompress_struct& info, const jpeg_component_info& from,
                                        JBLOCKROW blocks) {
  Component& to = components_.emplace_back();
  to.rows_per_mcu = from.v_samp_factor;
  to.blocks_per_row = blocks_per_row_of(info, from);
  to.image_rows =
      is_gray(info) ? from.height_in_blocks : info.total_iMCU_rows * static_cast<std::size_t>(from.v_samp_factor);
  const auto rows = static_cast<std::size_t>(kept_) * static_cast<std::size_t>(from.v_samp_factor);
  to.nonzero = std::make_unique_for_overwrite<std::uint64_t[]>(rows * to.blocks_per_row);
  for (std::size_t i = 0; i < rows; ++i) {
    to.rows.push_back(blocks + i * to.blocks_per_row);
  }
}

std::size_t JpegCoefficientRows::block_count(const jpeg_decompress_struct& info, int mcu_rows) {
  std::size_t count = 0;
  for (const jpeg_component_info& of : components_of(info)) {
    count += blocks_in(info, of, mcu_rows);
  }
  return count;
}

std::vector<JpegBlocks> JpegCoefficientRows::blocks_of(int begin, int end) const {
  std::vector<JpegBlocks> blocks;
  std::size_t before = 0;  // of the components before
  for (const Component& of : components_) {
    const auto rows_per_mcu = static_cast<std::size_t>(of.rows_per_mcu);
    const std::size_t first_row = static_cast<std::size_t>(begin) * rows_per_mcu;
    const std::size_t end_row = std::min(static_cast<std::size_t>(end) * rows_per_mcu, of.image_rows);
    const JBLOCK* const from = of.rows[first_row % of.rows.size()];
    blocks.push_back({static_cast<std::uint32_t>(before + first_row * of.blocks_per_row),
                      {&(*from)[0], (end_row - first_row) * of.blocks_per_row * DCTSIZE2}});
    before += of.image_rows * of.blocks_per_row;
  }
  return blocks;
}

void JpegCoefficientRows::copy(const JpegCoefficientRows& from, int mcu_row) {
  for (std::size_t i = 0; i < components_.size() && &from != this; ++i) {
    const Component& to = components_[i];
    const auto first_row = [&](const JpegCoefficientRows& rows) {
      return rows.components_[i].rows[static_cast<std::size_t>(mcu_row % rows.kept_ * to.rows_per_mcu)];
    };
    std::memcpy(first_row(*this), first_row(from),
                static_cast<std::size_t>(to.rows_per_mcu) * to.blocks_per_row * sizeof(JBLOCK));
  }
}

void JpegCoefficientRows::clear(int component, int mcu_row) {
  std::ranges::fill(nonzero(component, mcu_row), 0);
  const Component& of = components_[static_cast<std::size_t>(component)];
  for (const JBLOCKROW blocks : std::span(row(component, mcu_row), static_cast<std::size_t>(of.rows_per_mcu))) {
    std::memset(blocks, 0, of.blocks_per_row * sizeof(JBLOCK));
  }
}

}  // namespace gpuimg::codecs
