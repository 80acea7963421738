// Decodes an image file of any format in the list (codecs.cpp). Strictness and limits: docs/operations.md, "Files".
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "codecs/codec.hpp"

namespace gpuimg::codecs {

/// Identifies the format by content. `name` appears in messages, and matters for TGA, which has no signature. Checks
/// the header against the limits before decoding. Throws Error{decode} for a file that is damaged, truncated or not an
/// image, Error{unsupported} for a format or feature that gpuimg does not read, Error{usage} for a page that the file
/// does not have, and Error{out_of_memory}.
DecodedImage decode_image(std::span<const std::byte> bytes, const std::string& name, const ReadOptions& options);

/// The same for a regular file of a format with pages, of which only the needed parts are read. Calls `expect` with
/// what the header declares before it decodes. Nothing for other formats.
std::optional<DecodedImage> decode_paged_file(const std::string& path, const ReadOptions& options,
                                              const std::function<void(const DeclaredImage&)>& expect);

/// The same for a regular file whose rows can be read in bands (Codec::open_rows), upright: opens it, calls `expect`,
/// and leaves the pixels there. Returns nullopt for any other file, also for one that decode_image refuses.
std::optional<DecodedImage> open_image_rows(const std::string& path, const ReadOptions& options,
                                            const std::function<void(const DeclaredImage&)>& expect);

/// The same for a file in memory, such as one from a pipe; the result keeps `content`.
std::optional<DecodedImage> open_image_rows(const std::shared_ptr<const Bytes>& content, const std::string& name,
                                            const ReadOptions& options,
                                            const std::function<void(const DeclaredImage&)>& expect);

}  // namespace gpuimg::codecs
