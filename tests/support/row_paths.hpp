// Reads a file in bands of rows and as a whole, and compares. Also used by fuzzers.
#pragma once

#include <initializer_list>
#include <optional>
#include <span>
#include <string>

#include "codecs/codec.hpp"

namespace gpuimg::test {

/// The image that the bands make, or nullopt if they are void. Puts what is wrong with them into `fault`: they must
/// have up to `rows` rows, cover the image once, and come in order if so asked.
std::optional<Image> read_bands(codecs::RowReader& reader, int rows, codecs::RowReader::Order order,
                                std::string& fault);

/// The rows of a file, opened to be read in bands; nullopt if it is refused, or must be decoded whole.
std::optional<codecs::DecodedImage> opened_rows(std::span<const std::byte> file, const std::string& name,
                                                const codecs::ReadOptions& options);

struct RowPaths {
  int read = 0;            ///< how often the file was read in bands
  std::string difference;  ///< to what is read whole; empty if there is none
};

/// Reads in bands of each height, in both orders, all from one reader. Void bands are no difference.
RowPaths compare_row_paths(std::span<const std::byte> file, const std::string& name, const codecs::ReadOptions& options,
                           std::initializer_list<int> heights);

}  // namespace gpuimg::test
