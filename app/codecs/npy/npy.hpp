// Reads and writes NumPy's .npy format 1.0: C order, shape (h,w) or (h,w,c). Arrays of u8 and u16 are images; arrays of
// other samples are tables. Start here to understand this folder.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>

#include "codecs/codec.hpp"
#include "gpuimg/image.hpp"
#include "io/bytes.hpp"

namespace gpuimg::codecs::npy {

/// Begins a file with any Sample, in little-endian order. The sink must outlive the writer.
std::unique_ptr<RowWriter> open_npy_writer(int width, int height, PixelFormat format, const ByteSink& sink);

/// Returns a function that begins such a file in any given FileParts.
inline auto npy_opener(int width, int height, PixelFormat format) {
  return [=](const FileParts& to) { return open_npy_writer(width, height, format, to.append); };
}

/// True if the bytes start with the magic of .npy.
bool is_npy(std::span<const std::byte> bytes);

/// Codec::declared of NPY. Accepts tables too, so that `gpuimg info` can describe them.
DeclaredImage declared_npy(std::span<const std::byte> beginning, const std::string& name);

/// Reads gray, gray with alpha, RGB or RGB with alpha, depending on the number of channels. Samples can have either
/// byte order. Throws like decode_image, and also if bytes follow the array.
DecodedImage read_npy(ByteSpan bytes, const std::string& name, const ReadOptions& options);

/// Decodes an image or a table. Throws Error{decode} for a damaged file, and Error{unsupported} for another version,
/// order or type, or for a shape other than (h,w) and (h,w,c) with c from 1 to 4.
Image decode_npy(std::span<const std::byte> bytes, const std::string& name);

}  // namespace gpuimg::codecs::npy
