// Parses option values other than names: numbers, sizes in bytes, percentiles, tiles, rectangles and colors.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <utility>

#include "gpuimg/image.hpp"
#include "gpuimg/ops/equalize.hpp"

namespace gpuimg {

/// `text` as a Number: int or double. Throws Error{usage} that names `option` if it is not one, or too large.
template <class Number>
Number parse_number(const std::string& option, const std::string& text);

extern template int parse_number<int>(const std::string& option, const std::string& text);
extern template double parse_number<double>(const std::string& option, const std::string& text);

/// "500M", "2G" or "1048576" in bytes; K, M, G and T are powers of 1024. Throws Error{usage} that names `option`.
std::uint64_t parse_byte_size(const std::string& option, const std::string& text);

/// At least `bytes`, in two digits, as parse_byte_size reads it: "2800M".
std::string byte_size_text(std::uint64_t bytes);

/// The percentiles of `equalize --formula stretch`: "LOW,HIGH" in percent, exact decimals, with at most six decimals
/// each. Throws Error{usage} that names `option`.
StretchRange parse_percentiles(const std::string& option, const std::string& text);

/// "0.175,99.825".
std::string percentiles_text(const StretchRange& range);

/// "8x8": how many tiles across and down. Throws Error{usage}.
std::pair<int, int> parse_tiles(const std::string& option, const std::string& text);

/// "x,y,w,h" in pixels. Throws Error{usage}.
Rect parse_region(const std::string& text);

/// Red, green and blue, 8 bits each, encoded as in sRGB files.
struct RgbColor {
  std::array<std::uint8_t, 3> channels{};

  [[nodiscard]] bool is_gray() const { return channels[0] == channels[1] && channels[1] == channels[2]; }

  bool operator==(const RgbColor&) const = default;
};

/// A CSS name, rgb or rrggbb in hexadecimal digits with or without '#', or r,g,b from 0 to 255. Case does not matter.
/// Throws Error{usage} that names `option` and says what it takes.
RgbColor parse_color(const std::string& option, const std::string& text);

}  // namespace gpuimg
