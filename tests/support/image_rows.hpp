// A RowReader of an image in memory.
#pragma once

#include <algorithm>
#include <cstring>
#include <utility>
#include <vector>

#include "codecs/rows.hpp"

namespace gpuimg::test {

class ImageRows final : public codecs::RowReader {
 public:
  /// With `is_void`, the reader passes on every band except the last, and then declares all of them void. The pixels
  /// must outlive the reader.
  explicit ImageRows(ConstView pixels, bool is_void = false)
      : RowReader(pixels.width, pixels.height, pixels.format), pixels_(pixels), is_void_(is_void) {}

  /// If any order is allowed, bands come from bottom to top.
  bool read(const codecs::BandOutput& to, Order order) override {
    std::vector<int> firsts;
    for (int first = 0; first < height(); first += std::min(to.rows, height() - first)) {
      firsts.push_back(first);
    }
    if (order == Order::any) {
      std::reverse(firsts.begin(), firsts.end());
    }
    if (is_void_) {
      firsts.pop_back();
    }
    for (const int first : firsts) {
      const int count = std::min(to.rows, height() - first);
      codecs::RowBand band{first, to.new_rows(count)};
      for (int y = 0; y < count; ++y) {
        std::memcpy(band.rows.view().row_bytes(y), pixels_.row_bytes(first + y), pixels_.tight_pitch_bytes());
      }
      to.take(std::move(band));
    }
    return !is_void_;
  }

 private:
  ConstView pixels_;
  bool is_void_;
};

}  // namespace gpuimg::test
