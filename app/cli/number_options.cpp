// Reads numbers with std::from_chars: CLI11 takes 010 for octal and 0x10 for hexadecimal.
#include "cli/number_options.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <type_traits>

#include "gpuimg/error.hpp"

namespace gpuimg {
namespace {

/// What is meant by "50%" and "0,5".
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

template <class Number>
Number number_in(const std::string& option, const std::string& text) {
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

template <class Number, class Target>
CLI::Option* add(CLI::App& parser, const std::string& name, Target& value, const std::string& description) {
  return parser.add_option_function<std::string>(
      name, [&value, name](const std::string& text) { value = number_in<Number>(name, text); }, description);
}

}  // namespace

CLI::Option* add_number(CLI::App& parser, const std::string& name, int& value, const std::string& description) {
  return add<int>(parser, name, value, description);
}

CLI::Option* add_number(CLI::App& parser, const std::string& name, double& value, const std::string& description) {
  return add<double>(parser, name, value, description);
}

CLI::Option* add_number(CLI::App& parser, const std::string& name, std::optional<int>& value,
                        const std::string& description) {
  return add<int>(parser, name, value, description);
}

CLI::Option* add_number(CLI::App& parser, const std::string& name, std::optional<double>& value,
                        const std::string& description) {
  return add<double>(parser, name, value, description);
}

}  // namespace gpuimg
