// Escapes file names for messages: names are untrusted and must not control the terminal.
#include "text/printable_name.hpp"

#include <fmt/format.h>

#include <cstddef>
#include <cstdint>
#include <iterator>

namespace gpuimg {

namespace {

struct CodePoint {
  std::uint32_t value = 0;
  std::size_t bytes = 0;  // 0: not well-formed UTF-8
};

std::uint32_t byte_at(std::string_view text, std::size_t index) { return static_cast<unsigned char>(text[index]); }

CodePoint first_code_point(std::string_view text) {
  const std::uint32_t lead = byte_at(text, 0);
  if (lead < 0x80) {
    return {lead, 1};
  }
  const std::size_t bytes = lead >= 0xF0 && lead <= 0xF4 ? 4 : lead >= 0xE0 ? 3 : lead >= 0xC2 ? 2 : 0;
  if (bytes == 0 || lead > 0xF4 || text.size() < bytes) {
    return {};
  }
  std::uint32_t value = lead & (0xFFU >> (bytes + 1));
  for (std::size_t i = 1; i < bytes; ++i) {
    const std::uint32_t next = byte_at(text, i);
    if ((next & 0xC0U) != 0x80U) {
      return {};
    }
    value = (value << 6) | (next & 0x3FU);
  }
  const bool overlong = (bytes == 3 && value < 0x800) || (bytes == 4 && value < 0x10000);
  const bool surrogate = value >= 0xD800 && value <= 0xDFFF;
  return overlong || surrogate || value > 0x10FFFF ? CodePoint{} : CodePoint{value, bytes};
}

bool is_hostile(std::uint32_t value) {
  return value < 0x20 || (value >= 0x7F && value < 0xA0) || value == 0x2028 || value == 0x2029 || value == 0x200E ||
         value == 0x200F || (value >= 0x202A && value <= 0x202E) || (value >= 0x2066 && value <= 0x2069);
}

void append_escaped(std::string& out, std::uint32_t value) {
  switch (value) {
    case '\n': out += "\\n"; return;
    case '\r': out += "\\r"; return;
    case '\t': out += "\\t"; return;
    default: out += value < 0x80 ? fmt::format("\\x{:02x}", value) : fmt::format("\\u{{{:04x}}}", value);
  }
}

}  // namespace

std::string printable_name(std::string_view path) {
  std::string out;
  out.reserve(path.size());
  while (!path.empty()) {
    const CodePoint point = first_code_point(path);
    if (point.bytes == 0) {
      fmt::format_to(std::back_inserter(out), "\\x{:02x}", byte_at(path, 0));
      path.remove_prefix(1);
      continue;
    }
    if (is_hostile(point.value)) {
      append_escaped(out, point.value);
    } else {
      out.append(path.substr(0, point.bytes));
    }
    path.remove_prefix(point.bytes);
  }
  return out;
}

std::string printable_name(std::string_view path, std::uint32_t page) {
  return page == 0 ? printable_name(path) : fmt::format("{}, page {}", printable_name(path), page);
}

}  // namespace gpuimg
