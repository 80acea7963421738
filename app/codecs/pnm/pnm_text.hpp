// Reads the numbers of PNM: decimal, between white space and comments. Netpbm's pages pbm(5), pgm(5) and ppm(5).
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "codecs/byte_fields.hpp"
#include "codecs/refusals.hpp"

namespace gpuimg::codecs {

class PnmText {
 public:
  PnmText(ByteSpan bytes, std::size_t offset, const std::string& name) : bytes_(bytes), offset_(offset), name_(name) {}

  /// The next number of a header. Refuses the file as truncated if nothing follows the number.
  std::uint64_t number() {
    skip_space();
    std::uint64_t value = 0;
    std::size_t digits = 0;
    for (; is_digit(peek()); ++offset_, ++digits) {
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

  /// The next value of a P2 or P3. The last one of a file needs white space after it if a further digit could follow:
  /// without it, nobody can tell whether the file is cut off.
  std::uint32_t value(std::uint32_t max) {
    skip_space();
    std::uint32_t value = 0;
    std::size_t digits = 0;
    for (; has_more() && is_digit(peek()); ++offset_, ++digits) {
      value = value * 10 + (peek() - '0');
      if (value > max) {
        refuse_damaged(name_, "a value exceeds the declared maximum");
      }
    }
    if (digits == 0) {
      refuse_damaged(name_, "its pixels are not all numbers");
    }
    if (!has_more() && value * 10 <= max) {
      refuse_truncated(name_);
    }
    return value;
  }

  /// The next pixel of a P1, which needs no white space. 1 is black.
  bool is_black() {
    skip_space();
    const std::uint32_t digit = peek();
    if (digit != '0' && digit != '1') {
      refuse_damaged(name_, "its pixels are not all 0 or 1");
    }
    ++offset_;
    return digit == '1';
  }

  /// The offset after the single white space that ends a header.
  std::size_t end_of_header() {
    if (!is_space(peek())) {
      refuse_damaged(name_, "its header does not end in white space");
    }
    return offset_ + 1;
  }

 private:
  static bool is_space(std::uint32_t c) { return c == ' ' || (c >= '\t' && c <= '\r'); }
  static bool is_digit(std::uint32_t c) { return c >= '0' && c <= '9'; }

  [[nodiscard]] bool has_more() const { return offset_ < bytes_.size(); }

  [[nodiscard]] std::uint32_t peek() const {
    if (!has_more()) {
      refuse_truncated(name_);
    }
    return u8_at(bytes_, offset_);
  }

  void skip_space() {
    for (; is_space(peek()) || peek() == '#'; ++offset_) {
      if (peek() == '#') {
        while (peek() != '\n' && peek() != '\r') {
          ++offset_;
        }
      }
    }
  }

  ByteSpan bytes_;
  std::size_t offset_;
  const std::string& name_;
};

}  // namespace gpuimg::codecs
