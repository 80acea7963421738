// Netpbm's pages pbm(5), pgm(5), ppm(5) and pam(5).
#include "codecs/pnm/pnm_header.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <string_view>

#include "codecs/pnm/pnm_text.hpp"
#include "codecs/refusals.hpp"
#include "text/printable_name.hpp"

namespace gpuimg::codecs {
namespace {

constexpr std::string_view kSpaces = " \t\v\f\r";

std::uint32_t checked_max(std::uint64_t max, const std::string& name) {
  if (max == 0 || max > 65535) {
    refuse_damaged(name, fmt::format("its maximum value is {}, but must be 1 to 65535", max));
  }
  return static_cast<std::uint32_t>(max);
}

/// P1 to P6: width, height and, except for bitmaps, the maximum value.
PnmHeader read_numbers(ByteSpan bytes, int kind, const std::string& name) {
  PnmText text(bytes, 2, name);
  PnmHeader header;
  header.kind = kind;
  header.channels = kind == 3 || kind == 6 ? 3 : 1;
  header.width = text.number();
  header.height = text.number();
  if (!header.is_bitmap()) {
    header.max = checked_max(text.number(), name);
  }
  header.pixels = text.end_of_header();
  return header;
}

/// The lines of a PAM header.
class PamLines {
 public:
  PamLines(ByteSpan bytes, const std::string& name)
      : text_(reinterpret_cast<const char*>(bytes.data()), bytes.size()), name_(name) {}

  [[nodiscard]] std::size_t offset() const { return offset_; }

  /// The next line without white space around it.
  std::string_view next() {
    const std::size_t end = text_.find('\n', offset_);
    if (end == std::string_view::npos) {
      refuse_truncated(name_);
    }
    const std::string_view line = text_.substr(offset_, end - offset_);
    offset_ = end + 1;
    const std::size_t first = std::min(line.find_first_not_of(kSpaces), line.size());
    return line.substr(first, line.find_last_not_of(kSpaces) + 1 - first);
  }

 private:
  std::string_view text_;
  std::size_t offset_ = 3;
  const std::string& name_;
};

std::uint64_t number_in(std::string_view text, std::string_view key, const std::string& name) {
  std::uint32_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) {
    refuse_damaged(name, fmt::format("the {} in its header is no number in range", key));
  }
  return number;
}

/// A file that names no type is what its number of channels suggests.
void check_type(std::string_view type, std::uint64_t depth, const std::string& name) {
  struct Type {
    std::string_view name;
    std::uint64_t depth;
  };
  constexpr std::array<Type, 6> kTypes = {{{"BLACKANDWHITE", 1},
                                           {"GRAYSCALE", 1},
                                           {"RGB", 3},
                                           {"BLACKANDWHITE_ALPHA", 2},
                                           {"GRAYSCALE_ALPHA", 2},
                                           {"RGB_ALPHA", 4}}};
  const bool is_known = std::any_of(kTypes.begin(), kTypes.end(), [&](const Type& known) {
    return known.depth == depth && (type.empty() || known.name == type);
  });
  if (!is_known) {
    constexpr std::size_t kMaxShown = 40;
    const std::string shown = type.empty() ? "without a type" : printable_name(std::string(type.substr(0, kMaxShown)));
    refuse_unsupported(name, fmt::format("PAM with {} channels {}{}", depth, type.empty() ? "" : "of type ", shown));
  }
}

PnmHeader read_pam(ByteSpan bytes, const std::string& name) {
  PamLines lines(bytes, name);
  PnmHeader header;
  header.kind = 7;
  std::uint64_t depth = 0;
  std::uint64_t max = 0;
  std::string type;
  for (std::string_view line = lines.next(); line != "ENDHDR"; line = lines.next()) {
    const std::string_view key = line.substr(0, line.find_first_of(kSpaces));
    const std::string_view rest = line.substr(std::min(line.find_first_not_of(kSpaces, key.size()), line.size()));
    if (line.empty() || line[0] == '#') {
      continue;
    }
    if (key == "TUPLTYPE") {
      type += type.empty() ? "" : " ";
      type += rest;
      continue;
    }
    const std::uint64_t number = number_in(rest, printable_name(std::string(key.substr(0, 16))), name);
    if (key == "WIDTH") {
      header.width = number;
    } else if (key == "HEIGHT") {
      header.height = number;
    } else if (key == "DEPTH") {
      depth = number;
    } else if (key == "MAXVAL") {
      max = number;
    } else {
      refuse_damaged(name, fmt::format("its header has an unknown line {}", printable_name(std::string(key))));
    }
  }
  check_type(type, depth, name);
  header.channels = static_cast<int>(depth);
  header.max = checked_max(max, name);
  header.pixels = lines.offset();
  return header;
}

}  // namespace

PnmHeader read_pnm_header(ByteSpan bytes, const std::string& name) {
  const auto kind = static_cast<int>(u8_at(bytes, 1) - '0');
  return kind == 7 ? read_pam(bytes, name) : read_numbers(bytes, kind, name);
}

}  // namespace gpuimg::codecs
