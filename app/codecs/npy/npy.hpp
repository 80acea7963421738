// Reads and writes NumPy's .npy format 1.0: little endian, C order, shape (h,w) or (h,w,c), every Sample.
// To read this folder, start here.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#include "codecs/codec.hpp"
#include "gpuimg/image.hpp"
#include "io/bytes.hpp"

namespace gpuimg::codecs {

inline constexpr std::string_view kNpyEnding = "npy";

Bytes encode_npy(ConstView pixels);

/// True if the bytes start with the magic of .npy.
bool is_npy(std::span<const std::byte> bytes);

/// What the header declares. Throws TruncatedFile if it is cut off, else as decode_npy does.
DeclaredImage declared_npy(std::span<const std::byte> beginning, const std::string& name);

/// Throws Error{decode} for a damaged file, and Error{unsupported} for another version, order or type, or for a shape
/// other than (h,w) and (h,w,c) with c from 1 to 4.
Image decode_npy(std::span<const std::byte> bytes, const std::string& name);

}  // namespace gpuimg::codecs
