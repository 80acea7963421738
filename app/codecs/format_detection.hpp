// Identifies a file by its content: one of the list of formats, or a refusal that says what it is instead.
#pragma once

#include <string>
#include <string_view>

#include "codecs/codec.hpp"

namespace gpuimg {
class PartialInput;
}

namespace gpuimg::codecs {

/// Detection looks at this many bytes at the beginning of a file and at its end: they may stand for a longer file.
inline constexpr std::size_t kDetectionBytes = 1024;
inline constexpr std::size_t kDetectionEndBytes = 26;

/// Only a format without signature (TGA) needs the name, which is printable. Throws Error{decode} for an empty file,
/// for text and for anything that is not an image, and Error{unsupported} for a known format that gpuimg does not read.
const Codec& detected_codec(ByteSpan bytes, std::string_view name);

/// Refuses a beginning of at least kDetectionBytes bytes if the rest, whatever it is, cannot make it an image that
/// gpuimg reads. Throws as detected_codec does.
void check_beginning(ByteSpan beginning, std::string_view name);

/// The same for an input of which only the beginning has been read; `name` is printable.
const Codec& detected_codec_of(PartialInput& input, const std::string& name);

/// What a regular file is by its first and last bytes: "PNG", "PDF", "a gzip archive". Empty for text, also for SVG,
/// for what is unknown, and for a file that cannot be read.
std::string binary_format_of(const std::string& path);

/// True if an ending (lower case, without a dot) belongs to images or tables, whether or not gpuimg reads them.
bool is_image_ending(std::string_view ending);

}  // namespace gpuimg::codecs
