// From filtered rows, as they come out of inflate, to the rows of an image. Used by png_fast_reader.cpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "codecs/png/simple_png.hpp"

namespace gpuimg {

/// Takes the filtered rows in order.
class PngRowFinisher {
 public:
  /// `rows` has room for all rows, without gaps.
  PngRowFinisher(const PlainPng& png, std::byte* rows);

  /// Rows that are taken together cost less than each alone.
  [[nodiscard]] std::size_t rows_at_once() const { return rows_at_once_; }

  /// `rows` whole filtered rows. Behind them kUnfilterOverread bytes can be read.
  void take_rows(const std::uint8_t* filtered, int rows);

  /// Any number of bytes, of no more rows than there are. In front of them there are room() bytes that can be written
  /// to, and behind them kUnfilterOverread that can be read.
  void take_bytes(std::uint8_t* filtered, std::size_t size);
  [[nodiscard]] std::size_t room() const { return rows_at_once_ * filtered_row(); }

  /// After the last row.
  void finish();

  /// False once a row has no known filter.
  [[nodiscard]] bool is_sound() const { return is_sound_; }
  /// The Adler-32 of all that was taken.
  [[nodiscard]] std::uint32_t adler() const { return adler_; }

 private:
  [[nodiscard]] std::size_t filtered_row() const { return row_bytes_ + 1; }
  [[nodiscard]] bool knows_filters(const std::uint8_t* filtered, int rows) const;
  void unfilter(const std::uint8_t* filtered, int rows);
  void unfilter_together(const std::uint8_t* filtered, int rows);
  void swap_above();

  std::size_t row_bytes_;
  std::size_t pixel_bytes_;
  std::size_t rows_at_once_;
  int rows_left_;
  bool swaps_;
  std::uint8_t* next_row_;
  std::uint8_t* above_ = nullptr;
  std::vector<std::uint8_t> zeros_;
  std::vector<std::uint8_t> begun_;  // rows too few to be taken together
  std::uint32_t adler_ = 1;
  bool is_sound_ = true;
};

}  // namespace gpuimg
