// The operations of the CPU backend (one source file each), and its Pictures. Operations run in the current task arena,
// expect arguments that the backend has checked, and allocate their results from the pool.
#pragma once

#include <memory>
#include <utility>

#include "gpuimg/backend.hpp"
#include "pixel_memory.hpp"

namespace gpuimg::cpu {

Histogram histogram(ConstView pixels, const HistogramOptions& options);
LevelCounts table_counts(ConstView pixels, const EqualizeOptions& options);
Image equalize(ConstView pixels, const EqualizeOptions& options, LevelTables* used, PixelPool& pool);
void equalize_in_place(View pixels, const EqualizeOptions& options, LevelTables* used);
WolfScale wolf_scale(ConstView pixels, const ThresholdOptions& options, int first_row, int end_row, PixelPool& pool);

/// One overload per PictureOperation.
#define GPUIMG_DECLARE(Options) Image apply(ConstView pixels, const Options& options, PixelPool& pool);
GPUIMG_PICTURE_OPERATIONS(GPUIMG_DECLARE)
#undef GPUIMG_DECLARE

/// A Picture of this backend: an Image in host memory.
class CpuPixels final : public Picture::Storage {
 public:
  explicit CpuPixels(Image image) : image_(std::move(image)) {}
  [[nodiscard]] Image& image() { return image_; }

 private:
  Image image_;
};

inline Picture picture_of(Image image) {
  const int width = image.width();
  const int height = image.height();
  const PixelFormat format = image.format();
  return {width, height, format, std::make_unique<CpuPixels>(std::move(image))};
}

/// The Picture must come from the CPU backend.
inline Image& image_of(const Picture& picture) { return static_cast<CpuPixels&>(picture.storage()).image(); }

inline ConstView pixels_of(const Picture& picture) { return std::as_const(image_of(picture)).view(); }

}  // namespace gpuimg::cpu
