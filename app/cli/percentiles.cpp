// Parses percentiles digit by digit, because a binary number would not hold 99.825.
#include "cli/percentiles.hpp"

#include <fmt/format.h>

#include <cstdint>
#include <optional>
#include <string_view>

namespace gpuimg {
namespace {

constexpr std::uint32_t kOnePercent = kHundredPercent / 100;

/// Millionths of a percent; nullopt if `text` is not a decimal number up to 100 with at most six decimals.
std::optional<std::uint32_t> parsed(std::string_view text) {
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

}  // namespace

StretchRange parse_percentiles(const std::string& option, const std::string& text) {
  const std::size_t comma = text.find(',');
  if (comma != std::string::npos) {
    const auto low = parsed(std::string_view(text).substr(0, comma));
    const auto high = parsed(std::string_view(text).substr(comma + 1));
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

}  // namespace gpuimg
