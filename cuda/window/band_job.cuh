// What the kernels of window/sum_bands.cuh share: the job, and how a block keeps rows in shared memory.
#pragma once

#include <cstdint>

#include "gpuimg/ops/window.hpp"
#include "window/bands.hpp"
#include "window/row_sums.cuh"

namespace gpuimg::cuda {

inline constexpr int kBandWarps = 8;
inline constexpr int kBandThreads = 32 * kBandWarps;
inline constexpr int kBandBlockColumns = kBandWarps * kBandColumns;
inline constexpr int kBandTiles = 4;                 ///< of 8 columns, of a warp
inline constexpr int kBandStepRows = 2 * kBandRows;  ///< between two barriers

/// What a block makes.
struct BandBlock {
  int strip;  ///< of kBandBlockColumns columns
  int top;
  int rows;
};

struct BandJob {
  const std::uint8_t* levels = nullptr;
  std::uint8_t* out = nullptr;
  int width = 0;
  int height = 0;
  Border border = Border::reflect101;
  BandLayout layout;
  int strips = 0;       ///< of kBandBlockColumns columns
  int rows = 0;         ///< of a block: a multiple of kBandStepRows
  int edge_strips = 0;  ///< on each side, whose blocks have edge_rows rows, and come first
  int edge_rows = 0;
  std::int64_t half_bytes = 0;     ///< of the result, from a row to that of the second half of kBandRows
  std::uint32_t sum_base = 0;      ///< added to all sums
  bool has_whole = true;           ///< if not, the operation makes all pixels by cut()
  std::uint8_t* copies = nullptr;  ///< what blocks read whose columns are not all inside, or not aligned
  int left_copies = 0;             ///< number of such blocks on the left; all if the rows are not aligned
  int first_right_copy = 0;        ///< the first such block on the right

  [[nodiscard]] GPUIMG_HD std::size_t place(int column, int row) const {
    return static_cast<std::size_t>(row) * width + static_cast<std::size_t>(column);
  }
  [[nodiscard]] GPUIMG_HD int copied_strips() const { return left_copies + strips - first_right_copy; }
  [[nodiscard]] GPUIMG_HD int edge_blocks() const {
    return edge_strips == 0 ? 0 : 2 * edge_strips * ((height - 1) / edge_rows + 1);
  }
  [[nodiscard]] GPUIMG_HD int all_blocks() const {
    return edge_blocks() + (strips - 2 * edge_strips) * ((height - 1) / rows + 1);
  }
  [[nodiscard]] GPUIMG_HD BandBlock block(int number) const {
    const int edges = edge_blocks();
    if (number < edges) {
      const int strip = number % (2 * edge_strips);
      return {strip < edge_strips ? strip : strips - 2 * edge_strips + strip, number / (2 * edge_strips) * edge_rows,
              edge_rows};
    }
    const int inner = strips - 2 * edge_strips;
    return {edge_strips + (number - edges) % inner, (number - edges) / inner * rows, rows};
  }
};

/// What a block keeps of the image in shared memory: boxes of a step's rows, those that entered last, in a ring, and
/// after them the row sums of each warp.
struct BandTile {
  static constexpr int kColumns = kBandBlockColumns + (kBandSteps - 1) * kBandDepth;
  static constexpr int kPitch = kColumns + 16;
  static constexpr int kBoxBytes = kBandStepRows * kPitch;
  static constexpr int kSlots = 4;  ///< for a step each
  static constexpr int kRows = kSlots * kBandStepRows;
  static constexpr int kRowSums = kSlots * kBoxBytes;  ///< where they begin
  static constexpr int kBarriers = kRowSums + kBandWarps * RowSums::kBytes;
  static constexpr int kBytes = kBarriers + kSlots * 16;  ///< two barriers each
  static_assert(kPitch / 16 % 2 == 1, "eight rows share no bank");
  static_assert(kBoxBytes % 128 == 0, "copies of boxes start at multiples of 128 bytes");
  static_assert(kMaxBandWindow / 2 + 2 * kBandStepRows <= kRows);
};

}  // namespace gpuimg::cuda
