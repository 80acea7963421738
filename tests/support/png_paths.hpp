// Reads a PNG with the fast path, also in bands of rows, and with libpng alone. Compares the results. Also used by the
// fuzzer.
#pragma once

#include <span>
#include <string>

#include "support/file_bytes.hpp"

namespace gpuimg::test {

/// Empty if both return the same pixels or fail with the same message; otherwise the difference.
std::string difference_of_png_paths(std::span<const std::byte> file);

/// The file with correct chunk CRCs, and with a correct checksum of the image data if it inflates. Cut off where a
/// chunk extends past the end.
FileBytes with_checksums_repaired(std::span<const std::byte> file);

}  // namespace gpuimg::test
