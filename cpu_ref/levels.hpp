// Extracts one channel of a row as levels, the step that histograms, equalization and summed-area tables share.
#pragma once

#include <cstdint>
#include <vector>

#include "gpuimg/image.hpp"
#include "gpuimg/ops/hist.hpp"
#include "gpuimg/ops/luma.hpp"
#include "gpuimg/selection.hpp"
#include "pixel_memory.hpp"

namespace gpuimg::cpu {

/// Returns the levels, 0 … V, of `count` pixels of row y, starting at pixel `first`. Fills `buffer` if it has to, else
/// returns a pointer into the row. T is the picture's sample type. `channel` is luma, red, green, blue or alpha.
template <class T>
const T* read_levels(ConstView pixels, int y, int first, int count, Channel channel, Luma luma, T* buffer);

extern template const std::uint8_t* read_levels(ConstView, int, int, int, Channel, Luma, std::uint8_t*);
extern template const std::uint16_t* read_levels(ConstView, int, int, int, Channel, Luma, std::uint16_t*);

/// One channel of a picture as an image: the picture itself if it has no other.
class LevelPlane {
 public:
  LevelPlane(ConstView pixels, Channel channel, Luma luma, PixelPool& pool);
  [[nodiscard]] ConstView levels() const { return levels_; }

 private:
  Image own_;
  ConstView levels_;
};

/// Writes the bins, 0 … bins − 1, of hue, saturation or lightness of the same pixels.
void read_hsl_bins(ConstView pixels, int y, int first, int count, Channel channel, int bins, std::uint16_t* buffer);

/// The pixels that a Selection selects, row by row.
class CountedPixels {
 public:
  /// Borrows both arguments for its lifetime.
  CountedPixels(ConstView pixels, const Selection& selection);

  [[nodiscard]] const Rect& region() const { return region_; }

  /// True if every pixel of the region counts, so flags() need not be called.
  [[nodiscard]] bool all() const { return !check_alpha_ && mask_ == nullptr; }

  /// Writes 1 for each selected pixel of row y of the region, else 0. Returns whether all of them are selected.
  bool flags(int y, std::uint8_t* out) const;

 private:
  ConstView pixels_;
  Rect region_;
  const Picture* mask_;
  bool check_alpha_;
};

}  // namespace gpuimg::cpu
