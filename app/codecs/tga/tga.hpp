// Reads TGA with stb_image, behind guards: docs/decisions/0012-what-stb-image-reads.md. Writes it with stb_image_write.
// Only the list of formats (../codecs.cpp) includes this header: it hides how the format works.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>

#include "codecs/codec.hpp"

namespace gpuimg::codecs {

/// All six kinds, as gray, RGB, or RGBA if alpha is declared or visibly used. Throws like decode_image; `name` is
/// printable.
DecodedImage read_tga(ByteSpan bytes, const std::string& name, const ReadOptions& options);

/// Codec::open_rows of TGA, without stb_image: of uncompressed gray and color, unless only the pixels say whether there
/// is alpha.
std::optional<DecodedImage> open_tga_rows(const RandomAccess& file, const std::string& name,
                                          const ReadOptions& options);

/// Codec::declared of TGA.
DeclaredImage declared_tga(ByteSpan beginning, const std::string& name);

/// TGA has no signature: a file is TGA if its name ends in .tga (any case) or it has the footer of version 2, and its
/// header is plausible.
bool looks_like_tga(ByteSpan bytes, std::string_view name);

/// stb_image_write computes sizes in int.
inline constexpr std::uint64_t kMaxTgaBytes = std::numeric_limits<int>::max();

/// 1 to 4 channels, run-length encoded. Requires an image that passes check_holds, and throws Error{out_of_memory}.
void encode_tga(ConstView pixels, const std::string& name, const WriteOptions& options, const ByteSink& sink);

}  // namespace gpuimg::codecs
