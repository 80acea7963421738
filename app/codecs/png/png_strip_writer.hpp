// Cuts rows into strips, packs these on several threads, and writes them in order.
#pragma once

#include <tbb/enumerable_thread_specific.h>

#include <cstddef>
#include <memory>
#include <vector>

#include "codecs/png/ordered_tasks.hpp"
#include "codecs/png/png_output.hpp"
#include "codecs/png/png_strips.hpp"
#include "gpuimg/image.hpp"

namespace gpuimg::codecs {

/// Rows are of bytes, as PNG filters them. What is written does not depend on how they are cut into calls. Rows are
/// packed where they are, if a call brings enough of them or all that are left; others are copied, and packed while the
/// caller makes the next.
class PngStripWriter {
 public:
  /// Of `format`, only the bytes of a sample and a pixel count. `threads` and `png_level` are those of WriteOptions.
  PngStripWriter(int width, int height, PixelFormat format, int threads, int png_level, PngOutput& file);

  /// The next rows, at most rows_left(). With the last ones, all is passed to the file. Throws std::bad_alloc, and what
  /// the sink throws, which is called by this thread.
  void write(ConstView rows);

  [[nodiscard]] int rows_left() const { return rows_left_; }

 private:
  struct Slot {
    StripRows rows;
    PackedStrip strip;
  };

  [[nodiscard]] int rows_in_whole_strips(int rows) const;
  void pack_in_place(ConstView rows);
  int copy(ConstView rows);
  std::byte* copied_row(int strip, int y);
  Slot& slot_of(int strip) { return slots_[static_cast<std::size_t>(strip) % slots_.size()]; }
  void begin(const StripRows& rows);
  void finish_until(int strip);

  int width_;
  PixelFormat format_;
  StripPlan plan_;
  PngOutput& file_;
  int workers_;
  tbb::enumerable_thread_specific<StripPacker> packers_;
  std::vector<Slot> slots_;                           ///< of strips in flight, used in turn
  std::vector<std::unique_ptr<std::byte[]>> copies_;  ///< of rows, after the row above them; used in turn
  OrderedTasks packing_;                              ///< of strips; destroyed before what its threads use
  int finished_ = 0;                                  ///< strips passed to the file

  int rows_left_;                     ///< not in write() yet
  int copied_rows_ = 0;               ///< of the next strip
  const std::byte* above_ = nullptr;  ///< the row above the next strip, in copies_; null at the top of the image
};

}  // namespace gpuimg::codecs
