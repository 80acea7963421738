// Images in bands of whole rows: what a reader of a file larger than memory produces, and a writer takes.
// docs/decisions/0022-bands-of-rows.md.
#pragma once

#include <algorithm>
#include <functional>
#include <utility>

#include "gpuimg/image.hpp"

namespace gpuimg::codecs {

struct RowBand {
  int first = 0;  ///< row of the image
  Image rows;
};

/// Where a decoder's rows go.
struct BandOutput {
  int rows = 1;                             ///< of a band; the last may have fewer
  std::function<Image(int rows)> new_rows;  ///< memory for the pixels of a band; called on any thread
  std::function<void(RowBand band)> take;   ///< called on any thread, by one at a time
};

/// Cuts rows that come from top to bottom into bands, from row `first` to row `end` of the image.
class BandCutter {
 public:
  /// Borrows the output.
  BandCutter(const BandOutput& to, int first, int end) : to_(to), end_(end) { band_.first = first; }

  /// The band that is being filled.
  Image& rows() {
    if (band_.rows.empty()) {
      band_.rows = to_.new_rows(std::min(to_.rows, end_ - band_.first));
    }
    return band_.rows;
  }
  /// The next row of the image.
  [[nodiscard]] int next() const { return band_.first + filled_; }
  /// How many rows of the band are filled, and how many are not.
  [[nodiscard]] int filled() const { return filled_; }
  [[nodiscard]] int left() const { return std::min(to_.rows, end_ - band_.first) - filled_; }

  /// The next rows of the band are filled.
  void add(int rows) { filled_ += rows; }

  /// Passes a full band on; the next one begins.
  void pass_on() {
    const int first = band_.first + std::exchange(filled_, 0);
    to_.take(std::exchange(band_, RowBand{first, Image()}));
  }

 private:
  const BandOutput& to_;
  int end_;
  RowBand band_;
  int filled_ = 0;
};

}  // namespace gpuimg::codecs
