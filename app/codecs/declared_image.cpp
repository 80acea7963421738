// Reads as much of a file as its header needs.
#include "codecs/declared_image.hpp"

#include <limits>

#include "codecs/format_detection.hpp"
#include "codecs/refusals.hpp"
#include "gpuimg/error.hpp"
#include "text/printable_name.hpp"

namespace gpuimg::codecs {
namespace {

constexpr std::size_t kFirstRead = 64 << 10;

const PageList kOnePage = {{0}, {}, {}};

/// Calls `read` with longer and longer beginnings until the header is not cut off.
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

/// All bytes of a pipe: a file of pages has directories anywhere.
ByteSpan all_of(PartialInput& input) {
  std::size_t size = kFirstRead;
  while (!input.is_whole()) {
    (void)input.beginning(size *= 2);
  }
  return input.beginning(size);
}

/// Throws TruncatedFile if more of the file is needed. Metadata that are cut off in a whole file are left out: they are
/// never fatal.
Metadata metadata_of(const Codec& codec, const PartialInput& input, ByteSpan beginning, const std::string& name,
                     std::vector<std::string>& details) {
  try {
    return codec.metadata(beginning, name, details);
  } catch (const TruncatedFile&) {
    if (!input.is_whole()) {
      throw;
    }
    details.emplace_back("its metadata are cut off and are left out");
    return {};
  }
}

}  // namespace

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
  const std::string shown = path == "-" ? "standard input" : printable_name(path);
  PartialInput input(path);
  FileHeader header;
  header.file_bytes = input.file_bytes();
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
  }
  check_size(shown, header.image.width, header.image.height, std::numeric_limits<std::uint64_t>::max());
  return header;
}

}  // namespace gpuimg::codecs
