// Identifies a file by its first bytes, and names the formats that gpuimg does not read.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace gpuimg::codecs {

enum class FileKind : std::uint8_t { png, jpeg, bmp, tga, gif, psd, pnm };

/// Only TGA needs the name. It has no signature, so a file is TGA if its name ends in .tga (any case) or it has the
/// version 2 footer, and its header is plausible. Throws Error{decode} for an empty file, for text and for anything
/// that is not an image, and Error{unsupported} for a known format that gpuimg does not read. `name` is printable.
FileKind tell_file_kind(std::span<const std::byte> bytes, std::string_view name);

}  // namespace gpuimg::codecs
