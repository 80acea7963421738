// One channel of one row as levels: the step that histograms, equalization and summed-area tables share.
#pragma once

#include <cstdint>
#include <vector>

#include "gpuimg/image.hpp"
#include "gpuimg/ops/hist.hpp"
#include "gpuimg/ops/luma.hpp"
#include "gpuimg/selection.hpp"

namespace gpuimg::cpu {

/// Writes the levels of pixels first … first + count of row y: 0 … V, or bins 0 … hsl_bins − 1 for H, S and L.
void read_levels(ConstView pixels, int y, int first, int count, Channel channel, Luma luma, int hsl_bins,
                 std::uint16_t* levels);

/// The pixels that a Selection counts, row by row.
class CountedPixels {
 public:
  /// Borrows both for its life.
  CountedPixels(ConstView pixels, const Selection& selection);

  [[nodiscard]] const Rect& region() const { return region_; }

  /// True if every pixel of the region is counted, so that flags() need not be asked.
  [[nodiscard]] bool all() const { return !check_alpha_ && mask_ == nullptr; }

  /// Writes 1 for each counted pixel of row y of the region, else 0.
  void flags(int y, std::uint8_t* out) const;

 private:
  ConstView pixels_;
  Rect region_;
  const Picture* mask_;
  bool check_alpha_;
};

}  // namespace gpuimg::cpu
