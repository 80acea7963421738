// The rows of a result, as they come: collected in memory, or on their way out.
#pragma once

#include <memory>
#include <utility>

#include "engine/picture_strips.hpp"
#include "gpuimg/backend.hpp"
#include "gpuimg/image.hpp"

namespace gpuimg {

class ResultRows {
 public:
  /// In memory if `take` is null.
  ResultRows(int width, int height, PixelFormat format, const TakeRows& take)
      : width_(width), height_(height), format_(format), take_(take) {
    if (!take_) {
      image_ = Image(width, height, format);
    }
  }

  /// The next rows.
  void put(ConstView rows) {
    if (take_) {
      take_(rows);
    } else {
      copy_rows(rows, image_.view(), next_);
      next_ += rows.height;
    }
  }
  /// The same for rows that fill(to) writes.
  template <class Fill>
  void make(int count, const Fill& fill) {
    if (!take_) {
      fill(rows_of(image_.view(), next_, next_ + count));
      next_ += count;
      return;
    }
    if (scratch_.empty() || scratch_.height() < count) {
      scratch_ = Image(width_, count, format_);
    }
    const View rows = rows_of(scratch_.view(), 0, count);
    fill(rows);
    take_(rows);
  }

  /// After the last row. Without pixels if they were taken.
  Picture picture() { return take_ ? Picture(width_, height_, format_, nullptr) : picture_of(std::move(image_)); }

 private:
  int width_;
  int height_;
  PixelFormat format_;
  const TakeRows& take_;
  Image image_;
  Image scratch_;
  int next_ = 0;
};

}  // namespace gpuimg
