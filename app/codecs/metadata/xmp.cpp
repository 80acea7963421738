// Finds XMP properties in both notations of RDF: attributes and elements.
#include "codecs/metadata/xmp.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <vector>

#include "text/printable_name.hpp"

namespace gpuimg::codecs {
namespace {

constexpr std::string_view kBlanks = " \t\r\n";
constexpr std::string_view kOrientation = "tiff:Orientation";
constexpr std::string_view kHasExtension = "xmpNote:HasExtendedXMP";

/// A property, as offsets in the packet.
struct Property {
  std::size_t begin = 0;  ///< start of the attribute or the element
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

/// True if the next character at `at`, after blanks, is one of `wanted`. Then moves `at` past it.
bool takes(std::string_view text, std::size_t& at, std::string_view wanted) {
  const std::size_t found = text.find_first_not_of(kBlanks, at);
  const bool is_there = found != std::string_view::npos && wanted.find(text[found]) != std::string_view::npos;
  at = is_there ? found + 1 : at;
  return is_there;
}

/// Parses name = "value".
std::optional<Property> attribute_at(std::string_view text, std::size_t begin, std::size_t name_end) {
  std::size_t at = name_end;
  if (!takes(text, at, "=") || !takes(text, at, "\"'")) {
    return std::nullopt;
  }
  const std::size_t close = text.find(text[at - 1], at);
  return close == std::string_view::npos ? std::nullopt : std::optional(Property{begin, close + 1, at, close});
}

/// Parses <name>value</name>.
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

/// Calls visit(property) for every property with this name. Stops and returns false if visit returns false, or if a
/// property has an unknown format.
template <class Visit>
bool visit_properties(std::string_view text, std::string_view name, Visit visit) {
  for (std::size_t at = text.find(name); at != std::string_view::npos; at = text.find(name, at + name.size())) {
    const std::size_t name_end = at + name.size();
    const char before = at > 0 ? text[at - 1] : '/';
    const bool is_name = name_end < text.size() && !continues_name(text[name_end]);
    if (!is_name || (before != '<' && !is_blank(before))) {
      continue;  // the name is part of another name, in a closing tag, or in text content
    }
    const std::optional<Property> property =
        before == '<' ? element_at(text, at - 1, name_end) : attribute_at(text, at, name_end);
    if (!property || !visit(*property)) {
      return false;
    }
  }
  return true;
}

/// The offset after the > of the start tag that begins at `begin`. Quoted values can contain any character.
std::size_t end_of_tag(std::string_view text, std::size_t begin) {
  char quote = 0;
  for (std::size_t at = begin; at < text.size(); ++at) {
    if (quote != 0) {
      quote = text[at] == quote ? 0 : quote;
    } else if (text[at] == '"' || text[at] == '\'') {
      quote = text[at];
    } else if (text[at] == '>') {
      return at + 1;
    }
  }
  return std::string_view::npos;
}

std::string_view name_at(std::string_view text, std::size_t begin) {
  std::size_t end = begin;
  while (end < text.size() && continues_name(text[end])) {
    ++end;
  }
  return text.substr(begin, end - begin);
}

/// The offset after the end tag of the element whose start tag begins at `begin`; npos if the element has no end.
std::size_t end_of_element(std::string_view text, std::size_t begin) {
  const std::string_view name = name_at(text, begin + 1);
  std::size_t depth = 0;
  for (std::size_t at = begin; at < text.size(); at = text.find('<', at)) {
    const bool closes = text.substr(at, 2) == "</";
    const std::size_t end = end_of_tag(text, at);
    if (end == std::string_view::npos) {
      break;
    }
    if (name_at(text, at + (closes ? 2 : 1)) == name) {
      const bool is_empty = text[end - 2] == '/';
      depth += closes ? 0 : 1;
      depth -= closes || is_empty ? 1 : 0;
      if (depth == 0) {
        return end;
      }
    }
    at = end;
  }
  return std::string_view::npos;
}

void blank(std::span<std::byte> packet, std::size_t begin, std::size_t end) {
  std::fill(packet.begin() + static_cast<std::ptrdiff_t>(begin), packet.begin() + static_cast<std::ptrdiff_t>(end),
            std::byte{' '});
}

/// Overwrites with blanks the properties (attributes, or elements with their content) for which wants(name, "") returns
/// true. Before it overwrites a property, it calls wants(name, property) with the property's text. Returns the number
/// of overwritten properties, or nullopt if one of them has no end.
template <class Wants>
std::optional<std::size_t> blank_properties(std::span<std::byte> packet, Wants wants) {
  const std::string_view text = packet_text(packet);
  std::size_t count = 0;
  for (std::size_t at = 1; at < text.size(); ++at) {
    const bool is_element = text[at - 1] == '<';
    const std::string_view name = is_element || is_blank(text[at - 1]) ? name_at(text, at) : std::string_view{};
    if (name.empty() || !wants(name, std::string_view{})) {
      at += name.size();
      continue;
    }
    const std::size_t begin = is_element ? at - 1 : at;
    const std::optional<Property> attribute =
        is_element ? std::nullopt : attribute_at(text, begin, begin + name.size());
    if (!is_element && !attribute) {
      continue;  // text between tags
    }
    const std::size_t end = is_element ? end_of_element(text, begin) : attribute->end;
    if (end == std::string_view::npos) {
      return std::nullopt;
    }
    (void)wants(name, text.substr(begin, end - begin));
    blank(packet, begin, end);
    ++count;
    at = end - 1;
  }
  return count;
}

/// Calls visit(prefix, namespace name, begin, end) for each namespace declaration.
template <class Visit>
void visit_namespaces(std::string_view text, Visit visit) {
  constexpr std::string_view kDeclaration = "xmlns:";
  for (std::size_t at = text.find(kDeclaration); at != std::string_view::npos;
       at = text.find(kDeclaration, at + kDeclaration.size())) {
    const std::string_view prefix = name_at(text, at + kDeclaration.size());
    const auto declaration = attribute_at(text, at, at + kDeclaration.size() + prefix.size());
    if (declaration && !prefix.empty()) {
      visit(prefix, text.substr(declaration->value_begin, declaration->value_end - declaration->value_begin),
            declaration->begin, declaration->end);
    }
  }
}

bool has_prefix(std::string_view name, std::string_view prefix) {
  return name.size() > prefix.size() && name.starts_with(prefix) && name[prefix.size()] == ':';
}

bool is_used(std::string_view text, std::string_view prefix) {
  for (std::size_t at = text.find(prefix); at != std::string_view::npos; at = text.find(prefix, at + 1)) {
    const bool begins = at > 0 && (text[at - 1] == '<' || text[at - 1] == '/' || is_blank(text[at - 1]));
    if (begins && has_prefix(text.substr(at), prefix)) {
      return true;
    }
  }
  return false;
}

constexpr std::string_view kContainer = "http://ns.google.com/photos/1.0/container/";
constexpr std::array kNamespacesOfParts = {std::string_view("http://ns.google.com/photos/1.0/camera/"), kContainer,
                                           std::string_view("http://ns.google.com/photos/1.0/container/item/"),
                                           std::string_view("http://ns.adobe.com/hdr-gain-map/1.0/"),
                                           std::string_view("http://ns.apple.com/HDRGainMap/1.0/")};

/// A packet usually declares one or two prefixes; the limit bounds the time.
constexpr std::size_t kMaxPrefixes = 16;

bool is_gain_map(std::string_view name_of_namespace) {
  return name_of_namespace.find("gain-map") != std::string_view::npos ||
         name_of_namespace.find("GainMap") != std::string_view::npos;
}

/// The prefixes that a packet declares for these namespaces.
struct PrefixesOfParts {
  std::vector<std::string> gain_map;
  std::vector<std::string> container;

  explicit PrefixesOfParts(std::string_view text) {
    visit_namespaces(text, [&](std::string_view prefix, std::string_view name, std::size_t, std::size_t) {
      if (name == kContainer && container.size() < kMaxPrefixes) {
        container.emplace_back(prefix);
      } else if (is_gain_map(name) && gain_map.size() < kMaxPrefixes) {
        gain_map.emplace_back(prefix);
      }
    });
  }

  static bool have(const std::vector<std::string>& prefixes, std::string_view name) {
    return std::any_of(prefixes.begin(), prefixes.end(),
                       [&](const std::string& prefix) { return has_prefix(name, prefix); });
  }
};

bool tells_of_motion(std::string_view text) {
  return text.find("MotionPhoto") != std::string_view::npos || text.find("MicroVideo") != std::string_view::npos;
}

void blank_unused_namespaces(std::span<std::byte> packet) {
  std::size_t left = kMaxPrefixes;
  visit_namespaces(
      packet_text(packet), [&](std::string_view prefix, std::string_view name, std::size_t begin, std::size_t end) {
        const bool is_of_parts =
            std::find(kNamespacesOfParts.begin(), kNamespacesOfParts.end(), name) != kNamespacesOfParts.end();
        left -= is_of_parts && left > 0 ? 1 : 0;
        if (is_of_parts && left > 0 && !is_used(packet_text(packet), prefix)) {
          blank(packet, begin, end);
        }
      });
}

/// True if the TIFF namespace has its usual prefix in every declaration.
bool has_usual_tiff_prefix(std::string_view text) {
  constexpr std::string_view kNamespace = "http://ns.adobe.com/tiff/1.0/";
  constexpr std::string_view kDeclaration = "xmlns:tiff=";
  for (std::size_t at = text.find(kNamespace); at != std::string_view::npos; at = text.find(kNamespace, at + 1)) {
    const std::size_t before = kDeclaration.size() + 1;  // includes a quote
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
    blank(packet, found.begin, found.end);
    return true;
  });
}

std::optional<XmpParts> blank_xmp_parts(std::span<std::byte> packet) {
  const PrefixesOfParts prefixes(packet_text(packet));
  XmpParts parts;
  const auto wants = [&](std::string_view name, std::string_view property) {
    const std::string_view local = name.substr(std::min(name.find(':'), name.size() - 1) + 1);
    const bool is_motion = local.starts_with("MotionPhoto") || local.starts_with("MicroVideo");
    const bool is_gain_map = PrefixesOfParts::have(prefixes.gain_map, name);
    const bool is_directory = local == "Directory" && PrefixesOfParts::have(prefixes.container, name);
    if (!property.empty()) {
      const bool lists_map = property.find("GainMap") != std::string_view::npos;
      parts.motion_photo = parts.motion_photo || is_motion || (is_directory && tells_of_motion(property));
      parts.gain_map = parts.gain_map || is_gain_map || (is_directory && lists_map);
      parts.directory = parts.directory || (is_directory && !lists_map && !tells_of_motion(property));
    }
    return is_motion || is_gain_map || is_directory;
  };
  if (!blank_properties(packet, wants)) {
    return std::nullopt;
  }
  if (parts.any()) {
    blank_unused_namespaces(packet);
  }
  return parts;
}

std::optional<std::size_t> blank_xmp_positions(std::span<std::byte> packet) {
  return blank_properties(packet, [](std::string_view name, std::string_view /*property*/) {
    const std::size_t colon = name.find(':');
    const std::string_view local = colon == std::string_view::npos ? std::string_view{} : name.substr(colon + 1);
    return local.starts_with("GPS") || local.starts_with("Gps");
  });
}

}  // namespace gpuimg::codecs
