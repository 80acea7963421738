// Numbers as text, independent of the locale.
#include "text/number_text.hpp"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <cmath>
#include <iterator>
#include <string_view>

namespace gpuimg {

std::string grouped(std::uint64_t value) {
  std::string text = std::to_string(value);
  for (std::size_t place = text.size(); place > 3;) {
    place -= 3;
    text.insert(place, 1, ',');
  }
  return text;
}

std::string compact(double value) {
  constexpr std::string_view kPrefixes = "kMGTPE";
  constexpr double kThreeDigits = 999.5;  // from here on, rounding to three digits gives 1000
  if (value < kThreeDigits) {
    return fmt::format("{:.3g}", value);
  }
  std::size_t power = 0;
  double scaled = value / 1000.0;
  while (scaled >= kThreeDigits && power + 1 < kPrefixes.size()) {
    scaled /= 1000.0;
    ++power;
  }
  return fmt::format("{:.3g}{}", scaled, kPrefixes[power]);
}

std::string rounded(double value) {
  return value < 999.95 ? fmt::format("{:.4g}", value) : fmt::format("{:.0f}", value);
}

std::string percent(double share) {
  if (share > 0.0 && share < 0.0001) {
    return "<0.01%";
  }
  return fmt::format("{:.3g}%", share < 0.01 ? std::round(share * 10000.0) / 100.0 : share * 100.0);
}

void append_number(std::string& text, std::uint32_t value) { append_number(text, std::uint64_t{value}); }

void append_number(std::string& text, std::uint64_t value) {
  constexpr std::size_t kMostDigits = 20;
  std::array<char, kMostDigits> digits{};
  text.append(digits.data(), std::to_chars(digits.data(), digits.data() + digits.size(), value).ptr);
}

// std::to_chars() is not used, because it writes 1e+05 where fmt writes 100000.
void append_number(std::string& text, float value) { fmt::format_to(std::back_inserter(text), "{}", value); }
void append_number(std::string& text, double value) { fmt::format_to(std::back_inserter(text), "{}", value); }

void vappend_format(std::string& text, fmt::string_view format, fmt::format_args arguments) {
  fmt::vformat_to(std::back_inserter(text), format, arguments);
}

}  // namespace gpuimg
