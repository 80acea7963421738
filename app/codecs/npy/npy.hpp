// NumPy's .npy format 1.0: little endian, C order, shape (h,w) or (h,w,c). Written for every Sample, read likewise.
#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "gpuimg/image.hpp"
#include "io/bytes.hpp"

namespace gpuimg {

Bytes encode_npy(ConstView pixels);

/// True if the bytes start with .npy's magic.
bool is_npy(std::span<const std::byte> bytes);

/// Throws Error{decode} for a damaged file, Error{unsupported} for other versions, orders, types or shapes than (h,w)
/// and (h,w,c) with c from 1 to 4.
Image decode_npy(std::span<const std::byte> bytes, const std::string& name);

}  // namespace gpuimg
