// Parses the header of binary PNM: text numbers after the two letters, separated by white space and comments.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "codecs/byte_fields.hpp"
#include "text/refusals.hpp"

namespace gpuimg::codecs {

/// Width, height and maximum value, in this order. Refuses malformed headers; `name` is printable.
class PnmHeader {
 public:
  PnmHeader(ByteSpan bytes, const std::string& name) : bytes_(bytes), name_(name) {}

  /// The next number, after white space and comments.
  std::uint64_t number() {
    skip_space();
    std::uint64_t value = 0;
    std::size_t digits = 0;
    for (; peek() >= '0' && peek() <= '9'; ++offset_, ++digits) {
      value = value * 10 + (peek() - '0');
      if (value > 0xFFFFFFFFU) {
        refuse_damaged(name_, "a number in its header is too large");
      }
    }
    if (digits == 0) {
      refuse_damaged(name_, "its header lacks a number");
    }
    return value;
  }

  /// Everything after the single white space that follows the last number.
  ByteSpan body() {
    if (!is_space(peek())) {
      refuse_damaged(name_, "its header does not end in white space");
    }
    return bytes_.subspan(offset_ + 1);
  }

 private:
  static bool is_space(std::uint32_t c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

  std::uint32_t peek() const {
    if (offset_ >= bytes_.size()) {
      refuse_truncated(name_);
    }
    return u8_at(bytes_, offset_);
  }

  void skip_space() {
    while (is_space(peek()) || peek() == '#') {
      if (peek() == '#') {
        while (peek() != '\n' && peek() != '\r') {
          ++offset_;
        }
      }
      ++offset_;
    }
  }

  ByteSpan bytes_;
  const std::string& name_;
  std::size_t offset_ = 2;
};

}  // namespace gpuimg::codecs
