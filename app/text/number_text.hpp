// Numbers as text, independent of the locale: formatted for people, or appended to a longer text.
#pragma once

#include <fmt/core.h>

#include <cstdint>
#include <string>

namespace gpuimg {

/// 1234567 → "1,234,567".
std::string grouped(std::uint64_t value);

/// At most five characters: "950", "12.3k", "4.56M"; k, M, G, T, P, E are powers of 1000. Fractions: "0.25", "1e-05".
std::string compact(double value);

/// Four significant digits, and all digits before the point: "117.3", "30113".
std::string rounded(double value);

/// Share 0 … 1 as "12.3%", "0.04%", "<0.01%", "0%".
std::string percent(double share);

/// Appends what fmt::format("{}", value) returns, for loops over millions of numbers. A float gets the shortest text
/// that reads back the same.
void append_number(std::string& text, std::uint32_t value);
void append_number(std::string& text, std::uint64_t value);
void append_number(std::string& text, float value);
void append_number(std::string& text, double value);

/// Appends what fmt::format(format, …) returns. fmt::format_to() compiles all of fmt into each file that calls it;
/// vappend_format() calls it in one file.
void vappend_format(std::string& text, fmt::string_view format, fmt::format_args arguments);

template <class... Arguments>
void append_format(std::string& text, fmt::format_string<Arguments...> format, Arguments&&... arguments) {
  vappend_format(text, format, fmt::make_format_args(arguments...));
}

}  // namespace gpuimg
