// Checksum, filters, byte order; then png_expansion.hpp.
#include "codecs/png/row_sink.hpp"

#include <algorithm>
#include <bit>
#include <span>

#include "codecs/deflate/zlib_stream.hpp"
#include "codecs/png/png_expansion.hpp"
#include "codecs/png/png_unfilter.hpp"
#include "codecs/sample_order.hpp"

namespace gpuimg::codecs {

PngRowSink::PngRowSink(const SimplePng& png, const BandOutput& to, const std::string& name)
    : png_(png),
      name_(name),
      row_bytes_(png.row_bytes()),
      pixel_bytes_(png.stored.bytes_per_pixel()),
      rows_at_once_(rows_unfiltered_at_once(pixel_bytes_)),
      rows_left_(png.height),
      swaps_(png.stored.sample == Sample::u16 && std::endian::native == std::endian::little),
      bands_(to, 0, png.height),
      before_(row_bytes_) {}

std::uint8_t* PngRowSink::next_row() {
  auto* const begin = reinterpret_cast<std::uint8_t*>(stored_rows_of(bands_.rows(), png_));
  return begin + static_cast<std::size_t>(bands_.filled()) * row_bytes_;
}

void PngRowSink::take_rows(const std::uint8_t* filtered, int rows, std::uint32_t adler) {
  adler_ = adler32_combined(adler_, adler, static_cast<std::uint64_t>(rows) * filtered_row());
  unfilter(filtered, rows);
}

void PngRowSink::take_bytes(std::uint8_t* filtered, std::size_t size) {
  adler_ = adler32_of(std::as_bytes(std::span(filtered, size)), adler_);
  std::uint8_t* const begin = filtered - partial_.size();
  std::copy(partial_.begin(), partial_.end(), begin);
  const std::uint8_t* const end = filtered + size;
  auto rows = static_cast<std::size_t>(end - begin) / filtered_row();
  if (rows < static_cast<std::size_t>(rows_left_)) {
    rows -= rows % rows_at_once_;
  }
  unfilter(begin, static_cast<int>(rows));
  partial_.assign(begin + rows * filtered_row(), begin + (end - begin));
}

void PngRowSink::unfilter(const std::uint8_t* filtered, int rows) {
  const int group = static_cast<int>(rows_at_once_);
  rows_left_ -= rows;
  for (int left = rows; left > 0 && is_sound_;) {
    if (bands_.left() == 0) {
      pass_band_on();
    }
    const int taken = std::min({left, bands_.left(), group});
    is_sound_ = knows_filters(filtered, taken);
    if (is_sound_) {
      unfilter_together(filtered, taken);
    }
    filtered += static_cast<std::size_t>(taken) * filtered_row();
    left -= taken;
  }
}

bool PngRowSink::knows_filters(const std::uint8_t* filtered, int rows) const {
  bool all = true;
  for (int row = 0; row < rows; ++row, filtered += filtered_row()) {
    all = all && *filtered < kPngFilterCount;
  }
  return all;
}

void PngRowSink::unfilter_together(const std::uint8_t* filtered, int rows) {
  const std::uint8_t* const above = above_ != nullptr ? above_ : before_.data();
  std::uint8_t* out = next_row();
  unfilter_rows(filtered, above, out, row_bytes_, pixel_bytes_, static_cast<std::size_t>(rows));
  bands_.add(rows);
  for (int row = 0; row < rows; ++row) {
    swap_above();
    above_ = out;
    out += row_bytes_;
  }
}

/// Keeps the last row for the filters of the next.
void PngRowSink::pass_band_on() {
  std::copy_n(above_, row_bytes_, before_.begin());
  swap_above();
  above_ = nullptr;
  expand_stored_rows(bands_.rows(), png_, name_);
  bands_.pass_on();
}

void PngRowSink::finish() { pass_band_on(); }

/// Filters work in the file's byte order, so a row is converted to the machine's once the row below is done.
void PngRowSink::swap_above() {
  if (swaps_ && above_ != nullptr) {
    swap_sample_bytes(above_, above_, row_bytes_);
  }
}

}  // namespace gpuimg::codecs
