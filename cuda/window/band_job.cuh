// What the kernels of window/sum_bands.cuh share: the job, and how a block keeps rows in shared memory.
#pragma once

#include <cstdint>

#include "gpuimg/ops/window.hpp"
#include "gpuimg/ops/window_bands.hpp"
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
  std::uint32_t sum_base = 0;         ///< added to all sums
  std::uint8_t* copies = nullptr;     ///< what blocks read whose columns are not all inside, or not aligned
  int left_copies = 0;                ///< number of such blocks on the left; all if the rows are not aligned
  int first_right_copy = 0;           ///< the first such block on the right
  std::uint32_t* prefixes = nullptr;  ///< of larger windows: sums of a row's first blocks of kBandDepth levels
  int blocks = 0;                     ///< of a row, from layout.margin columns before the image

  [[nodiscard]] GPUIMG_HD std::size_t place(int column, int row) const {
    return static_cast<std::size_t>(row) * width + static_cast<std::size_t>(column);
  }
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

/// What a block keeps of the image in shared memory. Of small windows: the last rows, each in the place of its number
/// modulo kRows, and after them the row sums of each warp. Of larger ones: for two steps, the rows that enter and those
/// that leave.
template <int kSteps>
struct BandTile {
  static constexpr bool kHasMiddle = kSteps > kFewBandSteps;
  static constexpr int kParts = kHasMiddle ? 2 : 1;  ///< of a row
  static constexpr int kPartColumns = kBandBlockColumns + (kHasMiddle ? 1 : kSteps - 1) * kBandDepth;
  static constexpr int kColumns = kParts * kPartColumns;
  static constexpr int kPitch = kColumns / 16 % 2 == 0 ? kColumns + 16 : kColumns;  ///< eight rows share no bank
  static constexpr int kRows = kHasMiddle ? 4 * kBandStepRows : 128;
  static constexpr int kBytes = kRows * kPitch + (kHasMiddle ? 0 : kBandWarps * RowSums::kBytes);
  static constexpr int kFilledRows = kHasMiddle ? 2 * kBandStepRows : kBandStepRows;  ///< in a step
  static_assert(kHasMiddle || kMaxFewStepWindow / 2 + 2 * kBandStepRows <= kRows);

  /// Where a warp's product reads, from its first column.
  static __device__ constexpr int at(int step) {
    return step >= 2 && kHasMiddle ? kPartColumns + (step - 2) * kBandDepth : step * kBandDepth;
  }
};

}  // namespace gpuimg::cuda
