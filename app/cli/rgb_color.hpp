// Colors in option values.
#pragma once

#include <array>
#include <cstdint>
#include <string>

namespace gpuimg {

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
