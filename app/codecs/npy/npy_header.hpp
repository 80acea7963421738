// The header of a .npy file 1.0: magic, version, header length, and a Python dictionary in text form, padded with
// spaces so that the data starts at a multiple of 64.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#include "gpuimg/error.hpp"
#include "gpuimg/image.hpp"

namespace gpuimg::codecs {

struct NpyLayout {
  int width = 0;
  int height = 0;
  PixelFormat format;
  bool is_big_endian = false;
  std::string type;             ///< as the header spells it: "<f8"
  std::string shape;            ///< "(4,5,3)"
  std::size_t data_offset = 0;  ///< where the data begins in the file
};

/// Everything before the data, from the magic on.
std::string npy_header_for(int width, int height, PixelFormat format);

/// Throws TruncatedFile if the header is cut off, Error{decode} if it is damaged, and Error{unsupported} for another
/// version, order or type, or for a shape other than (h,w) and (h,w,c) with c from 1 to 4.
NpyLayout read_npy_header(std::span<const std::byte> bytes, const std::string& name);

/// A NumPy expression that makes an image of an array of this type, from 'in.npy': fractions become 16 bits, truth
/// values black and white.
std::string_view type_advice(std::string_view type);

/// Throws Error{unsupported}: `what` names a kind of array, and `advice` is the expression that converts it, or empty.
[[noreturn]] void refuse_npy(const std::string& name, const std::string& what, std::string_view advice);

[[noreturn]] void fail_npy(ErrorKind kind, const std::string& name, const std::string& why);

}  // namespace gpuimg::codecs
