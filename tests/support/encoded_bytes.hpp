// Compares the output of a backend or a twin with the host's file.
#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "codecs/codec.hpp"
#include "gpuimg/image.hpp"

namespace gpuimg::test {

/// Returns an empty text if the file around the coded bytes of these pixels equals the host's file.
std::string difference_of_encoded(std::span<const std::byte> coded, ConstView pixels, codecs::FileFormat file_format,
                                  const codecs::WriteOptions& options);

}  // namespace gpuimg::test
