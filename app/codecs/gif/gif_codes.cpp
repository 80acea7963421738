// A table of codes that grows with each: app/codecs/gif/gif_codes.hpp.
#include "codecs/gif/gif_codes.hpp"

#include <algorithm>

namespace gpuimg {

GifCodes::GifCodes(int root_bits) : root_bits_(root_bits) {
  for (std::uint32_t color = 0; color < std::min(clear_code(), 256U); ++color) {
    entries_[color] = {0, 1, static_cast<std::uint8_t>(color), static_cast<std::uint8_t>(color)};
  }
  clear();
}

void GifCodes::clear() {
  used_ = end_code() + 1;
  code_bits_ = root_bits_ + 1;
  has_previous_ = false;
}

bool GifCodes::follow(std::uint32_t code, std::span<std::uint8_t>& to) {
  const bool can_be_new = has_previous_ && used_ < kMostCodes;
  const bool is_known = code < used_ && entries_[code].length > 0;
  if (!is_known && !(code == used_ && can_be_new)) {
    return false;
  }
  if (can_be_new) {
    add(code);
  }
  constexpr int kMostBits = 12;
  if (used_ == (1U << code_bits_) && code_bits_ < kMostBits) {
    ++code_bits_;
  }
  write(code, to);
  previous_ = code;
  has_previous_ = true;
  return true;
}

/// The colors of the previous code and the first of this one, which may be the very code that is added.
void GifCodes::add(std::uint32_t code) {
  const Entry& before = entries_[previous_];
  const std::uint8_t last = entries_[code == used_ ? previous_ : code].first;
  entries_[used_] = {static_cast<std::uint16_t>(previous_), static_cast<std::uint16_t>(before.length + 1), before.first,
                     last};
  ++used_;
}

void GifCodes::write(std::uint32_t code, std::span<std::uint8_t>& to) const {
  std::size_t left = entries_[code].length;
  const std::size_t room = std::min(left, to.size());
  for (; left > room; --left) {
    code = entries_[code].before;
  }
  for (; left > 0; --left) {
    to[left - 1] = entries_[code].last;
    code = entries_[code].before;
  }
  to = to.subspan(room);
}

}  // namespace gpuimg
