// Cuts rows into strips, packs these on several threads, and writes them in order.
#pragma once

#include <tbb/enumerable_thread_specific.h>
#include <tbb/task_arena.h>

#include <cstddef>
#include <memory>
#include <vector>

#include "codecs/png/png_output.hpp"
#include "codecs/png/png_strips.hpp"
#include "gpuimg/image.hpp"

namespace gpuimg::codecs {

/// Rows are of bytes, as PNG filters them. What is written does not depend on how they are cut into calls. Rows are
/// packed where they are, if a call brings enough of them or all that are left; others are copied, until they keep all
/// threads busy.
class PngStripWriter {
 public:
  /// Of `format`, only the bytes of a sample and a pixel count. `threads` and `png_level` are those of WriteOptions.
  PngStripWriter(int width, int height, PixelFormat format, int threads, int png_level, PngOutput& file);

  /// The next rows, at most rows_left(). Throws std::bad_alloc, and what the sink throws.
  void write(ConstView rows);

  [[nodiscard]] int rows_left() const { return rows_left_; }

 private:
  [[nodiscard]] int rows_in_whole_strips(int rows) const;
  [[nodiscard]] bool is_batch(int rows) const;
  int hold(ConstView rows);
  std::byte* held_row(int y);
  void pack(ConstView rows);
  StripRows strip_rows(ConstView rows, int i);

  int width_;
  PixelFormat format_;
  StripPlan plan_;
  PngOutput& file_;
  int workers_;
  std::vector<PackedStrip> strips_;  ///< in flight, used in turn
  tbb::task_arena arena_;
  tbb::enumerable_thread_specific<StripPacker> packers_;

  int next_strip_ = 0;
  int rows_left_;   ///< not in write() yet
  int batch_rows_;  ///< of whole strips, unless the image ends
  /// The row above and batch_rows_ rows, without padding. Null until a row must be kept.
  std::unique_ptr<std::byte[]> held_;
  int held_rows_ = 0;
};

}  // namespace gpuimg::codecs
