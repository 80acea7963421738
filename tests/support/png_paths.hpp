// Reads a PNG with the fast path, with the fast path in bands of rows, and with libpng alone, and compares the results.
// The fuzzers use it, too.
#pragma once

#include <span>
#include <string>

#include "support/file_bytes.hpp"

namespace gpuimg::test {

/// Empty if all ways return the same pixels or fail with the same message; otherwise describes the difference.
std::string difference_of_png_paths(std::span<const std::byte> file);

/// The file with correct chunk CRCs and, if the image data inflate, with a correct checksum of them. The file is cut
/// off where a chunk extends past the end.
FileBytes with_checksums_repaired(std::span<const std::byte> file);

}  // namespace gpuimg::test
