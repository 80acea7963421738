// Row filters undone in the compiler's own vectors. All but Up need the pixel on the left first, so a pixel at a time,
// its channels side by side; what does not depend on the left pixel is computed before it is known.
#include "files/png_unfilter.hpp"

#include <cstring>

namespace gpuimg {
namespace {

using Bytes8 = std::uint8_t __attribute__((vector_size(8)));
using Words8 = std::int16_t __attribute__((vector_size(16)));  // a byte in each

Words8 widened(Bytes8 bytes) { return __builtin_convertvector(bytes, Words8); }

Words8 magnitude(Words8 v) { return v > -v ? v : -v; }

/// kMoved bytes from or to memory; kMoved may exceed the pixel where the row goes on.
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
void undo(const std::uint8_t* filtered, const std::uint8_t* above, std::uint8_t* out, std::size_t bytes) {
  // Moving 4 or 8 bytes is faster than 3 or 6, and right as long as another pixel follows.
  constexpr std::size_t kMoved = kPixel == 3 ? 4 : kPixel == 6 ? 8 : kPixel;
  Pixel pixel;
  std::size_t i = 0;
  for (; i + kPixel < bytes; i += kPixel) {
    undo_pixel<filter, kMoved>(filtered + i, above + i, out + i, pixel);
  }
  undo_pixel<filter, kPixel>(filtered + i, above + i, out + i, pixel);
}

/// The four lower values of each.
Words8 joined(Words8 first, Words8 second) { return __builtin_shufflevector(first, second, 0, 1, 2, 3, 8, 9, 10, 11); }

Words8 upper_half(Words8 values) { return __builtin_shufflevector(values, values, 4, 5, 6, 7, 4, 5, 6, 7); }

/// A pixel of the upper row in the lower half of each vector and, two pixels behind it, one of the lower row in the
/// upper half: what is above that one has long been known.
template <std::size_t kPixel>
void undo_paeth_rows(const std::uint8_t* filtered, const std::uint8_t* filtered_below, const std::uint8_t* above,
                     std::uint8_t* out, std::uint8_t* out_below, std::size_t bytes) {
  constexpr std::size_t kMoved = kPixel == 3 ? 4 : kPixel;
  constexpr std::size_t kBehind = 2 * kPixel;
  Pixel upper;
  undo_pixel<PngFilter::paeth, kPixel>(filtered, above, out, upper);
  Words8 two_back = upper.left;
  undo_pixel<PngFilter::paeth, kPixel>(filtered + kPixel, above + kPixel, out + kPixel, upper);
  Words8 one_back = upper.left;

  Pixel both{joined(upper.left, Words8{}), joined(upper.corner, Words8{})};
  std::size_t i = kBehind;
  for (; i + kPixel < bytes; i += kPixel) {
    const Words8 up = joined(load<kMoved>(above + i), two_back);
    const Words8 residues = joined(load<kMoved>(filtered + i), load<kMoved>(filtered_below + i - kBehind));
    both.left = value_of<PngFilter::paeth>(residues, up, both);
    both.corner = up;
    const Bytes8 values = __builtin_convertvector(both.left, Bytes8);
    std::memcpy(out + i, &values, kMoved);
    std::memcpy(out_below + i - kBehind, reinterpret_cast<const std::uint8_t*>(&values) + 4, kMoved);
    two_back = one_back;
    one_back = both.left;
  }
  upper = both;
  undo_pixel<PngFilter::paeth, kPixel>(filtered + i, above + i, out + i, upper);
  Pixel lower{upper_half(both.left), upper_half(both.corner)};
  for (i -= kBehind; i < bytes; i += kPixel) {
    undo_pixel<PngFilter::paeth, kPixel>(filtered_below + i, out + i, out_below + i, lower);
  }
}

template <std::size_t kPixel>
void undo(PngFilter filter, const std::uint8_t* filtered, const std::uint8_t* above, std::uint8_t* out,
          std::size_t bytes) {
  switch (filter) {
    case PngFilter::sub: undo<PngFilter::sub, kPixel>(filtered, above, out, bytes); break;
    case PngFilter::average: undo<PngFilter::average, kPixel>(filtered, above, out, bytes); break;
    default: undo<PngFilter::paeth, kPixel>(filtered, above, out, bytes); break;
  }
}

void undo_up(const std::uint8_t* filtered, const std::uint8_t* above, std::uint8_t* out, std::size_t bytes) {
  for (std::size_t i = 0; i < bytes; ++i) {
    out[i] = static_cast<std::uint8_t>(filtered[i] + above[i]);
  }
}

}  // namespace

void unfilter_row(PngFilter filter, const std::uint8_t* filtered, const std::uint8_t* above, std::uint8_t* out,
                  std::size_t bytes, std::size_t pixel_bytes) {
  if (filter == PngFilter::none) {
    std::memcpy(out, filtered, bytes);
    return;
  }
  if (filter == PngFilter::up) {
    undo_up(filtered, above, out, bytes);
    return;
  }
  switch (pixel_bytes) {
    case 1: undo<1>(filter, filtered, above, out, bytes); break;
    case 2: undo<2>(filter, filtered, above, out, bytes); break;
    case 3: undo<3>(filter, filtered, above, out, bytes); break;
    case 4: undo<4>(filter, filtered, above, out, bytes); break;
    case 6: undo<6>(filter, filtered, above, out, bytes); break;
    default: undo<8>(filter, filtered, above, out, bytes); break;
  }
}

void unfilter_paeth_rows(const std::uint8_t* filtered, const std::uint8_t* filtered_below, const std::uint8_t* above,
                         std::uint8_t* out, std::uint8_t* out_below, std::size_t bytes, std::size_t pixel_bytes) {
  if (bytes < 4 * pixel_bytes) {
    unfilter_row(PngFilter::paeth, filtered, above, out, bytes, pixel_bytes);
    unfilter_row(PngFilter::paeth, filtered_below, out, out_below, bytes, pixel_bytes);
    return;
  }
  switch (pixel_bytes) {
    case 1: undo_paeth_rows<1>(filtered, filtered_below, above, out, out_below, bytes); break;
    case 2: undo_paeth_rows<2>(filtered, filtered_below, above, out, out_below, bytes); break;
    case 3: undo_paeth_rows<3>(filtered, filtered_below, above, out, out_below, bytes); break;
    default: undo_paeth_rows<4>(filtered, filtered_below, above, out, out_below, bytes); break;
  }
}

}  // namespace gpuimg
