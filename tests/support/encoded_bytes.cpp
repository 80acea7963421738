// Writes the file around the coded bytes, and compares it with the host's file.
#include "support/encoded_bytes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <vector>

#include "codecs/image_writer.hpp"

namespace gpuimg::test {

std::string difference_of_encoded(std::span<const std::byte> coded, ConstView pixels, codecs::FileFormat file_format,
                                  const codecs::WriteOptions& options) {
  const auto copy = std::make_shared<std::vector<std::byte>>(coded.begin(), coded.end());
  const Encoded encoded{{copy, copy->data()}, copy->size()};
  std::vector<std::byte> file;
  codecs::write_encoded(encoded, pixels.width, pixels.height, pixels.format, file_format, "file", options,
                        [&](std::span<const std::byte> part) { file.insert(file.end(), part.begin(), part.end()); });
  const std::vector<std::byte> expected = codecs::encode_image(pixels, file_format, "host", options);
  const auto [ours, theirs] = std::mismatch(file.begin(), file.end(), expected.begin(), expected.end());
  if (ours == file.end() && theirs == expected.end()) {
    return "";
  }
  return fmt::format("other bytes from byte {} on, of {} in place of {}", ours - file.begin(), file.size(),
                     expected.size());
}

}  // namespace gpuimg::test
