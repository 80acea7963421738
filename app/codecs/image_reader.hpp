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

/// Describes a file for a backend's decoder; `bytes` must outlive the result. Returns nullopt for a file that
/// decode_image must read. Throws as decode_image does.
std::optional<DescribedImage> describe_image(std::span<const std::byte> bytes, const std::string& name,
                                             const ReadOptions& options);

/// The image, after a backend has made its pixels. `options` are those that it was described with.
DecodedImage described_image(DescribedImage described, Picture pixels, const ReadOptions& options);

/// Called before a file is decoded or opened by rows, with what the header declares and the size of the file.
using WantsRows = std::function<bool(const DeclaredImage& declared, std::uint64_t file_bytes)>;

/// Like decode_image, for a regular file of a format that is read only where needed, or while it is decoded. Calls
/// `wants` before decoding; if that returns false, the file is left to decode_image. Returns nullopt for such a file,
/// for one that must be held whole, and for a file of a single-page format that decode_image rejects.
std::optional<DecodedImage> decode_file(const std::string& path, const ReadOptions& options, const WantsRows& wants);

/// The same for a regular file whose rows can be read in bands (Codec::open_rows), upright: opens the file and leaves
/// the pixels in it if `wants` returns true. Returns nullopt for any other file, also for one that decode_image
/// rejects.
std::optional<DecodedImage> open_image_rows(const std::string& path, const ReadOptions& options,
                                            const WantsRows& wants);

/// The same for a file in memory, such as one from a pipe; the result keeps `content`.
std::optional<DecodedImage> open_image_rows(const std::shared_ptr<const Bytes>& content, const std::string& name,
                                            const ReadOptions& options, const WantsRows& wants);

}  // namespace gpuimg::codecs
