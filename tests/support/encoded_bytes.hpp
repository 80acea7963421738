// Compares encoded data from a backend or a twin with the host's file.
#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "codecs/codec.hpp"
#include "gpuimg/image.hpp"

namespace gpuimg::test {

/// Returns an empty text if a file built from these coded bytes equals the host's file for the pixels.
std::string difference_of_encoded(std::span<const std::byte> coded, ConstView pixels, codecs::FileFormat file_format,
                                  const codecs::WriteOptions& options);

}  // namespace gpuimg::test
