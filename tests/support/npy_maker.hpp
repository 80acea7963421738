// Makes .npy files in memory.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "codecs/npy/npy.hpp"
#include "gpuimg/image.hpp"
#include "io/bytes.hpp"

namespace gpuimg::test {

/// The file that gpuimg writes for these pixels.
inline std::vector<std::byte> npy_of(ConstView pixels) {
  std::vector<std::byte> file;
  const ByteSink append = [&](std::span<const std::byte> part) { file.insert(file.end(), part.begin(), part.end()); };
  const auto writer = codecs::npy::open_npy_writer(pixels.width, pixels.height, pixels.format, append);
  writer->write(pixels);
  writer->finish();
  return file;
}

}  // namespace gpuimg::test
