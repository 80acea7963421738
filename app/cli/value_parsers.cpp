// Parses each kind of value whole: what is left over after it is refused.
#include "cli/value_parsers.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <limits>
#include <optional>
#include <string_view>
#include <system_error>
#include <type_traits>

#include "cli/option_values.hpp"
#include "gpuimg/error.hpp"
#include "gpuimg/ops/clahe.hpp"
#include "text/printable_name.hpp"

namespace gpuimg {
namespace {

/// A suggestion for "50%" and "0,5".
std::string number_meant(std::string text) {
  std::replace(text.begin(), text.end(), ',', '.');
  double number = 0.0;
  const char* end = text.data() + text.size();
  const auto [stop, failure] = std::from_chars(text.data(), end, number);
  const bool is_percent = stop + 1 == end && *stop == '%';
  if (failure != std::errc{} || !(is_percent || stop == end)) {
    return {};
  }
  return fmt::format(" (did you mean {}?)", is_percent ? number / 100.0 : number);
}

constexpr std::uint32_t kOnePercent = kHundredPercent / 100;

/// Millionths of a percent, digit by digit, because a binary number would not hold 99.825; nullopt if `text` is not a
/// decimal number up to 100 with at most six decimals.
std::optional<std::uint32_t> parsed_percentile(std::string_view text) {
  std::uint64_t number = 0;
  std::uint32_t unit = 0;  // of the last decimal; 0 before the point
  bool has_digits = false;
  for (const char c : text) {
    if (c == '.' && unit == 0) {
      unit = kOnePercent;
      continue;
    }
    const bool is_before_point = unit == 0;
    unit /= 10;
    if (c < '0' || c > '9' || (!is_before_point && unit == 0)) {
      return std::nullopt;
    }
    const auto digit = static_cast<std::uint64_t>(c - '0');
    number = is_before_point ? number * 10 + digit * kOnePercent : number + digit * unit;
    has_digits = true;
    if (number > kHundredPercent) {
      return std::nullopt;
    }
  }
  return has_digits ? std::optional(static_cast<std::uint32_t>(number)) : std::nullopt;
}

std::string percent_text(std::uint32_t percentile) {
  std::string text = fmt::format("{}.{:06}", percentile / kOnePercent, percentile % kOnePercent);
  text.erase(text.find_last_not_of('0') + 1);
  return text.back() == '.' ? text.substr(0, text.size() - 1) : text;
}

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

// Uses std::from_chars because CLI11 reads 010 as octal and 0x10 as hexadecimal.
template <class Number>
Number parse_number(const std::string& option, const std::string& text) {
  Number number{};
  const char* end = text.data() + text.size();
  const auto [stop, failure] = std::from_chars(text.data(), end, number);
  if (failure == std::errc{} && stop == end) {
    return number;
  }
  const std::string quoted = option + ": '" + text + "' is ";
  if (failure == std::errc::result_out_of_range) {
    throw Error(ErrorKind::usage, quoted + "too large");
  }
  throw Error(ErrorKind::usage,
              quoted + (std::is_integral_v<Number> ? "not a whole number" : "not a number" + number_meant(text)));
}

template int parse_number<int>(const std::string& option, const std::string& text);
template double parse_number<double>(const std::string& option, const std::string& text);

// A suffix shifts the number: K by 10 bits, M by 20, and so on. Overflow is refused.
std::uint64_t parse_byte_size(const std::string& option, const std::string& text) {
  constexpr std::string_view kUnits = "KMGT";
  const std::size_t unit = text.empty() ? std::string::npos : kUnits.find(text.back());
  const unsigned shift = unit == std::string::npos ? 0 : 10 * (static_cast<unsigned>(unit) + 1);
  const std::string_view digits = std::string_view(text).substr(0, text.size() - (shift > 0 ? 1 : 0));
  std::uint64_t number = 0;
  const auto [stop, failure] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  if (failure != std::errc{} || stop != digits.data() + digits.size() || number == 0 ||
      number > (std::numeric_limits<std::uint64_t>::max() >> shift)) {
    throw Error(ErrorKind::usage, option + ": '" + text + "' is not a number of bytes, such as 800M or 2G");
  }
  return number << shift;
}

std::string byte_size_text(std::uint64_t bytes) {
  constexpr std::uint64_t kMebibyte = std::uint64_t{1} << 20;
  constexpr std::uint64_t kInGibibytes = 10'000;
  constexpr std::uint64_t kTwoDigits = 100;
  std::uint64_t number = bytes / kMebibyte + 1;
  char unit = 'M';
  if (number >= kInGibibytes) {
    number = number / 1024 + 1;
    unit = 'G';
  }
  std::uint64_t step = 1;
  while (number / step >= kTwoDigits) {
    step *= 10;
  }
  return std::to_string((number + step - 1) / step * step) + unit;
}

StretchRange parse_percentiles(const std::string& option, const std::string& text) {
  const std::size_t comma = text.find(',');
  if (comma != std::string::npos) {
    const auto low = parsed_percentile(std::string_view(text).substr(0, comma));
    const auto high = parsed_percentile(std::string_view(text).substr(comma + 1));
    if (low && high && *low < *high) {
      return {*low, *high};
    }
  }
  throw Error(ErrorKind::usage, fmt::format("{}: '{}' is not LOW,HIGH; give two rising percentages from 0 to 100 with "
                                            "at most six decimals, such as {}",
                                            option, text, percentiles_text({})));
}

std::string percentiles_text(const StretchRange& range) {
  return percent_text(range.low) + "," + percent_text(range.high);
}

std::pair<int, int> parse_tiles(const std::string& option, const std::string& text) {
  int across = 0;
  int down = 0;
  const char* const end = text.data() + text.size();
  const auto first = std::from_chars(text.data(), end, across);
  const bool is_pair = first.ec == std::errc{} && first.ptr != end && *first.ptr == 'x';
  const auto second = std::from_chars(is_pair ? first.ptr + 1 : end, end, down);
  const auto is_count = [](int tiles) { return tiles >= 1 && tiles <= kMaxTiles; };
  if (second.ec != std::errc{} || second.ptr != end || !is_count(across) || !is_count(down)) {
    throw Error(ErrorKind::usage, option + ": '" + text + "' is not COLSxROWS; give two numbers from 1 to " +
                                      std::to_string(kMaxTiles) + ", such as 8x8");
  }
  return {across, down};
}

Rect parse_region(const std::string& text) {
  std::array<int, 4> fields{};
  const char* at = text.data();
  const char* const end = at + text.size();
  bool valid = true;
  for (std::size_t i = 0; i < fields.size() && valid; ++i) {
    const bool separated = i == 0 || (at != end && *at++ == ',');
    const auto [stop, failure] = std::from_chars(at, end, fields[i]);
    valid = separated && failure == std::errc{};
    at = stop;
  }
  const Rect region{fields[0], fields[1], fields[2], fields[3]};
  if (!valid || at != end || region.x < 0 || region.y < 0 || region.width < 1 || region.height < 1) {
    throw Error(ErrorKind::usage,
                "--roi: '" + text + "' is not x,y,w,h; give four whole numbers such as 10,20,640,480");
  }
  return region;
}

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
