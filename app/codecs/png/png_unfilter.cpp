// One row at a time on the compiler's vectors. All filters but Up depend on the pixel to the left, so a vector holds
// the channels of one pixel. Whatever does not depend on the left pixel is computed before it is known.
#include "codecs/png/png_unfilter.hpp"

#include <cstring>

namespace gpuimg::codecs {
namespace {

using Bytes8 = std::uint8_t __attribute__((vector_size(8)));
using Words8 = std::int16_t __attribute__((vector_size(16)));  // one byte each

Words8 widened(Bytes8 bytes) { return __builtin_convertvector(bytes, Words8); }

Words8 magnitude(Words8 v) { return v > -v ? v : -v; }

/// Load and store kMoved bytes. kMoved may exceed the pixel size except in the last pixel of a row.
template <std::size_t kMoved>
Words8 load(const std::uint8_t* from) {
  Bytes8 bytes{};
  std::memcpy(&bytes, from, kMoved);
  return widened(bytes);
}

template <std::size_t kMoved>
void store(Words8 values, std::uint8_t* to) {
  const Bytes8 bytes = __builtin_convertvector(values, Bytes8);
  std::memcpy(to, &bytes, kMoved);
}

struct Pixel {
  Words8 left{};
  Words8 corner{};
};

template <PngFilter filter>
Words8 value_of(Words8 residue, Words8 up, const Pixel& before) {
  const Words8 left = before.left;
  if constexpr (filter == PngFilter::sub) {
    return (residue + left) & 255;
  } else if constexpr (filter == PngFilter::average) {
    return (residue + ((left + up) >> 1)) & 255;
  } else {
    const Words8 corner = before.corner;
    const Words8 left_step = left - corner;
    const Words8 up_step = up - corner;
    const Words8 to_left = magnitude(up_step);
    const Words8 to_up = magnitude(left_step);
    const Words8 to_corner = magnitude(left_step + up_step);
    const Words8 not_left = (to_left > to_up) | (to_left > to_corner);
    const Words8 not_up = to_up > to_corner;
    const Words8 from_left = (residue + left) & ~not_left;
    const Words8 from_up = (residue + up) & not_left & ~not_up;
    const Words8 from_corner = (residue + corner) & not_left & not_up;
    return (from_left | from_up | from_corner) & 255;
  }
}

template <PngFilter filter, std::size_t kMoved>
void undo_pixel(const std::uint8_t* filtered, const std::uint8_t* above, std::uint8_t* out, Pixel& pixel) {
  const Words8 up = load<kMoved>(above);
  pixel.left = value_of<filter>(load<kMoved>(filtered), up, pixel);
  pixel.corner = up;
  store<kMoved>(pixel.left, out);
}

template <PngFilter filter, std::size_t kPixel>
void undo(const std::uint8_t* filtered, const std::uint8_t* above, std::uint8_t* out, RowPart part) {
  // Moving 4 or 8 bytes is faster than 3 or 6, and correct as long as another pixel follows.
  constexpr std::size_t kMoved = kPixel == 3 ? 4 : kPixel == 6 ? 8 : kPixel;
  Pixel pixel;
  std::size_t i = part.begin;
  if (i > 0) {
    pixel = {load<kPixel>(out + i - kPixel), load<kPixel>(above + i - kPixel)};
  }
  for (; i + kPixel < part.end; i += kPixel) {
    undo_pixel<filter, kMoved>(filtered + i, above + i, out + i, pixel);
  }
  undo_pixel<filter, kPixel>(filtered + i, above + i, out + i, pixel);
}

template <std::size_t kPixel>
void undo(PngFilter filter, const std::uint8_t* filtered, const std::uint8_t* above, std::uint8_t* out, RowPart part) {
  switch (filter) {
    case PngFilter::sub: undo<PngFilter::sub, kPixel>(filtered, above, out, part); break;
    case PngFilter::average: undo<PngFilter::average, kPixel>(filtered, above, out, part); break;
    default: undo<PngFilter::paeth, kPixel>(filtered, above, out, part); break;
  }
}

void undo_up(const std::uint8_t* filtered, const std::uint8_t* above, std::uint8_t* out, RowPart part) {
  for (std::size_t i = part.begin; i < part.end; ++i) {
    out[i] = static_cast<std::uint8_t>(filtered[i] + above[i]);
  }
}

}  // namespace

void unfilter_row(PngFilter filter, const std::uint8_t* filtered, const std::uint8_t* above, std::uint8_t* out,
                  RowPart part, std::size_t pixel_bytes) {
  if (filter == PngFilter::none) {
    std::memcpy(out + part.begin, filtered + part.begin, part.end - part.begin);
    return;
  }
  if (filter == PngFilter::up) {
    undo_up(filtered, above, out, part);
    return;
  }
  switch (pixel_bytes) {
    case 1: undo<1>(filter, filtered, above, out, part); break;
    case 2: undo<2>(filter, filtered, above, out, part); break;
    case 3: undo<3>(filter, filtered, above, out, part); break;
    case 4: undo<4>(filter, filtered, above, out, part); break;
    case 6: undo<6>(filter, filtered, above, out, part); break;
    default: undo<8>(filter, filtered, above, out, part); break;
  }
}

}  // namespace gpuimg::codecs
