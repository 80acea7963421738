// Color names, hexadecimal digits and decimal triples.
#include "cli/rgb_color.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <optional>
#include <string_view>

#include "cli/option_values.hpp"
#include "text/printable_name.hpp"

namespace gpuimg {
namespace {

/// The 16 names of CSS 1, and the common ones of CSS 3. As in CSS, green is half as bright as lime.
const NamedValues<RgbColor> kColorValues = {
    {"white", {{255, 255, 255}}},  {"black", {{0, 0, 0}}},       {"gray", {{128, 128, 128}}},
    {"silver", {{192, 192, 192}}}, {"red", {{255, 0, 0}}},       {"lime", {{0, 255, 0}}},
    {"blue", {{0, 0, 255}}},       {"green", {{0, 128, 0}}},     {"yellow", {{255, 255, 0}}},
    {"cyan", {{0, 255, 255}}},     {"magenta", {{255, 0, 255}}}, {"aqua", {{0, 255, 255}}},
    {"fuchsia", {{255, 0, 255}}},  {"maroon", {{128, 0, 0}}},    {"olive", {{128, 128, 0}}},
    {"navy", {{0, 0, 128}}},       {"purple", {{128, 0, 128}}},  {"teal", {{0, 128, 128}}},
    {"orange", {{255, 165, 0}}},   {"grey", {{128, 128, 128}}},
};

/// All of `digits` as the value of one channel.
std::optional<std::uint8_t> channel_of(std::string_view digits, int base) {
  std::uint8_t value = 0;
  const auto [stop, failure] = std::from_chars(digits.data(), digits.data() + digits.size(), value, base);
  const bool is_whole = failure == std::errc{} && stop == digits.data() + digits.size();
  return is_whole ? std::optional(value) : std::nullopt;
}

std::optional<RgbColor> color_of(const std::array<std::string_view, 3>& fields, int base, int scale) {
  RgbColor color;
  for (std::size_t i = 0; i < fields.size(); ++i) {
    const auto value = channel_of(fields[i], base);
    if (!value) {
      return std::nullopt;
    }
    color.channels[i] = static_cast<std::uint8_t>(*value * scale);
  }
  return color;
}

std::optional<RgbColor> hexadecimal_color(std::string_view digits) {
  constexpr std::size_t kShort = 3;
  constexpr std::size_t kLong = 6;
  if (digits.size() != kShort && digits.size() != kLong) {
    return std::nullopt;
  }
  const std::size_t each = digits.size() / 3;
  return color_of({digits.substr(0, each), digits.substr(each, each), digits.substr(2 * each)}, 16,
                  each == 1 ? 0x11 : 1);
}

std::optional<RgbColor> decimal_color(std::string_view text) {
  const std::size_t first = text.find(',');
  const std::size_t second = first == std::string_view::npos ? first : text.find(',', first + 1);
  if (second == std::string_view::npos) {
    return std::nullopt;
  }
  return color_of({text.substr(0, first), text.substr(first + 1, second - first - 1), text.substr(second + 1)}, 10, 1);
}

}  // namespace

RgbColor parse_color(const std::string& option, const std::string& text) {
  std::string lower = text;
  std::transform(lower.begin(), lower.end(), lower.begin(), [](unsigned char c) { return std::tolower(c); });
  for (const NamedValue<RgbColor>& named : kColorValues) {
    if (named.name == lower) {
      return named.value;
    }
  }
  const std::string_view digits = std::string_view(lower).substr(lower.starts_with('#') ? 1 : 0);
  if (const auto color = hexadecimal_color(digits)) {
    return *color;
  }
  if (const auto color = decimal_color(lower)) {
    return *color;
  }
  throw Error(ErrorKind::usage, fmt::format("{}: '{}' is not a color{}; use a name such as white, rrggbb, or r,g,b "
                                            "from 0 to 255",
                                            option, printable_name(text), did_you_mean(lower, names_of(kColorValues))));
}

}  // namespace gpuimg
