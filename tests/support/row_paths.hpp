// Reads a file in bands of rows and as a whole, and compares the results. Also used by fuzzers.
#pragma once

#include <initializer_list>
#include <optional>
#include <span>
#include <string>

#include "codecs/codec.hpp"

namespace gpuimg::test {

/// Returns the image assembled from the bands, or nullopt if they are void. Writes an error in the bands to `fault`:
/// bands must have at most `rows` rows, cover the image once, and come in order if the caller requires it.
std::optional<Image> read_bands(codecs::RowReader& reader, int rows, codecs::RowReader::Order order,
                                std::string& fault);

/// Opens a file for reading in bands of rows. Returns nullopt if the file is rejected or must be decoded as a whole.
std::optional<codecs::DecodedImage> opened_rows(std::span<const std::byte> file, const std::string& name,
                                                const codecs::ReadOptions& options);

struct RowPaths {
  int read = 0;            ///< how often the file was read in bands
  std::string difference;  ///< how the bands differ from the whole image; empty if they do not
};

/// Reads in bands of each height, in both orders, all from one reader. Void bands do not count as a difference.
RowPaths compare_row_paths(std::span<const std::byte> file, const std::string& name, const codecs::ReadOptions& options,
                           std::initializer_list<int> heights);

}  // namespace gpuimg::test
