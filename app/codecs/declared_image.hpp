// The header of an image file, without decoding the image.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "codecs/codec.hpp"
#include "io/input_file.hpp"

namespace gpuimg {
class PartialInput;
}

namespace gpuimg::codecs {

/// `bytes` may be only the beginning of a file. Declares nothing if it does not hold the header of an image. `name`
/// matters for TGA, which has no signature.
DeclaredImage declared_image(std::span<const std::byte> bytes, const std::string& name);

/// The same for a page of the file at `path`; declares nothing if the file cannot be read.
DeclaredImage declared_image_in(const std::string& path, PageRef page = {});

/// The same for an input that its codec reads; reads no more of it than that needs. Throws as Codec::declared does.
DeclaredImage declared_image_in(PartialInput& input, const Codec& codec, const std::string& name);

/// The images of a file; only one, at no known place, if the file cannot be read, or if its format has no pages.
PageList pages_in(const std::string& path);

/// The same for a file in memory.
PageList pages_in(std::span<const std::byte> bytes, const std::string& name);

/// The same for part of a file; `name` as above.
DeclaredImage declared_image_in(const FileSection& section, const std::string& name);

/// All that the header of a file tells.
struct FileHeader {
  std::string_view format;
  DeclaredImage image;
  Metadata metadata;                        ///< as stored: its orientation is not applied
  std::vector<std::string> details;         ///< which metadata is damaged and left out
  std::string damage;                       ///< PageList::damage
  std::optional<std::uint64_t> file_bytes;  ///< of a regular file
};

/// Reads the header of an image or of a table in .npy, and no more of the file than that needs. `path` may be "-".
/// Throws as read_input and decode_image do.
FileHeader read_file_header(const std::string& path, PageRef page = {});

}  // namespace gpuimg::codecs
