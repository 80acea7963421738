// Text from untrusted bytes: recognizes UTF-8 by the table of well-formed sequences (The Unicode Standard, table 3-7),
// and escapes other bytes.
#include "text/printable_name.hpp"

#include <fmt/format.h>

#include <cstddef>
#include <cstdint>

namespace gpuimg {
namespace {

constexpr std::string_view kReplacement = "\xEF\xBF\xBD";

bool in_range(char c, unsigned low, unsigned high) {
  const auto byte = static_cast<unsigned char>(c);
  return byte >= low && byte <= high;
}

std::uint32_t byte_at(std::string_view text, std::size_t index) { return static_cast<unsigned char>(text[index]); }

/// The code point of one well-formed sequence.
std::uint32_t code_point(std::string_view sequence) {
  const std::uint32_t lead = byte_at(sequence, 0);
  std::uint32_t value = sequence.size() == 1 ? lead : lead & (0xFFU >> (sequence.size() + 1));
  for (std::size_t i = 1; i < sequence.size(); ++i) {
    value = (value << 6) | (byte_at(sequence, i) & 0x3FU);
  }
  return value;
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

std::size_t utf8_sequence_length(std::string_view bytes) {
  if (bytes.empty()) {
    return 0;
  }
  const auto lead = static_cast<unsigned char>(bytes[0]);
  if (lead < 0x80) {
    return 1;
  }
  const std::size_t length = lead >= 0xC2 && lead <= 0xDF   ? 2
                             : (lead & 0xF0U) == 0xE0       ? 3
                             : lead >= 0xF0 && lead <= 0xF4 ? 4
                                                            : 0;
  if (length == 0 || bytes.size() < length) {
    return 0;
  }
  // The second byte's range rules out overlong forms, surrogates and code points above U+10FFFF.
  const unsigned low = lead == 0xE0 ? 0xA0 : lead == 0xF0 ? 0x90 : 0x80;
  const unsigned high = lead == 0xED ? 0x9F : lead == 0xF4 ? 0x8F : 0xBF;
  if (!in_range(bytes[1], low, high)) {
    return 0;
  }
  for (std::size_t i = 2; i < length; ++i) {
    if (!in_range(bytes[i], 0x80, 0xBF)) {
      return 0;
    }
  }
  return length;
}

std::string hex_of(std::string_view bytes) {
  std::string hex;
  for (const char byte : bytes) {
    hex += fmt::format("{:02x}", static_cast<unsigned char>(byte));
  }
  return hex;
}

std::string valid_utf8(std::string_view bytes) {
  std::string text;
  while (!bytes.empty()) {
    const std::size_t length = utf8_sequence_length(bytes);
    text += length == 0 ? kReplacement : bytes.substr(0, length);
    bytes.remove_prefix(length == 0 ? 1 : length);
  }
  return text;
}

std::string shortened(std::string_view bytes, std::size_t limit) {
  std::string text = valid_utf8(bytes);
  std::size_t kept = 0;
  std::size_t last = 0;
  for (std::size_t count = 0; kept < text.size() && count < limit; ++count) {
    last = kept;
    kept += utf8_sequence_length(std::string_view(text).substr(kept));
  }
  if (kept < text.size()) {
    text.replace(last, std::string::npos, "…");
  }
  return text;
}

std::string xml_escaped(std::string_view bytes) {
  std::string text;
  while (!bytes.empty()) {
    const std::size_t length = utf8_sequence_length(bytes);
    const std::string_view sequence = bytes.substr(0, length);
    if (length == 0 || in_range(bytes[0], 0x00, 0x1F) || sequence == "\x7F" || sequence == "\xEF\xBF\xBE" ||
        sequence == "\xEF\xBF\xBF") {
      text += kReplacement;
    } else if (sequence == "&") {
      text += "&amp;";
    } else if (sequence == "<") {
      text += "&lt;";
    } else if (sequence == ">") {
      text += "&gt;";
    } else if (sequence == "\"") {
      text += "&quot;";
    } else if (sequence == "'") {
      text += "&apos;";
    } else {
      text += sequence;
    }
    bytes.remove_prefix(length == 0 ? 1 : length);
  }
  return text;
}

std::string printable_name(std::string_view path) {
  std::string out;
  out.reserve(path.size());
  while (!path.empty()) {
    const std::size_t length = utf8_sequence_length(path);
    if (length == 0) {
      out += fmt::format("\\x{:02x}", byte_at(path, 0));
      path.remove_prefix(1);
      continue;
    }
    const std::uint32_t value = code_point(path.substr(0, length));
    if (is_hostile(value)) {
      append_escaped(out, value);
    } else {
      out.append(path.substr(0, length));
    }
    path.remove_prefix(length);
  }
  return out;
}

std::string printable_name(std::string_view path, std::uint32_t page) {
  return page == 0 ? printable_name(path) : fmt::format("{}, page {}", printable_name(path), page);
}

std::string input_name(std::string_view path, std::uint32_t page) {
  return path == "-" ? unescaped_input_name(path) : printable_name(path, page);
}

std::string unescaped_input_name(std::string_view path) { return std::string(path == "-" ? "standard input" : path); }

std::string csv_cell(const std::string& text) {
  if (text.find_first_of(",\"\r\n") == std::string::npos) {
    return text;
  }
  std::string quoted = "\"";
  for (const char c : text) {
    quoted += c;
    if (c == '"') {
      quoted += c;
    }
  }
  return quoted + '"';
}

}  // namespace gpuimg
