// Pixels in host memory: their format (PixelFormat), borrowed (View, ConstView) and owned (Image).
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <utility>

#include "gpuimg/error.hpp"

namespace gpuimg {

/// The type of one channel value. Photographs are u8 or u16. HSL also uses f32, and summed-area tables use u32, u64,
/// f32 and f64.
enum class Sample : std::uint8_t { u8, u16, u32, u64, f32, f64 };

constexpr std::size_t sample_bytes(Sample sample) {
  switch (sample) {
    case Sample::u8: return 1;
    case Sample::u16: return 2;
    case Sample::u32:
    case Sample::f32: return 4;
    case Sample::u64:
    case Sample::f64: return 8;
  }
  return 0;
}

/// The largest level V of sample type T (u8 or u16): 255 or 65535.
template <class T>
inline constexpr std::uint32_t kMaxOf = sizeof(T) == 1 ? 255U : 65535U;

/// Interleaved channels: 1 = gray, 2 = gray and alpha, 3 = RGB, 4 = RGB and alpha.
struct PixelFormat {
  Sample sample = Sample::u8;
  int channels = 1;

  [[nodiscard]] constexpr bool has_alpha() const { return channels == 2 || channels == 4; }
  [[nodiscard]] constexpr int color_channels() const { return channels >= 3 ? 3 : 1; }
  [[nodiscard]] constexpr std::size_t bytes_per_pixel() const {
    return sample_bytes(sample) * static_cast<std::size_t>(channels);
  }
  /// The largest level V: 255 or 65535. Meaningful only for u8 and u16.
  [[nodiscard]] constexpr std::uint32_t max_value() const { return sample == Sample::u8 ? 255U : 65535U; }
  /// True for the formats that operations accept: 8 or 16 bit, 1 to 4 channels.
  [[nodiscard]] constexpr bool is_photographic() const {
    return (sample == Sample::u8 || sample == Sample::u16) && channels >= 1 && channels <= 4;
  }
  friend constexpr bool operator==(const PixelFormat&, const PixelFormat&) = default;
};

/// Borrowed pixels. `pitch_bytes` is the distance between rows in bytes, at least width × bytes_per_pixel.
template <class Byte>
struct BasicView {
  Byte* data = nullptr;
  int width = 0;
  int height = 0;
  std::size_t pitch_bytes = 0;
  PixelFormat format;

  [[nodiscard]] Byte* row_bytes(int y) const { return data + static_cast<std::size_t>(y) * pitch_bytes; }

  /// Row y as an array of width × channels values of type T (const for a ConstView).
  template <class T>
  [[nodiscard]] auto row(int y) const {
    using Pointer = std::conditional_t<std::is_const_v<Byte>, const T*, T*>;
    return reinterpret_cast<Pointer>(row_bytes(y));
  }
  [[nodiscard]] std::size_t tight_pitch_bytes() const {
    return static_cast<std::size_t>(width) * format.bytes_per_pixel();
  }
  [[nodiscard]] std::size_t pixel_count() const {
    return static_cast<std::size_t>(width) * static_cast<std::size_t>(height);
  }
  operator BasicView<const std::byte>() const requires(!std::is_const_v<Byte>) {
    return {data, width, height, pitch_bytes, format};
  }
};

using View = BasicView<std::byte>;
using ConstView = BasicView<const std::byte>;

/// Frees pixel memory by calling a stored function, so that an Image can own ordinary or page-locked memory.
struct PixelMemoryDeleter {
  void (*release)(std::byte*) = nullptr;
  void operator()(std::byte* p) const { release(p); }
};
using PixelMemory = std::unique_ptr<std::byte[], PixelMemoryDeleter>;

/// Blocks of at least this size are aligned to 2 MiB, and huge pages are requested for them.
inline constexpr std::size_t kHugePixelBytes = std::size_t{4} << 20;

/// Uninitialized host memory for pixels, aligned to at least 64 bytes and released by std::free(). Throws
/// Error{out_of_memory}. Defined in core/pixel_memory.cpp.
PixelMemory allocate_pixels(std::size_t bytes);

/// Owned pixels: rows without padding, uninitialized on construction. Move-only; clone() copies.
class Image {
 public:
  Image() = default;

  /// `width` and `height` must be at least 1. Throws Error{out_of_memory}.
  Image(int width, int height, PixelFormat format)
      : Image(width, height, format, allocate_pixels(bytes_of(width, height, format))) {}

  /// Takes ownership of `memory`, which must hold at least width × height × bytes_per_pixel bytes.
  Image(int width, int height, PixelFormat format, PixelMemory memory)
      : memory_(std::move(memory)), width_(width), height_(height), format_(format) {}

  [[nodiscard]] int width() const { return width_; }
  [[nodiscard]] int height() const { return height_; }
  [[nodiscard]] PixelFormat format() const { return format_; }
  [[nodiscard]] bool empty() const { return memory_ == nullptr; }
  [[nodiscard]] std::size_t pitch_bytes() const { return static_cast<std::size_t>(width_) * format_.bytes_per_pixel(); }
  [[nodiscard]] std::size_t size_bytes() const { return pitch_bytes() * static_cast<std::size_t>(height_); }

  [[nodiscard]] View view() { return {memory_.get(), width_, height_, pitch_bytes(), format_}; }
  [[nodiscard]] ConstView view() const { return {memory_.get(), width_, height_, pitch_bytes(), format_}; }

  [[nodiscard]] Image clone() const {
    Image copy(width_, height_, format_);
    std::memcpy(copy.memory_.get(), memory_.get(), size_bytes());
    return copy;
  }

  /// Size in bytes of the pixels without padding. Saturates at half the address space, so that an allocator that rounds
  /// up cannot overflow.
  static std::size_t bytes_of(int width, int height, PixelFormat format) {
    const std::size_t pixels = static_cast<std::size_t>(width) * static_cast<std::size_t>(height);
    const std::size_t each = format.bytes_per_pixel();
    constexpr std::size_t kMax = ~std::size_t{0} / 2;
    return each != 0 && pixels > kMax / each ? kMax : pixels * each;
  }

 private:
  PixelMemory memory_;
  int width_ = 0;
  int height_ = 0;
  PixelFormat format_;
};

/// Copies pixels between views of the same size and format.
inline void copy_pixels(ConstView from, View to) {
  for (int y = 0; y < from.height; ++y) {
    std::memcpy(to.row_bytes(y), from.row_bytes(y), from.tight_pitch_bytes());
  }
}

/// Copies a view into an Image. The Image has no row padding.
inline Image copy_of(ConstView view) {
  Image image(view.width, view.height, view.format);
  copy_pixels(view, image.view());
  return image;
}

/// A size in pixels.
struct Size {
  int width = 0;
  int height = 0;

  friend constexpr bool operator==(const Size&, const Size&) = default;
};

/// A rectangle in pixels; x and y are measured from the top left corner of the image.
struct Rect {
  int x = 0;
  int y = 0;
  int width = 0;
  int height = 0;
};

}  // namespace gpuimg
