// Reads GIF: blocks, LZW codes, frames, interlacing and colors. GIF89a specification.
#include "codecs/formats.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "codecs/byte_fields.hpp"
#include "codecs/rejections.hpp"

namespace gpuimg::codecs::gif {
namespace {

/// Reads a file's bytes and chains of blocks in order (sections 15 and 16). Rejects the file as truncated if it ends
/// too early.
class GifBlocks {
 public:
  GifBlocks(ByteSpan bytes, const std::string& name) : bytes_(bytes), name_(name) {}

  [[nodiscard]] const std::string& name() const { return name_; }

  ByteSpan take(std::size_t count) {
    if (bytes_.size() < count) {
      reject_truncated(name_);
    }
    const ByteSpan taken = bytes_.first(count);
    bytes_ = bytes_.subspan(count);
    return taken;
  }
  std::uint32_t byte() { return u8_at(take(1), 0); }

  /// The next block of a chain. An empty block ends the chain.
  ByteSpan block() { return take(byte()); }
  void skip_blocks() {
    while (!block().empty()) {
    }
  }

 private:
  ByteSpan bytes_;
  const std::string& name_;
};

constexpr int kMaxLzwRootBits = 11;

/// Reads codes from a chain of blocks, least significant bit first.
class CodeReader {
 public:
  explicit CodeReader(GifBlocks& blocks) : blocks_(blocks) {}

  /// Returns false at the end of the chain.
  bool next(int bits, std::uint32_t& code) {
    while (held_bits_ < bits) {
      if (block_.empty()) {
        block_ = has_ended_ ? ByteSpan{} : blocks_.block();
        has_ended_ = block_.empty();
        if (has_ended_) {
          return false;
        }
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
    if (!has_ended_) {
      blocks_.skip_blocks();
    }
  }

 private:
  GifBlocks& blocks_;
  ByteSpan block_;
  std::uint32_t held_ = 0;
  int held_bits_ = 0;
  bool has_ended_ = false;
};

/// GIF's variant of LZW: each code of up to 12 bits adds a string to a table. Appendix F.
class Lzw {
 public:
  explicit Lzw(int root_bits) : root_bits_(root_bits) {
    for (std::uint32_t color = 0; color < std::min(clear_code(), 256U); ++color) {
      entries_[color] = {0, 1, static_cast<std::uint8_t>(color), static_cast<std::uint8_t>(color)};
    }
    clear();
  }

  /// Number of bits in the next code.
  [[nodiscard]] int code_bits() const { return code_bits_; }
  [[nodiscard]] std::uint32_t clear_code() const { return 1U << root_bits_; }
  [[nodiscard]] std::uint32_t end_code() const { return clear_code() + 1; }

  /// Resets the table to the codes for single colors.
  void clear() {
    used_ = end_code() + 1;
    code_bits_ = root_bits_ + 1;
    has_previous_ = false;
  }

  /// Decodes a code other than the clear code and the end code. Writes its colors to the front of `to`, as far as they
  /// fit, and advances `to`. Returns false if the code is invalid at this point. A full table stays unchanged until it
  /// is cleared.
  bool decode(std::uint32_t code, std::span<std::uint8_t>& to) {
    const bool can_add = has_previous_ && used_ < kMaxCodes;
    const bool is_known = code < used_ && entries_[code].length > 0;
    if (!is_known && !(code == used_ && can_add)) {
      return false;
    }
    if (can_add) {
      add(code);
    }
    constexpr int kMaxBits = 12;
    if (used_ == (1U << code_bits_) && code_bits_ < kMaxBits) {
      ++code_bits_;
    }
    write(code, to);
    previous_ = code;
    has_previous_ = true;
    return true;
  }

 private:
  static constexpr std::uint32_t kMaxCodes = 4096;
  /// A string of colors: the string of the code `prefix` followed by the color `last`. A length of 0 marks codes
  /// without a string; such codes exist if root_bits is more than 8.
  struct Entry {
    std::uint16_t prefix = 0;
    std::uint16_t length = 0;
    std::uint8_t first = 0;
    std::uint8_t last = 0;
  };

  /// Adds a string: the previous string plus the first color of the string of `code`. `code` can be the new code
  /// itself.
  void add(std::uint32_t code) {
    const Entry& prefix = entries_[previous_];
    const std::uint8_t last = entries_[code == used_ ? previous_ : code].first;
    entries_[used_] = {static_cast<std::uint16_t>(previous_), static_cast<std::uint16_t>(prefix.length + 1),
                       prefix.first, last};
    ++used_;
  }

  void write(std::uint32_t code, std::span<std::uint8_t>& to) const {
    std::size_t left = entries_[code].length;
    const std::size_t room = std::min(left, to.size());
    for (; left > room; --left) {
      code = entries_[code].prefix;
    }
    for (; left > 0; --left) {
      to[left - 1] = entries_[code].last;
      code = entries_[code].prefix;
    }
    to = to.subspan(room);
  }

  std::array<Entry, kMaxCodes> entries_{};
  int root_bits_;
  int code_bits_ = 0;
  std::uint32_t used_ = 0;
  std::uint32_t previous_ = 0;
  bool has_previous_ = false;
};

/// Decodes a chain of blocks to color indices, and returns the number of indices written to `pixels`. Stops at the end
/// code or when `pixels` is full, and skips the rest of the chain. Each code below 2^root_bits represents one color;
/// root_bits is 1 to kMaxLzwRootBits. Rejects the file as damaged at an invalid code.
std::size_t decode_lzw(GifBlocks& blocks, int root_bits, std::span<std::uint8_t> pixels) {
  Lzw lzw(root_bits);
  CodeReader reader(blocks);
  std::span<std::uint8_t> missing = pixels;
  std::uint32_t code = 0;
  while (!missing.empty() && reader.next(lzw.code_bits(), code) && code != lzw.end_code()) {
    if (code == lzw.clear_code()) {
      lzw.clear();
    } else if (!lzw.decode(code, missing)) {
      reject_damaged(blocks.name(), "its pixels contain an invalid code");
    }
  }
  reader.skip_rest();
  return pixels.size() - missing.size();
}

constexpr int kNone = -1;

/// The screen. It is enlarged to hold the first frame.
struct Screen {
  int width = 0;
  int height = 0;
  ByteSpan colors;

  [[nodiscard]] std::uint64_t pixels() const {
    return static_cast<std::uint64_t>(width) * static_cast<std::uint64_t>(height);
  }
};

struct Frame {
  Rect place;  ///< position on the screen
  bool is_interlaced = false;
  ByteSpan colors;          ///< three bytes per color
  int transparent = kNone;  ///< index of the transparent color
  std::unique_ptr<std::uint8_t[]> memory;

  /// One color index per pixel, in file order.
  [[nodiscard]] std::span<std::uint8_t> pixels() const {
    return {memory.get(), static_cast<std::size_t>(place.width) * static_cast<std::size_t>(place.height)};
  }
  [[nodiscard]] bool covers(const Screen& screen) const {
    return place.width == screen.width && place.height == screen.height;
  }
  [[nodiscard]] bool has_transparent_pixels() const {
    const std::span<const std::uint8_t> all = pixels();
    return transparent != kNone && std::find(all.begin(), all.end(), transparent) != all.end();
  }
};

ByteSpan take_color_table(GifBlocks& blocks, std::uint32_t flags) {
  constexpr std::uint32_t kHasTable = 0x80;
  return (flags & kHasTable) != 0 ? blocks.take(std::size_t{3} * (2U << (flags & 7U))) : ByteSpan{};
}

Screen read_screen(GifBlocks& blocks) {
  constexpr std::size_t kScreenBytes = 13;
  const ByteSpan header = blocks.take(kScreenBytes);
  Screen screen;
  screen.width = static_cast<int>(u16le_at(header, 6));
  screen.height = static_cast<int>(u16le_at(header, 8));
  screen.colors = take_color_table(blocks, u8_at(header, 10));
  return screen;
}

/// Decodes into uninitialized memory, and checks the number of pixels afterwards. So a file with few pixels touches
/// little memory.
void read_pixels(GifBlocks& blocks, Frame& frame) {
  const auto root_bits = static_cast<int>(blocks.byte());
  if (root_bits < 1 || root_bits > kMaxLzwRootBits) {
    reject_damaged(blocks.name(), fmt::format("its minimum code size {} is out of range", root_bits));
  }
  frame.memory.reset(new std::uint8_t[frame.pixels().size()]);
  const std::span<std::uint8_t> pixels = frame.pixels();
  if (decode_lzw(blocks, root_bits, pixels) < pixels.size()) {
    reject_damaged(blocks.name(), "its first frame holds fewer pixels than it declares");
  }
  const std::size_t largest = *std::max_element(pixels.begin(), pixels.end());
  const std::size_t colors = frame.colors.size() / 3;
  if (largest >= colors) {
    reject_damaged(blocks.name(),
                   fmt::format("a pixel has color index {}, but its color table has size {}", largest, colors));
  }
}

/// Reads everything before the pixels of a frame.
Frame read_frame_header(GifBlocks& blocks, Screen& screen, int transparent) {
  constexpr std::uint32_t kInterlaced = 0x40;
  const ByteSpan header = blocks.take(9);
  const std::uint32_t flags = u8_at(header, 8);
  Frame frame;
  const auto number = [&](std::size_t offset) { return static_cast<int>(u16le_at(header, offset)); };
  frame.place = {number(0), number(2), number(4), number(6)};
  frame.is_interlaced = (flags & kInterlaced) != 0;
  frame.transparent = transparent;
  const ByteSpan own_colors = take_color_table(blocks, flags);
  frame.colors = own_colors.empty() ? screen.colors : own_colors;
  if (frame.place.width == 0 || frame.place.height == 0) {
    reject_damaged(blocks.name(), "its first frame is empty");
  }
  screen.width = std::max(screen.width, frame.place.x + frame.place.width);
  screen.height = std::max(screen.height, frame.place.y + frame.place.height);
  if (frame.colors.empty()) {
    reject_damaged(blocks.name(), "its color table is missing");
  }
  return frame;
}

void skip_frame(GifBlocks& blocks) {
  take_color_table(blocks, u8_at(blocks.take(9), 8));
  blocks.take(1);
  blocks.skip_blocks();
}

/// Reads the graphic control extension for the next frame; returns its transparent color.
int read_control(GifBlocks& blocks) {
  const ByteSpan control = blocks.block();
  if (control.empty()) {
    return kNone;
  }
  blocks.skip_blocks();
  const bool has_transparent = control.size() == 4 && (u8_at(control, 0) & 1U) != 0;
  return has_transparent ? static_cast<int>(u8_at(control, 3)) : kNone;
}

/// Reads the extensions before the next frame, and keeps the last transparent color. Returns false at the trailer.
bool find_frame(GifBlocks& blocks, int& transparent) {
  constexpr std::uint32_t kFrame = 0x2C;
  constexpr std::uint32_t kExtension = 0x21;
  constexpr std::uint32_t kControl = 0xF9;
  constexpr std::uint32_t kTrailer = 0x3B;
  for (;;) {
    const std::uint32_t block = blocks.byte();
    if (block == kTrailer || block == kFrame) {
      return block == kFrame;
    }
    if (block != kExtension) {
      reject_damaged(blocks.name(), fmt::format("it contains an unknown block {:#04x}", block));
    }
    if (blocks.byte() == kControl) {
      transparent = read_control(blocks);
    } else {
      blocks.skip_blocks();
    }
  }
}

Frame first_frame_header(GifBlocks& blocks, Screen& screen) {
  int transparent = kNone;
  if (!find_frame(blocks, transparent)) {
    reject_damaged(blocks.name(), "it has no image");
  }
  return read_frame_header(blocks, screen, transparent);
}

/// A note about the blocks after the first frame; empty if only the trailer follows.
std::string note_on_rest(GifBlocks& blocks) {
  try {
    int unused = kNone;
    if (!find_frame(blocks, unused)) {
      return {};
    }
    do {
      skip_frame(blocks);
    } while (find_frame(blocks, unused));
    return "GIF animation: first frame only";
  } catch (const Error&) {
    return "GIF: the file is damaged or cut off after its first frame, which is read";
  }
}

/// The order in which a file stores the rows of a frame. Interlacing: appendix E.
std::vector<int> order_of_rows(const Frame& frame) {
  std::vector<int> rows;
  rows.reserve(static_cast<std::size_t>(frame.place.height));
  const auto add = [&](int first, int step) {
    for (int y = first; y < frame.place.height; y += step) {
      rows.push_back(y);
    }
  };
  if (frame.is_interlaced) {
    add(0, 8);
    add(4, 8);
    add(2, 4);
    add(1, 2);
  } else {
    add(0, 1);
  }
  return rows;
}

template <std::size_t kChannels>
void paint(const Frame& frame, View to) {
  std::array<std::array<std::byte, kChannels>, 256> colors{};
  for (std::size_t color = 0; color < frame.colors.size() / 3; ++color) {
    if (static_cast<int>(color) != frame.transparent) {
      colors[color].fill(std::byte{0xFF});
      std::copy_n(frame.colors.begin() + static_cast<std::ptrdiff_t>(3 * color), 3, colors[color].begin());
    }
  }
  const std::uint8_t* pixel = frame.pixels().data();
  for (const int y : order_of_rows(frame)) {
    std::byte* out = to.row_bytes(frame.place.y + y) + static_cast<std::size_t>(frame.place.x) * kChannels;
    for (int x = 0; x < frame.place.width; ++x, ++pixel, out += kChannels) {
      std::memcpy(out, colors[*pixel].data(), kChannels);
    }
  }
}

/// A screen of transparent black. Memory pages of a large screen are allocated only where the frame is written.
Image empty_screen(const Screen& screen) {
  void* const zeros = std::calloc(static_cast<std::size_t>(screen.pixels()), 4);
  if (zeros == nullptr) {
    throw Error(ErrorKind::out_of_memory, fmt::format("cannot allocate {} bytes for pixels; use a smaller image or a "
                                                      "machine with more memory",
                                                      4 * screen.pixels()));
  }
  return {
      screen.width,
      screen.height,
      {Sample::u8, 4},
      PixelMemory(static_cast<std::byte*>(zeros), PixelMemoryDeleter{[](std::byte* memory) { std::free(memory); }})};
}

Image painted(const Screen& screen, const Frame& frame, const ReadOptions& options) {
  if (!frame.covers(screen)) {
    Image image = empty_screen(screen);
    paint<4>(frame, image.view());
    return image;
  }
  const bool has_alpha = frame.has_transparent_pixels();
  Image image = options.image(screen.width, screen.height, {Sample::u8, has_alpha ? 4 : 3});
  has_alpha ? paint<4>(frame, image.view()) : paint<3>(frame, image.view());
  return image;
}

}  // namespace

DecodedImage read_gif(std::span<const std::byte> bytes, const std::string& name, const ReadOptions& options) {
  GifBlocks blocks(bytes, name);
  Screen screen = read_screen(blocks);
  Frame frame = first_frame_header(blocks, screen);
  check_size(name, static_cast<std::uint64_t>(screen.width), static_cast<std::uint64_t>(screen.height),
             options.max_pixels);
  check_coverage(name, screen.pixels(), frame.pixels().size(), options);
  read_pixels(blocks, frame);
  DecodedImage decoded;
  decoded.image = painted(screen, frame, options);
  if (std::string note = note_on_rest(blocks); !note.empty()) {
    decoded.notes.push_back(std::move(note));
  }
  return decoded;
}

DeclaredImage declared_gif(ByteSpan beginning, const std::string& name) {
  GifBlocks blocks(beginning, name);
  Screen screen = read_screen(blocks);
  const Frame frame = first_frame_header(blocks, screen);
  const std::size_t colors = frame.colors.size() / 3;
  DeclaredImage declared;
  declared.width = static_cast<std::uint64_t>(screen.width);
  declared.height = static_cast<std::uint64_t>(screen.height);
  declared.color = "palette";
  declared.bits = std::bit_width(colors) - 1;
  declared.palette_colors = static_cast<int>(colors);
  declared.decoded = {Sample::u8, frame.covers(screen) ? 3 : 4};
  declared.may_add_alpha = frame.covers(screen) && frame.transparent != kNone;
  declared.bytes_per_pixel = 4;
  declared.decoder_bytes_per_pixel = 1;
  declared.facts = {{"interlaced", frame.is_interlaced}};
  return declared;
}

}  // namespace gpuimg::codecs::gif
