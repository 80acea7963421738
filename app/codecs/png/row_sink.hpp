// Turns filtered rows, as inflate produces them, into rows of an image: checksum, filters, byte order, expansion.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "codecs/png/simple_png.hpp"
#include "codecs/row_bands.hpp"

namespace gpuimg::codecs {

/// Accepts the filtered rows in order, and passes them on in bands.
class PngRowSink {
 public:
  /// Borrows its arguments; `name` is printable.
  PngRowSink(const SimplePng& png, const BandOutput& to, const std::string& name);

  /// take_rows is fastest with multiples of this many rows.
  [[nodiscard]] std::size_t rows_at_once() const { return rows_at_once_; }

  /// Takes whole filtered rows, with their Adler-32. kUnfilterOverread bytes after them must be readable.
  void take_rows(const std::uint8_t* filtered, int rows, std::uint32_t adler);

  /// Takes any number of bytes, not past the last row. room() bytes before them must be writable, and kUnfilterOverread
  /// bytes after them readable.
  void take_bytes(std::uint8_t* filtered, std::size_t size);
  [[nodiscard]] std::size_t room() const { return rows_at_once_ * filtered_row(); }

  /// Passes the last band on; call if all is sound. Throws Error{decode} for an index outside the palette, as the
  /// others do for earlier bands.
  void finish();

  /// False once a row has an unknown filter.
  [[nodiscard]] bool is_sound() const { return is_sound_; }
  /// The Adler-32 of all bytes taken.
  [[nodiscard]] std::uint32_t adler() const { return adler_; }

 private:
  [[nodiscard]] std::size_t filtered_row() const { return row_bytes_ + 1; }
  [[nodiscard]] bool knows_filters(const std::uint8_t* filtered, int rows) const;
  void unfilter(const std::uint8_t* filtered, int rows);
  void unfilter_together(const std::uint8_t* filtered, int rows);
  void swap_above();
  std::uint8_t* next_row();
  void pass_band_on();

  const SimplePng& png_;
  const std::string& name_;
  std::size_t row_bytes_;
  std::size_t pixel_bytes_;
  std::size_t rows_at_once_;
  int rows_left_;
  bool swaps_;
  BandCutter bands_;
  std::uint8_t* above_ = nullptr;      // the row above in the band; nullptr at its top
  std::vector<std::uint8_t> before_;   // the last row of the band before, in the file's byte order; zeros in the first
  std::vector<std::uint8_t> partial_;  // an incomplete group of rows
  std::uint32_t adler_ = 1;
  bool is_sound_ = true;
};

}  // namespace gpuimg::codecs
