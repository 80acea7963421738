// Why an input is refused, in one form of words for every reader: "name: why; what to do".
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace gpuimg {

/// What gpuimg reads, for the end of a message.
inline constexpr std::string_view kReadableKinds = "gpuimg reads 8- and 16-bit PNG, JPEG, BMP, TGA, GIF, PSD and PNM";

/// `name` is printable. Error{decode}: the content contradicts itself; `why` is a clause such as "the palette is
/// missing".
[[noreturn]] void refuse_damaged(std::string_view name, std::string_view why);

/// Error{decode}: the file ends before the image does.
[[noreturn]] void refuse_truncated(std::string_view name);

/// Error{unsupported}: `what` names a sound kind of file or feature, such as "TIFF" or "lossless JPEG".
[[noreturn]] void refuse_unsupported(std::string_view name, std::string_view what);

/// Refuses sizes of 0 (Error{decode}), and more than max_pixels or than an Image can count (Error{unsupported}).
void check_size(std::string_view name, std::uint64_t width, std::uint64_t height, std::uint64_t max_pixels);

}  // namespace gpuimg
