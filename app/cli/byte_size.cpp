// A suffix shifts the number: K by 10 bits, M by 20, and so on. Overflow is refused.
#include "cli/byte_size.hpp"

#include <charconv>
#include <limits>
#include <string_view>

#include "gpuimg/error.hpp"

namespace gpuimg {

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

}  // namespace gpuimg
