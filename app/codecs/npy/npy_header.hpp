// The text header of a .npy file, taken apart but not yet judged: app/codecs/npy/npy.cpp.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace gpuimg {

struct NpyHeader {
  std::string_view descr;  ///< points into the text
  bool fortran_order = false;
  std::vector<std::uint64_t> shape;
};

/// Reads the one form of Python dictionary that NumPy writes: its three keys in any order, strings without escapes,
/// booleans, and a tuple of whole numbers. Nothing where the text is something else.
std::optional<NpyHeader> parse_npy_header(std::string_view text);

}  // namespace gpuimg
