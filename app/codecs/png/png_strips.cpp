// Level 3 tries six filterings of each strip; the other levels choose a filter for each row.
#include "codecs/png/png_strips.hpp"

#include <algorithm>
#include <cstring>
#include <string_view>

#include "codecs/deflate/zlib_stream.hpp"
#include "codecs/sample_order.hpp"
#include "gpuimg/png/strip_layout.hpp"

namespace gpuimg::codecs {
namespace {

constexpr int kChooseForEachRow = -1;

}  // namespace

StripPlan::StripPlan(std::size_t bytes_of_row, int height)
    : row_bytes(bytes_of_row),
      rows_per_strip(static_cast<int>(png::rows_per_strip(row_bytes, static_cast<std::uint32_t>(height)))),
      strips((height - 1) / rows_per_strip + 1) {}

RowSource::RowSource(PixelFormat format, std::size_t row_bytes)
    : format_(format), row_bytes_(row_bytes), above_(row_bytes) {
  if (format.sample == Sample::u16) {
    current_.resize(row_bytes);
  }
}

PngRow RowSource::row(const StripRows& strip, int y) {
  const std::size_t pixel_bytes = format_.bytes_per_pixel();
  const auto* current = strip.rows.row<std::uint8_t>(y);
  const auto* above = y > 0 ? strip.rows.row<std::uint8_t>(y - 1) : reinterpret_cast<const std::uint8_t*>(strip.above);
  if (format_.sample == Sample::u8) {
    return {current, above != nullptr ? above : zeros(), row_bytes_, pixel_bytes};
  }
  if (y > 0) {
    current_.swap(above_);
  } else if (above != nullptr) {
    swap_sample_bytes(above, above_.data(), row_bytes_);
  } else {
    zeros();
  }
  swap_sample_bytes(current, current_.data(), row_bytes_);
  return {current_.data(), above_.data(), row_bytes_, pixel_bytes};
}

const std::uint8_t* RowSource::zeros() {
  std::fill(above_.begin(), above_.end(), std::uint8_t{0});
  return above_.data();
}

StripPacker::StripPacker(PixelFormat format, const StripPlan& plan, int png_level)
    : plan_(plan),
      tries_all_(png_level == 3),
      rows_(format, plan.row_bytes),
      deflater_(std::min(png_level, 2)),
      filtered_(plan.filtered_bytes()),
      packed_(deflate_bound(plan.filtered_bytes())),
      best_(tries_all_ ? packed_.size() : 0) {}

void StripPacker::pack(const StripRows& rows, int index, PackedStrip& strip) {
  strip.index = index;
  strip.chunk.clear();
  finish(strip, tries_all_ ? smallest_of_all(rows, strip) : try_filter(rows, strip, kChooseForEachRow));
}

/// Leaves the deflated strip in packed_ and returns its size.
std::size_t StripPacker::try_filter(const StripRows& rows, PackedStrip& strip, int filter) {
  std::uint8_t* out = filtered_.data();
  for (int y = 0; y < rows.rows.height; ++y) {
    const PngRow row = rows_.row(rows, y);
    const PngFilter chosen = filter == kChooseForEachRow ? choose_filter(row) : static_cast<PngFilter>(filter);
    *out = static_cast<std::uint8_t>(chosen);
    filter_row(chosen, row, out + 1);
    out += plan_.row_bytes + 1;
  }
  strip.filtered_size = static_cast<std::size_t>(out - filtered_.data());
  const auto filtered = std::as_bytes(std::span(filtered_).first(strip.filtered_size));
  strip.adler = adler32_of(filtered);
  return deflater_.deflate(filtered, packed_, strip.index + 1 == plan_.strips);
}

/// The same with the filtering that gives the smallest result; the first one on a tie.
std::size_t StripPacker::smallest_of_all(const StripRows& rows, PackedStrip& strip) {
  std::size_t size = try_filter(rows, strip, kChooseForEachRow);
  best_.swap(packed_);
  for (int filter = 0; filter < kPngFilterCount; ++filter) {
    PackedStrip other = strip;
    if (const std::size_t other_size = try_filter(rows, other, filter); other_size < size) {
      size = other_size;
      strip = other;
      best_.swap(packed_);
    }
  }
  best_.swap(packed_);
  return size;
}

void StripPacker::finish(PackedStrip& strip, std::size_t size) const {
  constexpr std::string_view kType = "IDAT";
  const std::size_t header = strip.index == 0 ? sizeof kZlibHeader : 0;
  strip.chunk.resize(kType.size() + header + size);
  std::memcpy(strip.chunk.data(), kType.data(), kType.size());
  std::memcpy(strip.chunk.data() + kType.size(), kZlibHeader, header);
  std::memcpy(strip.chunk.data() + kType.size() + header, packed_.data(), size);
  strip.crc = crc32_of(strip.chunk);
}

}  // namespace gpuimg::codecs
