// Geometry of a JPEG: its blocks, planes and restart segments (ITU-T T.81, A.1 and A.2), and the order of a block's
// coefficients. Plain data: kernels take it by value.
#pragma once

#include <cstddef>
#include <cstdint>

#include "gpuimg/encoded_image.hpp"
#include "host_device.hpp"

namespace gpuimg::jpeg {

constexpr int kBlockSide = 8;
constexpr int kBlockSize = 64;
constexpr int kMaxComponents = 3;
constexpr std::int32_t kLevelShift = 128;  ///< subtracted before the forward DCT, added after the inverse DCT

struct Layout {
  int width = 0;
  int height = 0;
  int component_count = 1;
  int horizontal_sampling = 1;  ///< of luma; only 1 or 2, so that kernels need no divisions; chroma has 1
  int vertical_sampling = 1;
  std::uint32_t mcu_columns = 0;
  std::uint32_t mcu_rows = 0;
  std::uint32_t blocks_per_mcu = 1;
  std::uint32_t segment_blocks = 0;  ///< between restart markers; the last segment may have fewer
  std::uint32_t segment_count = 1;

  [[nodiscard]] GPUIMG_HD std::uint32_t block_count() const { return mcu_columns * mcu_rows * blocks_per_mcu; }

  /// Number of columns and rows of blocks in one component, including blocks beyond the edges of the image.
  [[nodiscard]] GPUIMG_HD std::uint32_t block_columns(int component) const {
    return component == 0 ? mcu_columns * static_cast<std::uint32_t>(horizontal_sampling) : mcu_columns;
  }
  [[nodiscard]] GPUIMG_HD std::uint32_t block_rows(int component) const {
    return component == 0 ? mcu_rows * static_cast<std::uint32_t>(vertical_sampling) : mcu_rows;
  }

  /// The size of one component in samples, not counting samples that only fill up blocks.
  [[nodiscard]] GPUIMG_HD int plane_width(int component) const {
    return component == 0 ? width : (width + horizontal_sampling - 1) >> (horizontal_sampling - 1);
  }
  [[nodiscard]] GPUIMG_HD int plane_height(int component) const {
    return component == 0 ? height : (height + vertical_sampling - 1) >> (vertical_sampling - 1);
  }

  /// Length of a row of a decoded plane, in samples. Planes consist of whole blocks.
  [[nodiscard]] GPUIMG_HD std::uint32_t plane_pitch(int component) const {
    return block_columns(component) * static_cast<std::uint32_t>(kBlockSide);
  }

  /// The index, in coded order, of a component's block.
  [[nodiscard]] GPUIMG_HD std::uint32_t block_number(int component, std::uint32_t column, std::uint32_t row) const {
    const auto across = static_cast<std::uint32_t>(component == 0 ? horizontal_sampling : 1);
    const auto down = static_cast<std::uint32_t>(component == 0 ? vertical_sampling : 1);
    const std::uint32_t mcu = (row >> (down - 1)) * mcu_columns + (column >> (across - 1));
    const std::uint32_t chroma = blocks_per_mcu - static_cast<std::uint32_t>(kMaxComponents - component);
    const std::uint32_t within = component == 0 ? (row & (down - 1)) * across + (column & (across - 1)) : chroma;
    return mcu * blocks_per_mcu + within;
  }

  [[nodiscard]] GPUIMG_HD std::uint32_t luma_blocks_per_mcu() const {
    return blocks_per_mcu - static_cast<std::uint32_t>(component_count - 1);
  }

  /// The block whose DC value predicts the DC of block `number`: the previous block of the same component in coded
  /// order. The first block of a component returns its own number.
  [[nodiscard]] GPUIMG_HD std::uint32_t predicting_block(std::uint32_t number) const {
    const std::uint32_t within = number % blocks_per_mcu;
    if (within > 0 && within < luma_blocks_per_mcu()) {
      return number - 1;
    }
    // Between the first luma block of an MCU and the last luma block of the previous MCU, there is only chroma.
    const auto distance = within == 0 ? static_cast<std::uint32_t>(component_count) : blocks_per_mcu;
    return number < blocks_per_mcu ? number : number - distance;
  }

  /// True for a luma block outside the image that only completes its MCU. It is coded without AC coefficients, and with
  /// the DC of the previous block, which belongs to the same MCU.
  [[nodiscard]] GPUIMG_HD bool is_filler(std::uint32_t mcu_column, std::uint32_t mcu_row, std::uint32_t within) const {
    const auto across = static_cast<std::uint32_t>(horizontal_sampling);
    const auto down = static_cast<std::uint32_t>(vertical_sampling);
    const std::uint32_t column = mcu_column * across + within % across;
    const std::uint32_t row = mcu_row * down + within / across;
    return within < luma_blocks_per_mcu() && (column * kBlockSide >= static_cast<std::uint32_t>(width) ||
                                              row * kBlockSide >= static_cast<std::uint32_t>(height));
  }

  /// The first block of a restart segment, and its number of blocks.
  [[nodiscard]] GPUIMG_HD std::uint32_t first_block(std::uint32_t segment) const { return segment * segment_blocks; }
  [[nodiscard]] GPUIMG_HD std::uint32_t blocks_of(std::uint32_t segment) const {
    const std::uint32_t rest = block_count() - first_block(segment);
    return rest < segment_blocks ? rest : segment_blocks;
  }
};

/// `Jpeg` is EncodedJpeg or JpegScanFormat.
template <class Jpeg>
Layout layout_without_restarts(int width, int height, const Jpeg& jpeg) {
  Layout layout;
  layout.width = width;
  layout.height = height;
  layout.component_count = jpeg.component_count;
  layout.horizontal_sampling = jpeg.horizontal_sampling;
  layout.vertical_sampling = jpeg.vertical_sampling;
  const auto mcus = [](int pixels, int sampling) {
    const int side = kBlockSide * sampling;
    return static_cast<std::uint32_t>((pixels + side - 1) / side);
  };
  layout.mcu_columns = mcus(width, jpeg.horizontal_sampling);
  layout.mcu_rows = mcus(height, jpeg.vertical_sampling);
  const int luma_blocks = jpeg.horizontal_sampling * jpeg.vertical_sampling;
  layout.blocks_per_mcu = static_cast<std::uint32_t>(luma_blocks + jpeg.component_count - 1);
  layout.segment_blocks = layout.block_count();
  return layout;
}

inline Layout layout_of(const EncodedJpeg& jpeg) {
  Layout layout = layout_without_restarts(jpeg.width, jpeg.height, jpeg);
  const std::uint32_t mcu_count = layout.mcu_columns * layout.mcu_rows;
  const auto interval = static_cast<std::uint32_t>(jpeg.restart_interval);
  const std::uint32_t segment_mcus = interval == 0 || interval > mcu_count ? mcu_count : interval;
  layout.segment_blocks = segment_mcus * layout.blocks_per_mcu;
  layout.segment_count = (mcu_count + segment_mcus - 1) / segment_mcus;
  return layout;
}

// --- Coefficients between entropy decoding and the inverse DCT -------------------------------------------------------
//
// A block has 64 coefficients of 16 bits, stored column by column, so that a thread that transforms a column reads 16
// contiguous bytes.

/// place[i] is where coefficient i in zigzag order is stored.
struct TransposedZigzag {
  std::uint8_t place[kBlockSize] = {};
};

/// T.81, figure A.6: the order runs along the antidiagonals, alternately up and down.
constexpr TransposedZigzag make_transposed_zigzag() {
  TransposedZigzag zigzag;
  int next = 0;
  for (int diagonal = 0; diagonal < 2 * kBlockSide - 1; ++diagonal) {
    for (int i = 0; i <= diagonal; ++i) {
      const int row = diagonal % 2 == 0 ? diagonal - i : i;
      const int column = diagonal - row;
      if (row < kBlockSide && column < kBlockSide) {
        zigzag.place[next++] = static_cast<std::uint8_t>(column * kBlockSide + row);
      }
    }
  }
  return zigzag;
}

inline constexpr TransposedZigzag kTransposedZigzag = make_transposed_zigzag();

/// Quantization steps in the order of the stored coefficients.
struct TransposedSteps {
  std::uint16_t step[kBlockSize] = {};
};

inline TransposedSteps transposed_steps(const EncodedJpegComponent& component) {
  TransposedSteps steps;
  for (std::size_t i = 0; i < kBlockSize; ++i) {
    steps.step[i % kBlockSide * kBlockSide + i / kBlockSide] = component.steps[i];
  }
  return steps;
}

}  // namespace gpuimg::jpeg
