// Reads as much of a file as its header needs.
#include "codecs/declared_image.hpp"

#include <limits>

#include "codecs/format_detection.hpp"
#include "codecs/npy/npy.hpp"
#include "codecs/refusals.hpp"
#include "gpuimg/error.hpp"
#include "text/printable_name.hpp"

namespace gpuimg::codecs {
namespace {

constexpr std::size_t kFirstRead = 64 << 10;

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

DeclaredImage declared_by(PartialInput& input, const std::string& name) {
  const Codec& codec = detected_codec_of(input, name);
  return read_growing(input, [&](ByteSpan beginning) { return codec.declared(beginning, name); });
}

}  // namespace

DeclaredImage declared_image(std::span<const std::byte> bytes, const std::string& name) {
  try {
    return detected_codec(bytes, name).declared(bytes, name);
  } catch (const Error&) {
    return {};  // the decoder reports the error
  }
}

DeclaredImage declared_image_in(const std::string& path) {
  try {
    PartialInput input(path);
    return declared_by(input, path);
  } catch (const Error&) {
    return {};
  }
}

DeclaredImage declared_image_in(const FileSection& section, const std::string& name) {
  try {
    PartialInput input(section);
    return declared_by(input, name);
  } catch (const Error&) {
    return {};
  }
}

FileHeader read_file_header(const std::string& path) {
  const std::string shown = path == "-" ? "standard input" : printable_name(path);
  PartialInput input(path);
  FileHeader header;
  header.file_bytes = input.file_bytes();
  if (is_npy(input.beginning(kFirstRead))) {
    header.format = "NPY";
    header.image = read_growing(input, [&](ByteSpan beginning) { return declared_npy(beginning, shown); });
    return header;
  }
  const Codec& codec = detected_codec_of(input, shown);
  header.format = codec.name;
  read_growing(input, [&](ByteSpan beginning) {
    header.image = codec.declared(beginning, shown);
    if (codec.metadata != nullptr) {
      header.metadata = codec.metadata(beginning, shown, header.details);
    }
  });
  check_size(shown, header.image.width, header.image.height, std::numeric_limits<std::uint64_t>::max());
  return header;
}

}  // namespace gpuimg::codecs
