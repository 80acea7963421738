// One row at a time on the compiler's vectors. All filters but Up depend on the pixel to the left, so a vector holds
// the channels of one pixel. Whatever does not depend on the left pixel is computed before it is known. Sub alone is a
// sum, so a vector holds the sums of several pixels.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "codecs/png/png_unfilter.cpp"
#include "codecs/simd_targets.hpp"

#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include <cstring>
#include <utility>

#include "codecs/png/png_predict-inl.hpp"
#include "codecs/png/png_unfilter.hpp"

HWY_BEFORE_NAMESPACE();
namespace gpuimg::codecs::HWY_NAMESPACE {

using Bytes8 = std::uint8_t __attribute__((vector_size(8)));
using Words8 = std::int16_t __attribute__((vector_size(16)));  // one byte each

HWY_INLINE Words8 widened(Bytes8 bytes) { return __builtin_convertvector(bytes, Words8); }

HWY_INLINE Words8 magnitude(Words8 v) { return v > -v ? v : -v; }

/// Load and store kMoved bytes. kMoved may exceed the pixel size except in the last pixel of a row.
template <std::size_t kMoved>
HWY_INLINE Words8 load(const std::uint8_t* from) {
  Bytes8 bytes{};
  std::memcpy(&bytes, from, kMoved);
  return widened(bytes);
}

template <std::size_t kMoved>
HWY_INLINE void store(Words8 values, std::uint8_t* to) {
  const Bytes8 bytes = __builtin_convertvector(values, Bytes8);
  std::memcpy(to, &bytes, kMoved);
}

struct Pixel {
  Words8 left{};
  Words8 corner{};
};

template <PngFilter filter>
HWY_INLINE Words8 value_of(Words8 residue, Words8 up, const Pixel& before) {
  const Words8 left = before.left;
  if constexpr (filter == PngFilter::average) {
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
HWY_INLINE void undo_pixel(const std::uint8_t* filtered, const std::uint8_t* above, std::uint8_t* out, Pixel& pixel) {
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

template <std::size_t kPixel, std::size_t... kByte>
HWY_INLINE Bytes16 moved_right(Bytes16 pixels, std::index_sequence<kByte...>) {
  return __builtin_shufflevector(Bytes16{}, pixels, (kByte < kPixel ? 0 : static_cast<int>(16 + kByte - kPixel))...);
}

/// The pixel that ends before byte kEnd, again and again.
template <std::size_t kPixel, std::size_t kEnd, std::size_t... kByte>
HWY_INLINE Bytes16 repeated(Bytes16 pixels, std::index_sequence<kByte...>) {
  return __builtin_shufflevector(pixels, pixels, static_cast<int>(kEnd - kPixel + kByte % kPixel)...);
}

/// Adds to each pixel those before it.
template <std::size_t kPixel>
HWY_INLINE Bytes16 running_sums(Bytes16 pixels) {
  constexpr auto kAll = std::make_index_sequence<sizeof(Bytes16)>();
  pixels += moved_right<kPixel>(pixels, kAll);
  if constexpr (2 * kPixel < sizeof(Bytes16)) {
    pixels += moved_right<2 * kPixel>(pixels, kAll);
  }
  if constexpr (4 * kPixel < sizeof(Bytes16)) {
    pixels += moved_right<4 * kPixel>(pixels, kAll);
  }
  if constexpr (8 * kPixel < sizeof(Bytes16)) {
    pixels += moved_right<8 * kPixel>(pixels, kAll);
  }
  return pixels;
}

template <std::size_t kPixel>
void undo_sub(const std::uint8_t* filtered, std::uint8_t* out, RowPart part) {
  constexpr auto kAll = std::make_index_sequence<sizeof(Bytes16)>();
  constexpr std::size_t kWhole = sizeof(Bytes16) / kPixel * kPixel;  // bytes of whole pixels in a vector
  std::size_t i = part.begin;
  Bytes16 left{};
  if (i > 0) {
    std::memcpy(&left, out + i - kPixel, kPixel);
    left = repeated<kPixel, kPixel>(left, kAll);
  }
  for (; i + sizeof(Bytes16) <= part.end; i += kWhole) {
    Bytes16 sums;
    std::memcpy(&sums, filtered + i, sizeof sums);
    sums = running_sums<kPixel>(sums);
    const Bytes16 values = sums + left;
    std::memcpy(out + i, &values, sizeof values);
    left += repeated<kPixel, kWhole>(sums, kAll);
  }
  for (; i < part.end; ++i) {
    out[i] = static_cast<std::uint8_t>(filtered[i] + (i < kPixel ? 0 : out[i - kPixel]));
  }
}

void undo_up(const std::uint8_t* filtered, const std::uint8_t* above, std::uint8_t* out, RowPart part) {
  std::size_t i = part.begin;
  for (; i + sizeof(Bytes32) <= part.end; i += sizeof(Bytes32)) {
    Bytes32 values;
    Bytes32 up;
    std::memcpy(&values, filtered + i, sizeof values);
    std::memcpy(&up, above + i, sizeof up);
    values += up;
    std::memcpy(out + i, &values, sizeof values);
  }
  for (; i < part.end; ++i) {
    out[i] = static_cast<std::uint8_t>(filtered[i] + above[i]);
  }
}

template <std::size_t kPixel>
void undo_with_left(PngFilter filter, const std::uint8_t* filtered, const std::uint8_t* above, std::uint8_t* out,
                    RowPart part) {
  switch (filter) {
    case PngFilter::sub: undo_sub<kPixel>(filtered, out, part); break;
    case PngFilter::average: undo<PngFilter::average, kPixel>(filtered, above, out, part); break;
    default: undo<PngFilter::paeth, kPixel>(filtered, above, out, part); break;
  }
}

void undo_row(PngFilter filter, const std::uint8_t* filtered, const std::uint8_t* above, std::uint8_t* out,
              RowPart part, std::size_t pixel_bytes) {
  if (filter == PngFilter::up) {
    undo_up(filtered, above, out, part);
    return;
  }
  switch (pixel_bytes) {
    case 1: undo_with_left<1>(filter, filtered, above, out, part); break;
    case 2: undo_with_left<2>(filter, filtered, above, out, part); break;
    case 3: undo_with_left<3>(filter, filtered, above, out, part); break;
    case 4: undo_with_left<4>(filter, filtered, above, out, part); break;
    case 6: undo_with_left<6>(filter, filtered, above, out, part); break;
    default: undo_with_left<8>(filter, filtered, above, out, part); break;
  }
}

}  // namespace gpuimg::codecs::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace gpuimg::codecs {
namespace {
HWY_EXPORT(undo_row);
}  // namespace

void unfilter_row(PngFilter filter, const std::uint8_t* filtered, const std::uint8_t* above, std::uint8_t* out,
                  RowPart part, std::size_t pixel_bytes) {
  if (filter == PngFilter::none) {
    std::memcpy(out + part.begin, filtered + part.begin, part.end - part.begin);
    return;
  }
  HWY_DYNAMIC_DISPATCH(undo_row)(filter, filtered, above, out, part, pixel_bytes);
}

}  // namespace gpuimg::codecs
#endif
