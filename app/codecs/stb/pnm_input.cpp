// PNM: binary gray (P5) and RGB (P6), 8 and 16 bits, with any maximum value.
#include <fmt/format.h>

#include "codecs/refusals.hpp"
#include "codecs/stb/stb_input.hpp"
#include "codecs/stb/stb_reader.hpp"

namespace gpuimg::codecs {

namespace {

/// Width, height and maximum value, in this order: text numbers after the two letters, separated by white space and
/// comments. Refuses malformed headers.
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

  /// The number that says which value is white.
  std::uint64_t largest_value() {
    const std::uint64_t largest = number();
    if (largest == 0 || largest > 65535) {
      refuse_damaged(name_, fmt::format("its maximum value is {}, but must be 1 to 65535", largest));
    }
    return largest;
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

bool is_color_pnm(ByteSpan bytes) { return u8_at(bytes, 1) == '6'; }

}  // namespace

StbInput pnm_input(ByteSpan bytes, const std::string& name, std::uint64_t max_pixels) {
  PnmHeader header(bytes, name);
  const std::uint64_t width = header.number();
  const std::uint64_t height = header.number();
  StbInput input;
  const bool is_color = is_color_pnm(bytes);
  input.channels = is_color ? 3 : 1;
  set_checked_size(input, "PNM", name, width, height, 6, max_pixels);
  const std::uint64_t largest = header.largest_value();
  const bool is_wide = largest > 255;
  const std::uint32_t full = is_wide ? 65535 : 255;
  input.sample = is_wide ? Sample::u16 : Sample::u8;
  input.is_big_endian = is_wide;
  input.declared_max = largest == full ? 0 : static_cast<std::uint32_t>(largest);
  const ByteSpan body = header.body();
  const std::size_t needed = width * height * static_cast<std::size_t>(input.channels) * sample_bytes(input.sample);
  if (body.size() < needed) {
    refuse_truncated(name);
  }
  input.body = body.first(needed);
  const std::string text = fmt::format("P{}\n{} {}\n{}\n", is_color ? 6 : 5, width, height, full);
  for (const char c : text) {
    input.header.push_back(static_cast<std::byte>(c));
  }
  return input;
}

DeclaredImage declared_pnm(ByteSpan beginning, const std::string& name) {
  PnmHeader header(beginning, name);
  DeclaredImage declared;
  declared.width = header.number();
  declared.height = header.number();
  const std::uint64_t largest = header.largest_value();
  (void)header.body();
  const bool is_color = is_color_pnm(beginning);
  declared.color = is_color ? "RGB" : "gray";
  declared.bits = largest > 255 ? 16 : 8;
  declared.decoded = {largest > 255 ? Sample::u16 : Sample::u8, is_color ? 3 : 1};
  declared.bytes_per_pixel = declared.decoded.bytes_per_pixel();
  declared.facts = {{"max_value", largest}};
  return declared;
}

}  // namespace gpuimg::codecs
