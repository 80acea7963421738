// Compares a file with the signatures of the lists in codecs.cpp, and recognizes text.
#include "codecs/format_detection.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <system_error>

#include "codecs/joined_bytes.hpp"
#include "codecs/refusals.hpp"
#include "gpuimg/error.hpp"
#include "io/input_file.hpp"
#include "text/printable_name.hpp"

namespace gpuimg::codecs {

namespace {

std::string_view text_of(ByteSpan bytes) { return {reinterpret_cast<const char*>(bytes.data()), bytes.size()}; }

bool has_any(std::string_view text, std::span<const Signature> signatures) {
  return std::any_of(signatures.begin(), signatures.end(), [&](const Signature& signature) {
    return text.size() >= signature.offset && text.substr(signature.offset).starts_with(signature.bytes);
  });
}

const Codec* recognizing_codec(ByteSpan bytes, std::string_view name) {
  const std::string_view text = text_of(bytes);
  for (const Codec& codec : codecs()) {
    if (has_any(text, codec.signatures)) {
      return &codec;
    }
  }
  for (const Codec& codec : codecs()) {
    if (codec.recognizes != nullptr && codec.recognizes(bytes, name)) {
      return &codec;
    }
  }
  return nullptr;
}

/// True if the whole file is the beginning of a signature.
bool is_cut_signature(std::string_view text) {
  return std::any_of(codecs().begin(), codecs().end(), [&](const Codec& codec) {
    return std::any_of(codec.signatures.begin(), codec.signatures.end(), [&](const Signature& signature) {
      return signature.offset == 0 && signature.bytes.starts_with(text);
    });
  });
}

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + ('a' - 'A')) : c; }

bool contains_ignoring_case(std::string_view text, std::string_view lowercase) {
  const auto same = [](char a, char b) { return lower(a) == b; };
  return std::search(text.begin(), text.end(), lowercase.begin(), lowercase.end(), same) != text.end();
}

/// True without control characters other than white space and escape, if at least three quarters are ASCII.
bool is_text(std::string_view sample) {
  const auto is_control = [](char c) {
    const auto value = static_cast<unsigned char>(c);
    return (value < 0x20 && !(value >= '\t' && value <= '\r') && value != 0x1B) || value == 0x7F;
  };
  const auto is_ascii = [](char c) { return static_cast<unsigned char>(c) < 0x80; };
  const auto ascii = static_cast<std::size_t>(std::count_if(sample.begin(), sample.end(), is_ascii));
  return std::none_of(sample.begin(), sample.end(), is_control) && ascii * 4 >= sample.size() * 3;
}

/// An SVG may have comments, a document type and licenses in front of its first element.
constexpr std::size_t kMarkupBytes = std::size_t{64} << 10;

bool is_markup(std::string_view text) {
  constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
  text.remove_prefix(text.starts_with(kByteOrderMark) ? kByteOrderMark.size() : 0);
  text.remove_prefix(std::min(text.find_first_not_of(" \t\r\n"), text.size()));
  return text.starts_with("<?xml") || text.starts_with("<!--") || text.starts_with("<!DOCTYPE");
}

/// Null if there is none.
const ForeignFormat* recognized_foreign(std::string_view text) {
  const auto formats = foreign_formats();
  const auto found = std::find_if(formats.begin(), formats.end(),
                                  [&](const ForeignFormat& foreign) { return has_any(text, foreign.signatures); });
  return found == formats.end() ? nullptr : &*found;
}

[[noreturn]] void refuse_foreign(const ForeignFormat& foreign, std::string_view name) {
  if (foreign.remedy.empty()) {
    refuse_unsupported(name, foreign.name);
  }
  const bool is_command = foreign.remedy.find("in.") != std::string_view::npos;
  throw Error(ErrorKind::unsupported, fmt::format("{}: {} is not supported; {}{}", name, foreign.name,
                                                  is_command ? "convert it, for example with: " : "", foreign.remedy));
}

const ForeignFormat& foreign_named(std::string_view name) {
  return *std::find_if(foreign_formats().begin(), foreign_formats().end(),
                       [&](const ForeignFormat& foreign) { return foreign.name == name; });
}

[[noreturn]] void refuse_text(std::string_view sample, std::string_view name) {
  if (contains_ignoring_case(sample, "<svg")) {
    refuse_foreign(foreign_named("SVG"), name);
  }
  if (sample.starts_with("#define ") && contains_ignoring_case(sample, "_width ")) {
    refuse_foreign(foreign_named("XBM"), name);
  }
  const bool is_page = contains_ignoring_case(sample, "<html") || contains_ignoring_case(sample, "<!doctype html");
  throw Error(ErrorKind::decode, fmt::format("{}: file is {}, not an image; {}", name, is_page ? "a web page" : "text",
                                             is_page ? "download the image itself" : readable_formats()));
}

}  // namespace

const Codec& detected_codec(ByteSpan bytes, std::string_view name) {
  if (bytes.empty()) {
    throw Error(ErrorKind::decode, fmt::format("{}: file is empty; download or copy it again", name));
  }
  if (const Codec* codec = recognizing_codec(bytes, name)) {
    return *codec;
  }
  const std::string_view text = text_of(bytes);
  if (const ForeignFormat* foreign = recognized_foreign(text)) {
    refuse_foreign(*foreign, name);
  }
  if (is_cut_signature(text)) {
    refuse_truncated(name);
  }
  const std::string_view sample = text.substr(0, is_markup(text) ? kMarkupBytes : kDetectionBytes);
  if (is_text(sample)) {
    refuse_text(sample, name);
  }
  throw Error(ErrorKind::decode, fmt::format("{}: file is not in a known image format; {}", name, readable_formats()));
}

void check_beginning(ByteSpan beginning, std::string_view name) {
  const auto may_be_told_by_its_end = [&](const Codec& codec) {
    return codec.recognizes != nullptr && std::any_of(codec.endings.begin(), codec.endings.end(), [&](auto ending) {
             return codec.recognizes(beginning, std::string(1, '.').append(ending));
           });
  };
  const bool is_part = beginning.size() >= kDetectionBytes;
  if (is_part && std::none_of(codecs().begin(), codecs().end(), may_be_told_by_its_end)) {
    (void)detected_codec(beginning, name);
  }
}

std::string binary_format_of(const std::string& path) {
  std::error_code failed;
  if (!std::filesystem::is_regular_file(path, failed)) {
    return {};
  }
  try {
    PartialInput input(path);
    const ByteSpan beginning = input.beginning(kDetectionBytes);
    const std::vector<std::byte> ends = input.is_whole() ? std::vector<std::byte>(beginning.begin(), beginning.end())
                                                         : joined({beginning, input.end(kDetectionEndBytes)});
    if (const Codec* codec = recognizing_codec(ends, printable_name(path))) {
      return std::string(codec->name);
    }
    constexpr Signature kTar{"ustar", 257};
    if (has_any(text_of(ends), {&kTar, 1})) {
      return "a tar archive";
    }
    const ForeignFormat* foreign = recognized_foreign(text_of(ends));
    return foreign == nullptr || foreign->name == "SVG" ? "" : std::string(foreign->name);
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::read) {
      throw;
    }
    return {};
  }
}

bool is_image_ending(std::string_view ending) {
  const std::vector<std::string> endings = input_endings();
  return is_written_ending(ending) || std::find(endings.begin(), endings.end(), ending) != endings.end();
}

const Codec& detected_codec_of(PartialInput& input, const std::string& name) {
  const bool is_long = is_markup(text_of(input.beginning(kDetectionBytes)));
  const ByteSpan beginning = input.beginning(is_long ? kMarkupBytes : kDetectionBytes);
  const bool has_end = !input.is_whole() && input.file_bytes();
  return detected_codec(has_end ? joined({beginning, input.end(kDetectionEndBytes)})
                                : std::vector<std::byte>(beginning.begin(), beginning.end()),
                        name);
}

}  // namespace gpuimg::codecs
