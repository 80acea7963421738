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

/// Detects the format by content. `name` appears in messages, and is used to detect TGA, which has no signature. Checks
/// the header against the limits before decoding. Throws Error{decode} for a file that is damaged, truncated or not an
/// image, Error{unsupported} for a format or feature that gpuimg does not read, Error{usage} for a page that the file
/// does not have, and Error{out_of_memory}.
DecodedImage decode_image(std::span<const std::byte> bytes, const std::string& name, const ReadOptions& options);

/// Describes a file for a backend's decoder; `bytes` must outlive the result. Returns nullopt for a file that
/// decode_image must read. Throws as decode_image does.
std::optional<DescribedImage> describe_image(std::span<const std::byte> bytes, const std::string& name,
                                             const ReadOptions& options);

/// Completes an image after a backend has made its pixels. `options` must be those passed to describe_image.
DecodedImage described_image(DescribedImage described, Picture pixels, const ReadOptions& options);

/// Decides whether to read by rows. Called before a file is decoded or opened by rows, with its declared image and its
/// size.
using WantsRows = std::function<bool(const DeclaredImage& declared, std::uint64_t file_bytes)>;

/// Like decode_image, for a regular file of a format whose reader reads only the needed parts, or reads while it
/// decodes. Calls `wants` before decoding. Returns nullopt if `wants` returns false, if the file must be held whole,
/// and for a file of a single-page format that decode_image rejects. The caller then uses decode_image.
std::optional<DecodedImage> decode_file(const std::string& path, const ReadOptions& options, const WantsRows& wants);

/// Opens a regular file whose rows can be read in bands (Codec::open_rows) in upright order. If `wants` returns true,
/// leaves the pixels in the file for reading later. Returns nullopt for any other file, including files that
/// decode_image rejects.
std::optional<DecodedImage> open_image_rows(const std::string& path, const ReadOptions& options,
                                            const WantsRows& wants);

/// Like open_image_rows above, for a file in memory, for example from a pipe. The result keeps `content` alive.
std::optional<DecodedImage> open_image_rows(const std::shared_ptr<const Bytes>& content, const std::string& name,
                                            const ReadOptions& options, const WantsRows& wants);

}  // namespace gpuimg::codecs
