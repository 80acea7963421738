// How an image is divided for a PNG: strips of whole rows, in them deflate blocks, in them parts. Depends only on the
// size of the image.
#pragma once

#include <cstdint>

#include "gpuimg/host_device.hpp"
#include "gpuimg/png/match_search.hpp"

namespace gpuimg::png {

/// Strips are about as long as two blocks after filtering: with its deflated form, one fits a core's own cache.
constexpr std::uint32_t kStripBytes = 2 * kBlockBytes;

GPUIMG_HD constexpr std::uint32_t rows_per_strip(std::uint64_t row_bytes, std::uint32_t height) {
  const std::uint64_t rows = kStripBytes / (row_bytes + 1);
  return rows < 1 ? 1 : rows > height ? height : static_cast<std::uint32_t>(rows);
}

/// A part of a block: 32 KB of a strip's filtered bytes. Positions count from the beginning of the strip.
struct PartPlace {
  std::uint32_t strip;
  std::uint32_t block;  ///< of all blocks
  std::uint32_t begin;
  std::uint32_t end;  ///< begin, if the strip is too short to have the part
  std::uint32_t block_begin;
  std::uint32_t block_end;
};

/// Filtered strips lie in memory one after another, each from a multiple of kStripAlignment on.
struct StripLayout {
  static constexpr std::uint32_t kStripAlignment = 128;

  std::uint64_t row_bytes = 0;  ///< without the filter byte
  std::uint32_t height = 1;
  std::uint32_t rows = 1;  ///< of a strip
  std::uint32_t strips = 1;
  std::uint32_t blocks_per_strip = 1;
  std::uint32_t parts_per_strip = 1;

  StripLayout() = default;
  GPUIMG_HD StripLayout(std::uint64_t bytes_per_row, std::uint32_t row_count)
      : row_bytes(bytes_per_row),
        height(row_count),
        rows(rows_per_strip(bytes_per_row, row_count)),
        strips((row_count - 1) / rows + 1),
        blocks_per_strip(static_cast<std::uint32_t>((strip_bytes(0) - 1) / kBlockBytes + 1)) {
    const std::uint32_t last_block = strip_bytes(0) - (blocks_per_strip - 1) * kBlockBytes;
    parts_per_strip = (blocks_per_strip - 1) * kPartsPerBlock + (last_block - 1) / kPartBytes + 1;
  }

  [[nodiscard]] GPUIMG_HD std::uint32_t strip_rows(std::uint32_t strip) const {
    const std::uint32_t left = height - strip * rows;
    return left < rows ? left : rows;
  }
  [[nodiscard]] GPUIMG_HD std::uint32_t strip_bytes(std::uint32_t strip) const {
    return static_cast<std::uint32_t>(strip_rows(strip) * (row_bytes + 1));
  }
  [[nodiscard]] GPUIMG_HD std::uint64_t strip_stride() const {
    return (strip_bytes(0) + std::uint64_t{kStripAlignment} - 1) / kStripAlignment * kStripAlignment;
  }
  [[nodiscard]] GPUIMG_HD std::uint64_t memory_bytes() const { return strips * strip_stride(); }
  [[nodiscard]] GPUIMG_HD std::uint64_t filtered_bytes() const { return height * (row_bytes + 1); }
  [[nodiscard]] GPUIMG_HD std::uint32_t block_count() const { return strips * blocks_per_strip; }
  [[nodiscard]] GPUIMG_HD std::uint32_t part_count() const { return strips * parts_per_strip; }

  /// Where a row's filtered bytes begin in memory.
  [[nodiscard]] GPUIMG_HD std::uint64_t row_begin(std::uint32_t row) const {
    const std::uint32_t strip = row / rows;
    return strip * strip_stride() + (row - strip * rows) * (row_bytes + 1);
  }

  [[nodiscard]] GPUIMG_HD PartPlace part(std::uint32_t number) const {
    const std::uint32_t strip = number / parts_per_strip;
    const std::uint32_t within = number % parts_per_strip;
    const std::uint32_t block = within / kPartsPerBlock;
    const std::uint32_t bytes = strip_bytes(strip);
    PartPlace place{strip, strip * blocks_per_strip + block, 0, 0, 0, 0};
    place.block_begin = smaller(block * kBlockBytes, bytes);
    place.block_end = smaller(place.block_begin + kBlockBytes, bytes);
    place.begin = smaller(place.block_begin + within % kPartsPerBlock * kPartBytes, place.block_end);
    place.end = smaller(place.begin + kPartBytes, place.block_end);
    return place;
  }

  /// The parts of block number `block` of its strip.
  [[nodiscard]] GPUIMG_HD std::uint32_t parts_of_block(std::uint32_t block) const {
    return smaller(parts_per_strip - block * kPartsPerBlock, kPartsPerBlock);
  }

 private:
  GPUIMG_HD static std::uint32_t smaller(std::uint32_t a, std::uint32_t b) { return a < b ? a : b; }
};

/// The largest size of all chunks: a block is stored if it does not become smaller, and each strip has a chunk with an
/// empty block at its end.
inline std::uint64_t most_chunk_bytes(const StripLayout& layout) {
  constexpr std::uint64_t kPerBlock = 5 * 6;
  constexpr std::uint64_t kPerStrip = 32;
  return layout.filtered_bytes() + layout.block_count() * kPerBlock + layout.strips * kPerStrip;
}

}  // namespace gpuimg::png
