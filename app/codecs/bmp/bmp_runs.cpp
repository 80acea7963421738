// Pairs of a count and an index, and escapes: end of row, end of image, a jump, or indices one by one.
#include "codecs/bmp/bmp_runs.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "codecs/refusals.hpp"

namespace gpuimg::codecs {
namespace {

class RunReader {
 public:
  RunReader(ByteSpan data, const BmpHeader& header, std::span<const RgbColor> palette, const std::string& name, View to)
      : data_(data), header_(header), palette_(palette), name_(name), to_(to) {
    const std::int64_t pixels_a_word = header.packing == BmpHeader::Packing::runs8 ? 4 : 8;
    padded_width_ = (std::int64_t{to.width} + pixels_a_word - 1) / pixels_a_word * pixels_a_word;
  }

  void read() {
    while (!has_ended_ && !is_full()) {
      const std::uint32_t count = byte();
      if (count > 0) {
        paint_run(count);
        continue;
      }
      follow_escape(byte());
    }
  }

 private:
  [[nodiscard]] bool is_full() const { return y_ >= to_.height || (y_ == to_.height - 1 && x_ >= to_.width); }

  std::uint32_t byte() {
    require_bytes(data_, 1, name_);
    const std::uint32_t value = u8_at(data_, 0);
    data_ = data_.subspan(1);
    return value;
  }

  void follow_escape(std::uint32_t code) {
    constexpr std::uint32_t kEndOfRow = 0;
    constexpr std::uint32_t kEndOfImage = 1;
    constexpr std::uint32_t kJump = 2;
    switch (code) {
      case kEndOfRow:
        x_ = 0;
        ++y_;
        break;
      case kEndOfImage: has_ended_ = true; break;
      case kJump:
        x_ += static_cast<int>(byte());
        y_ += static_cast<int>(byte());
        if (x_ > padded_width_ || y_ >= to_.height) {
          refuse_damaged(name_, "a jump leaves the image");
        }
        break;
      default: paint_literals(code);
    }
  }

  /// Two indices alternate in a byte of 4-bit runs, the high one first.
  void paint_run(std::uint32_t count) {
    const std::uint32_t value = byte();
    check_room(count);
    for (std::uint32_t i = 0; i < count; ++i) {
      paint(header_.packing == BmpHeader::Packing::runs8 ? value : i % 2 == 0 ? value >> 4 : value & 15U);
    }
  }

  void paint_literals(std::uint32_t count) {
    const bool is_wide = header_.packing == BmpHeader::Packing::runs8;
    const std::size_t bytes = is_wide ? count : (count + 1) / 2;
    const std::size_t padded = bytes + bytes % 2;
    check_room(count);
    require_bytes(data_, padded, name_);
    for (std::uint32_t i = 0; i < count; ++i) {
      paint(is_wide ? u8_at(data_, i) : u8_at(data_, i / 2) >> (i % 2 == 0 ? 4 : 0) & 15U);
    }
    data_ = data_.subspan(padded);
  }

  /// ImageMagick codes rows with the padding that uncompressed rows have.
  void check_room(std::uint32_t count) const {
    if (std::int64_t{x_} + count > padded_width_) {
      refuse_damaged(name_, "a run extends past its row");
    }
  }

  void paint(std::uint32_t index) {
    if (index >= palette_.size()) {
      refuse_damaged(name_,
                     fmt::format("a pixel has color index {}, but its palette has size {}", index, palette_.size()));
    }
    if (x_ < to_.width) {
      const int row = header_.is_top_down ? y_ : to_.height - 1 - y_;
      std::copy_n(palette_[index].begin(), 3, to_.row_bytes(row) + std::size_t{3} * static_cast<std::size_t>(x_));
    }
    ++x_;
  }

  ByteSpan data_;
  const BmpHeader& header_;
  std::span<const RgbColor> palette_;
  const std::string& name_;
  View to_;
  std::int64_t padded_width_ = 0;
  int x_ = 0;
  int y_ = 0;  ///< in the order of the file
  bool has_ended_ = false;
};

}  // namespace

void read_bmp_runs(ByteSpan data, const BmpHeader& header, std::span<const RgbColor> palette, const std::string& name,
                   View to) {
  if (palette.empty()) {
    refuse_damaged(name, "its palette has size 0");
  }
  for (int y = 0; y < to.height; ++y) {
    for (int x = 0; x < to.width; ++x) {
      std::copy_n(palette[0].begin(), 3, to.row_bytes(y) + std::size_t{3} * static_cast<std::size_t>(x));
    }
  }
  RunReader(data, header, palette, name, to).read();
}

}  // namespace gpuimg::codecs
