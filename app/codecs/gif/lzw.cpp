// A reader of codes and the table of strings that grows with each code.
#include "codecs/gif/lzw.hpp"

#include <algorithm>
#include <array>

namespace gpuimg::codecs {
namespace {

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

class Lzw {
 public:
  explicit Lzw(int root_bits) : root_bits_(root_bits) {
    for (std::uint32_t color = 0; color < std::min(clear_code(), 256U); ++color) {
      entries_[color] = {0, 1, static_cast<std::uint8_t>(color), static_cast<std::uint8_t>(color)};
    }
    clear();
  }

  /// Width of the next code.
  [[nodiscard]] int code_bits() const { return code_bits_; }
  [[nodiscard]] std::uint32_t clear_code() const { return 1U << root_bits_; }
  [[nodiscard]] std::uint32_t end_code() const { return clear_code() + 1; }

  /// Resets the table to the codes of single colors.
  void clear() {
    used_ = end_code() + 1;
    code_bits_ = root_bits_ + 1;
    has_previous_ = false;
  }

  /// Writes the colors of a code, neither clear nor end, to the front of `to`, as far as there is room, and advances
  /// `to`. Returns false if the code is impossible here. A full table stays as it is until it is cleared.
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
  /// A string of colors: that of the code `prefix`, then `last`. Length 0 marks codes without a string, which exist if
  /// root_bits is more than 8.
  struct Entry {
    std::uint16_t prefix = 0;
    std::uint16_t length = 0;
    std::uint8_t first = 0;
    std::uint8_t last = 0;
  };

  /// Adds the previous string plus the first color of this one. `code` may be the code that is being added.
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

}  // namespace

std::size_t decode_lzw(GifBlocks& blocks, int root_bits, std::span<std::uint8_t> pixels) {
  Lzw lzw(root_bits);
  CodeReader reader(blocks);
  std::span<std::uint8_t> missing = pixels;
  std::uint32_t code = 0;
  while (!missing.empty() && reader.next(lzw.code_bits(), code) && code != lzw.end_code()) {
    if (code == lzw.clear_code()) {
      lzw.clear();
    } else if (!lzw.decode(code, missing)) {
      refuse_damaged(blocks.name(), "its pixels contain an impossible code");
    }
  }
  reader.skip_rest();
  return pixels.size() - missing.size();
}

}  // namespace gpuimg::codecs
