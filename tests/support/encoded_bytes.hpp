// Compares what a backend or a twin has encoded with the host's file.
#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "codecs/codec.hpp"
#include "gpuimg/image.hpp"

namespace gpuimg::test {

/// Empty if the file around the coded bytes of these pixels is the host's.
std::string difference_of_encoded(std::span<const std::byte> coded, ConstView pixels, codecs::FileFormat file_format,
                                  const codecs::WriteOptions& options);

}  // namespace gpuimg::test
