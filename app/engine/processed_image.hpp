// What an operation has made for an image file: pixels on the host, or the coded bytes that a backend made of them.
#pragma once

#include <optional>
#include <string>

#include "gpuimg/encoded_image.hpp"
#include "gpuimg/image.hpp"
#include "operations/result_compare.hpp"

namespace gpuimg {

struct ProcessedImage {
  int width = 0;
  int height = 0;
  PixelFormat format;
  std::optional<Encoded> encoded;
  Image image;             ///< empty if `encoded` is there, except with --verify
  std::string encoded_by;  ///< the backend of `encoded`
};

/// Compares the pixels of both, which must be there.
inline std::string first_difference(const ProcessedImage& a, const std::string& a_name, const ProcessedImage& b,
                                    const std::string& b_name) {
  return first_difference(a.image, a_name, b.image, b_name);
}

}  // namespace gpuimg
