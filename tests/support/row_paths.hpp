// Reads a file in bands of rows and as a whole, and compares the results. Also used by fuzzers.
#pragma once

#include <initializer_list>
#include <optional>
#include <span>
#include <string>

#include "codecs/codec.hpp"

namespace gpuimg::test {

/// Returns the image from the bands, or nullopt if they are void. Writes an error in the bands to `fault`: they must
/// have up to `rows` rows, cover the image once, and come in order if the caller asks for order.
std::optional<Image> read_bands(codecs::RowReader& reader, int rows, codecs::RowReader::Order order,
                                std::string& fault);

/// Opens the rows of a file to read them in bands. Returns nullopt if the file is rejected or must be decoded whole.
std::optional<codecs::DecodedImage> opened_rows(std::span<const std::byte> file, const std::string& name,
                                                const codecs::ReadOptions& options);

struct RowPaths {
  int read = 0;            ///< how often the file was read in bands
  std::string difference;  ///< between bands and the whole image; empty if there is none
};

/// Reads in bands of each height, in both orders, all from one reader. Void bands do not count as a difference.
RowPaths compare_row_paths(std::span<const std::byte> file, const std::string& name, const codecs::ReadOptions& options,
                           std::initializer_list<int> heights);

}  // namespace gpuimg::test
