// Tells what a file is from its first bytes, and names what gpuimg does not read.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace gpuimg {

enum class FileKind : std::uint8_t { png, jpeg, bmp, tga, gif, psd, pnm };

/// Only TGA needs the name: it has no signature, so the kind is believed if the name ends in .tga (any case) or the
/// version 2 footer is there, and the header is sensible. Throws Error{decode} for an empty file, text and what is no
/// image at all, Error{unsupported} for a known kind that is not read, by its name. `name` is printable.
FileKind tell_file_kind(std::span<const std::byte> bytes, std::string_view name);

}  // namespace gpuimg
