// Detects the format of a file: compares the file with the signatures in codecs.cpp, and recognizes text. Then reads
// only as much of the file as its header needs.
#include "codecs/file_header.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <limits>
#include <system_error>

#include "codecs/metadata/exif.hpp"
#include "codecs/metadata/metadata.hpp"
#include "codecs/rejections.hpp"
#include "gpuimg/error.hpp"
#include "io/input_file.hpp"
#include "text/printable_name.hpp"

namespace gpuimg::codecs {
namespace {

// --- The format -----------------------------------------------------------------------------------------------------

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

/// True if the whole file is a prefix of a signature.
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

/// True if there are no control characters except white space and escape, and at least three quarters are ASCII.
bool is_text(std::string_view sample) {
  const auto is_control = [](char c) {
    const auto value = static_cast<unsigned char>(c);
    return (value < 0x20 && !(value >= '\t' && value <= '\r') && value != 0x1B) || value == 0x7F;
  };
  const auto is_ascii = [](char c) { return static_cast<unsigned char>(c) < 0x80; };
  const auto ascii = static_cast<std::size_t>(std::count_if(sample.begin(), sample.end(), is_ascii));
  return std::none_of(sample.begin(), sample.end(), is_control) && ascii * 4 >= sample.size() * 3;
}

/// Search limit: an SVG may have comments, a document type and licenses before its first element.
constexpr std::size_t kMarkupBytes = std::size_t{64} << 10;

bool is_markup(std::string_view text) {
  constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
  text.remove_prefix(text.starts_with(kByteOrderMark) ? kByteOrderMark.size() : 0);
  text.remove_prefix(std::min(text.find_first_not_of(" \t\r\n"), text.size()));
  return text.starts_with("<?xml") || text.starts_with("<!--") || text.starts_with("<!DOCTYPE");
}

/// Returns null if no foreign format matches.
const ForeignFormat* recognized_foreign(std::string_view text) {
  const auto formats = foreign_formats();
  const auto found = std::find_if(formats.begin(), formats.end(),
                                  [&](const ForeignFormat& foreign) { return has_any(text, foreign.signatures); });
  return found == formats.end() ? nullptr : &*found;
}

[[noreturn]] void reject_foreign(const ForeignFormat& foreign, std::string_view name) {
  if (foreign.advice.empty()) {
    reject_unsupported(name, foreign.name);
  }
  const bool is_command = foreign.advice.find("in.") != std::string_view::npos;
  const std::string_view how = !is_command                        ? ""
                               : foreign.packing == Packing::none ? "convert it, for example with: "
                                                                  : "unpack it, for example with: ";
  throw Error(ErrorKind::unsupported,
              fmt::format("{}: {} is not supported; {}{}", name, foreign.name, how, foreign.advice));
}

const ForeignFormat& foreign_named(std::string_view name) {
  return *std::find_if(foreign_formats().begin(), foreign_formats().end(),
                       [&](const ForeignFormat& foreign) { return foreign.name == name; });
}

[[noreturn]] void reject_text(std::string_view sample, std::string_view name) {
  if (contains_ignoring_case(sample, "<svg")) {
    reject_foreign(foreign_named("SVG"), name);
  }
  if (sample.starts_with("#define ") && contains_ignoring_case(sample, "_width ")) {
    reject_foreign(foreign_named("XBM"), name);
  }
  const bool is_page = contains_ignoring_case(sample, "<html") || contains_ignoring_case(sample, "<!doctype html");
  throw Error(ErrorKind::decode, fmt::format("{}: file is {}, not an image; {}", name, is_page ? "a web page" : "text",
                                             is_page ? "download the image itself" : readable_formats()));
}

// --- The header -----------------------------------------------------------------------------------------------------

constexpr std::size_t kFirstRead = 64 << 10;

const PageList kOnePage = {{0}, {}, {}};

/// Calls `read` with longer and longer prefixes of the file until the header is complete.
template <class Read>
auto read_growing(PartialInput& input, const Read& read) {
  constexpr std::size_t kGrowth = 4;
  for (std::size_t size = kFirstRead;; size *= kGrowth) {
    const ByteSpan beginning = input.beginning(size);
    try {
      return read(beginning);
    } catch (const TruncatedFile&) {
      if (input.is_whole()) {
        throw;
      }
    }
  }
}

/// Reads all bytes of a pipe, because the directories of a file with pages can be anywhere.
ByteSpan all_of(PartialInput& input) {
  std::size_t size = kFirstRead;
  while (!input.is_whole()) {
    (void)input.beginning(size *= 2);
  }
  return input.beginning(size);
}

/// Throws TruncatedFile if more of the file is needed. Leaves out metadata that are cut off even in the whole file,
/// because damaged metadata never cause an error.
Metadata metadata_of(const Codec& codec, const PartialInput& input, ByteSpan beginning, const std::string& name,
                     std::vector<std::string>& details) {
  try {
    return codec.metadata(beginning, name, details);
  } catch (const TruncatedFile&) {
    if (!input.is_whole()) {
      throw;
    }
    details.emplace_back("its metadata is cut off, and is left out");
    return {};
  }
}

std::size_t exif_bytes_of(const Codec& codec, const std::vector<std::byte>& exif) {
  if (codec.has_tags_of_exif) {
    const std::optional<ExifDirectories> directories = read_exif_directories(in_memory(exif));
    const bool has_exif = directories && !(directories->exif.empty() && directories->gps.empty());
    return has_exif ? exif.size() : 0;
  }
  return exif.size();
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
    reject_foreign(*foreign, name);
  }
  if (is_cut_signature(text)) {
    reject_truncated(name);
  }
  const std::string_view sample = text.substr(0, is_markup(text) ? kMarkupBytes : kDetectionBytes);
  if (is_text(sample)) {
    reject_text(sample, name);
  }
  throw Error(ErrorKind::decode, fmt::format("{}: file is not in a known image format; {}", name, readable_formats()));
}

void check_beginning(ByteSpan beginning, std::string_view name) {
  const auto may_be_known_by_its_end = [&](const Codec& codec) {
    return codec.recognizes != nullptr &&
           std::any_of(codec.extensions.begin(), codec.extensions.end(), [&](auto extension) {
             return codec.recognizes(beginning, std::string(1, '.').append(extension));
           });
  };
  const bool is_part = beginning.size() >= kDetectionBytes;
  if (is_part && std::none_of(codecs().begin(), codecs().end(), may_be_known_by_its_end)) {
    (void)detected_codec(beginning, name);
  }
}

void check_archive(ByteSpan beginning, std::string_view name) {
  const ForeignFormat* foreign = recognized_foreign(text_of(beginning));
  if (foreign != nullptr && foreign->packing == Packing::packed) {
    reject_foreign(*foreign, name);
  }
}

void reject_packed(const std::string& path) {
  std::error_code failed;
  if (!std::filesystem::is_regular_file(path, failed)) {
    return;
  }
  const ForeignFormat* foreign = nullptr;
  try {
    PartialInput input(path);
    foreign = recognized_foreign(text_of(input.beginning(kDetectionBytes)));
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::read) {
      throw;
    }
  }
  if (foreign != nullptr && foreign->packing != Packing::none) {
    reject_foreign(*foreign, printable_name(path));
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
    const ForeignFormat* foreign = recognized_foreign(text_of(ends));
    return foreign == nullptr || foreign->name == "SVG" ? "" : std::string(foreign->name);
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::read) {
      throw;
    }
    return {};
  }
}

bool is_image_extension(std::string_view extension) {
  const std::vector<std::string> extensions = input_extensions();
  return is_written_extension(extension) ||
         std::find(extensions.begin(), extensions.end(), extension) != extensions.end();
}

const Codec& detected_codec_of(PartialInput& input, const std::string& name) {
  const bool is_long = is_markup(text_of(input.beginning(kDetectionBytes)));
  const ByteSpan beginning = input.beginning(is_long ? kMarkupBytes : kDetectionBytes);
  const bool has_end = !input.is_whole() && input.file_bytes();
  return detected_codec(has_end ? joined({beginning, input.end(kDetectionEndBytes)})
                                : std::vector<std::byte>(beginning.begin(), beginning.end()),
                        name);
}

DeclaredImage declared_image(std::span<const std::byte> bytes, const std::string& name) {
  try {
    return detected_codec(bytes, name).declared(bytes, name);
  } catch (const Error&) {
    return {};  // the decoder reports the error
  }
}

DeclaredImage declared_image_in(PartialInput& input, const Codec& codec, const std::string& name) {
  return read_growing(input, [&](ByteSpan beginning) { return codec.declared(beginning, name); });
}

DeclaredImage declared_image_in(const std::string& path, PageRef page) {
  try {
    PartialInput input(path);
    const Codec& codec = detected_codec_of(input, path);
    if (codec.paged != nullptr && input.file_bytes()) {
      return codec.paged->declared(input.random_access(), path, page);
    }
    return declared_image_in(input, codec, path);
  } catch (const Error&) {
    return {};
  }
}

DeclaredImage declared_image_in(const FileSection& section, const std::string& name) {
  try {
    PartialInput input(section);
    return declared_image_in(input, detected_codec_of(input, name), name);
  } catch (const Error&) {
    return {};
  }
}

PageList pages_in(const std::string& path) {
  try {
    PartialInput input(path);
    const Codec& codec = detected_codec_of(input, path);
    return codec.paged != nullptr && input.file_bytes() ? codec.paged->pages(input.random_access()) : kOnePage;
  } catch (const Error&) {
    return kOnePage;
  }
}

PageList pages_in(std::span<const std::byte> bytes, const std::string& name) {
  try {
    const Codec& codec = detected_codec(bytes, name);
    return codec.paged != nullptr ? codec.paged->pages(in_memory(bytes)) : kOnePage;
  } catch (const Error&) {
    return kOnePage;
  }
}

FileHeader read_file_header(const std::string& path, PageRef page) {
  const std::string shown = input_name(path);
  PartialInput input(path);
  FileHeader header;
  header.file_bytes = input.file_bytes();
  if (input.beginning(kDetectionBytes).empty()) {
    reject_empty(path);
  }
  const Codec& codec = detected_codec_of(input, shown);
  header.format = codec.name;
  const std::string shown_page = printable_name(shown, page.number);
  if (codec.paged != nullptr) {
    const RandomAccess file = input.file_bytes() ? input.random_access() : in_memory(all_of(input));
    const PageList pages = codec.paged->pages(file);
    check_page(shown_page, page, pages);
    page.place = page.number > 0 ? pages.places[page.number - 1] : 0;
    header.image = codec.paged->declared(file, shown_page, page);
    header.image.facts.push_back({"pages", std::uint64_t{pages.count()}});
    header.metadata = codec.paged->metadata(file, shown_page, page, header.details);
    header.damage = pages.damage;
  } else {
    check_only_page(shown_page, page);
    read_growing(input, [&](ByteSpan beginning) {
      header.image = codec.declared(beginning, shown);
      if (codec.metadata != nullptr) {
        header.metadata = metadata_of(codec, input, beginning, shown, header.details);
      }
    });
    if (codec.file_metadata != nullptr) {
      const RandomAccess file = input.file_bytes() ? input.random_access() : in_memory(all_of(input));
      header.metadata = codec.file_metadata(file, shown, header.details);
    }
  }
  complete_density(header.metadata);
  header.exif_bytes = exif_bytes_of(codec, header.metadata.exif);
  check_size(shown, header.image.width, header.image.height, std::numeric_limits<std::uint64_t>::max());
  return header;
}

}  // namespace gpuimg::codecs
