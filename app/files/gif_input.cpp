// GIF: every block walked to the trailer, and the LZW codes of the first frame followed without writing pixels, because
// stb_image accepts frames that end early and colors that are not in the table.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "files/refusals.hpp"
#include "files/stb_input.hpp"

namespace gpuimg {

namespace {

constexpr std::size_t kScreenBytes = 13;

class Cursor {
 public:
  Cursor(ByteSpan bytes, const std::string& name) : bytes_(bytes), name_(name) {}

  [[nodiscard]] const std::string& name() const { return name_; }

  ByteSpan take(std::size_t count) {
    if (bytes_.size() < count) {
      refuse_truncated(name_);
    }
    const ByteSpan taken = bytes_.first(count);
    bytes_ = bytes_.subspan(count);
    return taken;
  }
  std::uint32_t byte() { return u8_at(take(1), 0); }

  void skip_blocks() {
    while (const std::uint32_t size = byte()) {
      take(size);
    }
  }

 private:
  ByteSpan bytes_;
  const std::string& name_;
};

/// The LZW codes in a chain of blocks, least significant bit first.
class CodeReader {
 public:
  explicit CodeReader(Cursor& cursor) : cursor_(cursor) {}

  /// False at the end of the chain.
  bool next(int bits, std::uint32_t& code) {
    while (held_bits_ < bits) {
      if (block_.empty()) {
        const std::uint32_t size = ended_ ? 0 : cursor_.byte();
        if (size == 0) {
          ended_ = true;
          return false;
        }
        block_ = cursor_.take(size);
      }
      held_ |= u8_at(block_, 0) << held_bits_;
      held_bits_ += 8;
      block_ = block_.subspan(1);
    }
    code = held_ & ((1U << bits) - 1);
    held_ >>= bits;
    held_bits_ -= bits;
    return true;
  }

  void skip_rest() {
    if (!ended_) {
      cursor_.skip_blocks();
    }
  }

 private:
  Cursor& cursor_;
  ByteSpan block_;
  std::uint32_t held_ = 0;
  int held_bits_ = 0;
  bool ended_ = false;
};

/// How many pixels each code stands for, and the largest color among them.
class CodeTable {
 public:
  explicit CodeTable(int root_bits) : root_bits_(root_bits) { clear(); }

  [[nodiscard]] std::uint32_t clear_code() const { return 1U << root_bits_; }
  [[nodiscard]] int code_bits() const { return code_bits_; }

  void clear() {
    for (std::uint32_t i = 0; i < clear_code(); ++i) {
      entries_[i] = {1, static_cast<std::uint16_t>(i), static_cast<std::uint16_t>(i)};
    }
    used_ = clear_code() + 2;
    code_bits_ = root_bits_ + 1;
    has_previous_ = false;
  }

  /// Follows one code that is neither clear nor end. Returns false for a code that cannot stand here.
  bool follow(std::uint32_t code, std::uint64_t& pixels, std::uint32_t& largest) {
    if (code > used_ || (code == used_ && (!has_previous_ || used_ == kMaxCodes))) {
      return false;
    }
    if (has_previous_ && used_ < kMaxCodes) {
      const Entry& before = entries_[previous_];
      const std::uint16_t suffix = code == used_ ? before.first : entries_[code].first;
      entries_[used_] = {before.pixels + 1, before.first, std::max(before.largest, suffix)};
      ++used_;
      if (used_ == (1U << code_bits_) && code_bits_ < 12) {
        ++code_bits_;
      }
    }
    pixels += entries_[code].pixels;
    largest = std::max<std::uint32_t>(largest, entries_[code].largest);
    previous_ = code;
    has_previous_ = true;
    return true;
  }

 private:
  static constexpr std::uint32_t kMaxCodes = 4096;
  struct Entry {
    std::uint32_t pixels = 0;
    std::uint16_t first = 0;
    std::uint16_t largest = 0;
  };
  std::array<Entry, kMaxCodes> entries_{};
  int root_bits_;
  int code_bits_ = 0;
  std::uint32_t used_ = 0;
  std::uint32_t previous_ = 0;
  bool has_previous_ = false;
};

void check_codes(Cursor& cursor, std::uint64_t pixels, std::uint32_t colors) {
  const auto root_bits = static_cast<int>(cursor.byte());
  if (root_bits < 1 || root_bits > 8) {
    refuse_damaged(cursor.name(), fmt::format("its codes begin with {} bits", root_bits));
  }
  constexpr std::uint64_t kMostTooMany = 65536;
  CodeTable table(root_bits);
  CodeReader codes(cursor);
  std::uint64_t seen = 0;
  std::uint32_t largest = 0;
  std::uint32_t code = 0;
  while (codes.next(table.code_bits(), code) && code != table.clear_code() + 1) {
    if (code == table.clear_code()) {
      table.clear();
    } else if (!table.follow(code, seen, largest)) {
      refuse_damaged(cursor.name(), "an impossible code stands in its pixels");
    } else if (seen > pixels + kMostTooMany) {  // stb_image would follow each to nowhere
      refuse_damaged(cursor.name(), "its first frame holds more pixels than it declares");
    }
  }
  codes.skip_rest();
  if (seen < pixels) {
    refuse_damaged(cursor.name(), "its first frame holds fewer pixels than it declares");
  }
  if (largest >= colors) {
    refuse_damaged(cursor.name(), fmt::format("a pixel has color {} of a table of {}", largest, colors));
  }
}

std::uint32_t take_color_table(Cursor& cursor, std::uint32_t flags) {
  if ((flags & 0x80U) == 0) {
    return 0;
  }
  const std::uint32_t colors = 2U << (flags & 7U);
  cursor.take(std::size_t{3} * colors);
  return colors;
}

/// Behind the block's 0x2C. Only the first frame is checked further.
void read_frame(Cursor& cursor, const StbInput& input, std::uint32_t screen_colors, bool is_first) {
  const ByteSpan frame = cursor.take(9);
  const std::uint32_t own_colors = take_color_table(cursor, u8_at(frame, 8));
  if (!is_first) {
    cursor.take(1);
    cursor.skip_blocks();
    return;
  }
  const std::uint64_t width = u16le_at(frame, 4);
  const std::uint64_t height = u16le_at(frame, 6);
  const bool is_inside = u16le_at(frame, 0) + width <= static_cast<std::uint64_t>(input.width) &&
                         u16le_at(frame, 2) + height <= static_cast<std::uint64_t>(input.height);
  if (!is_inside || width == 0 || height == 0) {
    refuse_damaged(cursor.name(), "its first frame is empty or not inside the screen it declares");
  }
  const std::uint32_t colors = own_colors != 0 ? own_colors : screen_colors;
  if (colors == 0) {
    refuse_damaged(cursor.name(), "its color table is missing");
  }
  check_codes(cursor, width * height, colors);
}

/// Walks all blocks to the trailer; returns the number of frames.
std::size_t walk_blocks(Cursor& cursor, const StbInput& input, std::uint32_t screen_colors) {
  constexpr std::uint32_t kFrame = 0x2C;
  constexpr std::uint32_t kExtension = 0x21;
  constexpr std::uint32_t kTrailer = 0x3B;
  std::size_t frames = 0;
  for (;;) {
    const std::uint32_t block = cursor.byte();
    if (block == kTrailer) {
      return frames;
    }
    if (block == kFrame) {
      read_frame(cursor, input, screen_colors, frames == 0);
      ++frames;
    } else if (block == kExtension) {
      cursor.take(1);
      cursor.skip_blocks();
    } else {
      refuse_damaged(cursor.name(), fmt::format("an unknown block {:#04x} stands in it", block));
    }
  }
}

}  // namespace

StbInput gif_input(ByteSpan bytes, const std::string& name, std::uint64_t max_pixels) {
  Cursor cursor(bytes, name);
  const ByteSpan screen = cursor.take(kScreenBytes);
  StbInput input;
  input.file_type = "GIF";
  set_checked_size(input, name, u16le_at(screen, 6), u16le_at(screen, 8), 4, max_pixels);
  const std::uint32_t screen_colors = take_color_table(cursor, u8_at(screen, 10));
  const std::size_t frames = walk_blocks(cursor, input, screen_colors);
  if (frames == 0) {
    refuse_damaged(name, "it holds no image");
  }
  if (frames > 1) {
    input.notes.emplace_back("GIF animation: first frame only");
  }
  input.header.assign(screen.begin(), screen.end());
  // No background color: stb_image would paint it where the frame does not reach, with red and blue exchanged.
  input.header[11] = std::byte{0};
  input.body = bytes.subspan(kScreenBytes);
  input.channels = 4;
  input.alpha = StbAlpha::drop_if_opaque;
  return input;
}

}  // namespace gpuimg
