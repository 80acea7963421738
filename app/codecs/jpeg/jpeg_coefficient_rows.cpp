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

}  // namespace

JpegCoefficientRows::JpegCoefficientRows(const jpeg_decompress_struct& info, int kept) : kept_(kept) {
  for (const jpeg_component_info& from : components_of(info)) {
    Component& to = components_.emplace_back();
    to.rows_per_mcu = from.v_samp_factor;
    to.blocks_per_row = rounded_up(from.width_in_blocks, from.h_samp_factor);
    const auto rows = static_cast<std::size_t>(kept) * static_cast<std::size_t>(from.v_samp_factor);
    to.nonzero = std::make_unique_for_overwrite<std::uint64_t[]>(rows * to.blocks_per_row);
    to.own = std::make_unique_for_overwrite<Block[]>(rows * to.blocks_per_row);
    for (std::size_t i = 0; i < rows; ++i) {
      to.rows.push_back(&to.own[i * to.blocks_per_row].coefficients);
    }
  }
}

JpegCoefficientRows::JpegCoefficientRows(const jpeg_decompress_struct& info, std::span<std::int16_t> to)
    : kept_(static_cast<int>(info.total_iMCU_rows)) {
  auto* next = reinterpret_cast<JBLOCKROW>(to.data());
  const bool is_gray = info.num_components == 1;  // then an MCU is one block, whatever the sampling
  for (const jpeg_component_info& from : components_of(info)) {
    Component& component = components_.emplace_back();
    component.rows_per_mcu = from.v_samp_factor;
    component.blocks_per_row = is_gray ? from.width_in_blocks : rounded_up(from.width_in_blocks, from.h_samp_factor);
    const auto rows = static_cast<std::size_t>(kept_) * static_cast<std::size_t>(from.v_samp_factor);
    component.nonzero = std::make_unique_for_overwrite<std::uint64_t[]>(rows * component.blocks_per_row);
    for (std::size_t i = 0; i < rows; ++i) {
      const bool exists = !is_gray || i < from.height_in_blocks;
      component.rows.push_back(exists ? next : nullptr);
      next += exists ? component.blocks_per_row : 0;
    }
  }
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
    if (blocks != nullptr) {
      std::memset(blocks, 0, of.blocks_per_row * sizeof(JBLOCK));
    }
  }
}

}  // namespace gpuimg::codecs
