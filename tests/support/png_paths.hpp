// Reads a PNG with the fast path, with the fast path in bands of rows, and with libpng alone, and compares the results.
// The fuzzers use it, too.
#pragma once

#include <span>
#include <string>

#include "support/file_bytes.hpp"

namespace gpuimg::test {

/// Empty if all ways return the same pixels or fail with the same message; otherwise describes the difference.
std::string difference_of_png_paths(std::span<const std::byte> file);

/// The file with correct chunk CRCs and, if the image data can be decompressed, with a correct Adler-32. If a chunk
/// extends past the end of the file, the bytes from its start on stay unchanged.
FileBytes with_checksums_repaired(std::span<const std::byte> file);

}  // namespace gpuimg::test
