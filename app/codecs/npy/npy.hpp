// Reads and writes NumPy's .npy format 1.0: C order, shape (h,w) or (h,w,c). Arrays of u8 and u16 are images; those of
// other samples are tables. To read this folder, start here.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>

#include "codecs/codec.hpp"
#include "gpuimg/image.hpp"
#include "io/bytes.hpp"

namespace gpuimg::codecs::npy {

/// Begins a file of any Sample, little endian. The sink must outlive the writer.
std::unique_ptr<RowWriter> open_npy_writer(int width, int height, PixelFormat format, const ByteSink& sink);

/// Returns a function that begins such a file at any FileParts.
inline auto npy_opener(int width, int height, PixelFormat format) {
  return [=](const FileParts& to) { return open_npy_writer(width, height, format, to.append); };
}

/// True if the bytes start with the magic of .npy.
bool is_npy(std::span<const std::byte> bytes);

/// Codec::declared of NPY; accepts tables, too, so that `gpuimg info` tells about them.
DeclaredImage declared_npy(std::span<const std::byte> beginning, const std::string& name);

/// Gray, gray with alpha, RGB or RGB with alpha, by the number of channels; samples of either byte order. Throws like
/// decode_image, also for a file that is longer than its array.
DecodedImage read_npy(ByteSpan bytes, const std::string& name, const ReadOptions& options);

/// An image or a table. Throws Error{decode} for a damaged file, and Error{unsupported} for another version, order or
/// type, or for a shape other than (h,w) and (h,w,c) with c from 1 to 4.
Image decode_npy(std::span<const std::byte> bytes, const std::string& name);

}  // namespace gpuimg::codecs::npy
