// Uses std::from_chars because CLI11 reads 010 as octal and 0x10 as hexadecimal.
#include "cli/number_options.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <type_traits>

#include "gpuimg/error.hpp"

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

}  // namespace

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

}  // namespace gpuimg
