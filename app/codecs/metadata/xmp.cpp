// Finds XMP properties in both forms that RDF allows: attributes and elements.
#include "codecs/metadata/xmp.hpp"

#include <algorithm>
#include <optional>

#include "text/printable_name.hpp"

namespace gpuimg::codecs {
namespace {

constexpr std::string_view kBlanks = " \t\r\n";
constexpr std::string_view kOrientation = "tiff:Orientation";
constexpr std::string_view kHasExtension = "xmpNote:HasExtendedXMP";

/// Offsets into the packet.
struct Property {
  std::size_t begin = 0;  ///< of the attribute or the element
  std::size_t end = 0;
  std::size_t value_begin = 0;
  std::size_t value_end = 0;
};

std::string_view packet_text(ByteSpan bytes) { return {reinterpret_cast<const char*>(bytes.data()), bytes.size()}; }

bool is_blank(char c) { return kBlanks.find(c) != std::string_view::npos; }

bool continues_name(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-' ||
         c == '.' || c == ':';
}

/// True if one of the characters `wanted` follows at `at`, after blanks; moves `at` past it.
bool takes(std::string_view text, std::size_t& at, std::string_view wanted) {
  const std::size_t found = text.find_first_not_of(kBlanks, at);
  const bool is_there = found != std::string_view::npos && wanted.find(text[found]) != std::string_view::npos;
  at = is_there ? found + 1 : at;
  return is_there;
}

/// name = "value"
std::optional<Property> attribute_at(std::string_view text, std::size_t begin, std::size_t name_end) {
  std::size_t at = name_end;
  if (!takes(text, at, "=") || !takes(text, at, "\"'")) {
    return std::nullopt;
  }
  const std::size_t close = text.find(text[at - 1], at);
  return close == std::string_view::npos ? std::nullopt : std::optional(Property{begin, close + 1, at, close});
}

/// <name>value</name>
std::optional<Property> element_at(std::string_view text, std::size_t begin, std::size_t name_end) {
  std::size_t at = name_end;
  if (!takes(text, at, ">")) {
    return std::nullopt;
  }
  const std::size_t close = text.find('<', at);
  const std::string_view name = text.substr(begin + 1, name_end - begin - 1);
  if (close == std::string_view::npos || text.substr(close, 2) != "</" || text.substr(close + 2, name.size()) != name) {
    return std::nullopt;
  }
  std::size_t end = close + 2 + name.size();
  return takes(text, end, ">") ? std::optional(Property{begin, end, at, close}) : std::nullopt;
}

/// Calls visit(property) for every property of this name while it returns true. Returns false if it did not, or if a
/// property has an unknown form.
template <class Visit>
bool visit_properties(std::string_view text, std::string_view name, Visit visit) {
  for (std::size_t at = text.find(name); at != std::string_view::npos; at = text.find(name, at + name.size())) {
    const std::size_t name_end = at + name.size();
    const char before = at > 0 ? text[at - 1] : '/';
    const bool is_name = name_end < text.size() && !continues_name(text[name_end]);
    if (!is_name || (before != '<' && !is_blank(before))) {
      continue;  // part of another name, a closing tag, or text content
    }
    const std::optional<Property> property =
        before == '<' ? element_at(text, at - 1, name_end) : attribute_at(text, at, name_end);
    if (!property || !visit(*property)) {
      return false;
    }
  }
  return true;
}

/// True if the TIFF namespace has its usual prefix in every declaration.
bool has_usual_tiff_prefix(std::string_view text) {
  constexpr std::string_view kNamespace = "http://ns.adobe.com/tiff/1.0/";
  constexpr std::string_view kDeclaration = "xmlns:tiff=";
  for (std::size_t at = text.find(kNamespace); at != std::string_view::npos; at = text.find(kNamespace, at + 1)) {
    const std::size_t before = kDeclaration.size() + 1;  // and a quote
    if (at < before || text.substr(at - before, kDeclaration.size()) != kDeclaration) {
      return false;
    }
  }
  return true;
}

}  // namespace

bool is_xmp(ByteSpan data) {
  constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
  std::string_view text = packet_text(data);
  if (text.size() > kMaxXmpBytes || text.find('\0') != std::string_view::npos) {
    return false;
  }
  text.remove_prefix(text.starts_with(kByteOrderMark) ? kByteOrderMark.size() : 0);
  const std::size_t first = text.find_first_not_of(kBlanks);
  if (first == std::string_view::npos || text[first] != '<') {
    return false;
  }
  while (!text.empty()) {
    const std::size_t length = utf8_sequence_length(text);
    if (length == 0) {
      return false;
    }
    text.remove_prefix(length);
  }
  return true;
}

bool reset_xmp_orientation(std::span<std::byte> packet) {
  const std::string_view text = packet_text(packet);
  return has_usual_tiff_prefix(text) && visit_properties(text, kOrientation, [&](const Property& found) {
           const std::string_view value = text.substr(found.value_begin, found.value_end - found.value_begin);
           const std::size_t digit = value.find_first_not_of(kBlanks);
           const bool is_digit = digit != std::string_view::npos && value.find_last_not_of(kBlanks) == digit &&
                                 value[digit] >= '1' && value[digit] <= '8';
           if (is_digit) {
             packet[found.value_begin + digit] = std::byte{'1'};
           }
           return is_digit;
         });
}

bool mentions_xmp_orientation(ByteSpan packet) {
  return packet_text(packet).find(kOrientation) != std::string_view::npos ||
         !has_usual_tiff_prefix(packet_text(packet));
}

std::string_view xmp_extension_guid(ByteSpan packet) {
  constexpr std::size_t kGuidLength = 32;
  const std::string_view text = packet_text(packet);
  std::string_view guid;
  visit_properties(text, kHasExtension, [&](const Property& found) {
    guid = text.substr(found.value_begin, found.value_end - found.value_begin);
    return false;
  });
  return guid.size() == kGuidLength ? guid : std::string_view{};
}

void blank_xmp_extension(std::span<std::byte> packet) {
  visit_properties(packet_text(packet), kHasExtension, [&](const Property& found) {
    std::fill(packet.begin() + static_cast<std::ptrdiff_t>(found.begin),
              packet.begin() + static_cast<std::ptrdiff_t>(found.end), std::byte{' '});
    return true;
  });
}

}  // namespace gpuimg::codecs
