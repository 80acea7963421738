// A PNG read twice, by the fast path and by libpng alone, and whether they agree. Also for the fuzzer.
#pragma once

#include <span>
#include <string>

#include "support/file_bytes.hpp"

namespace gpuimg::test {

/// Empty if both give the same pixels, or both refuse with the same words; else what differs.
std::string difference_of_png_paths(std::span<const std::byte> file);

/// The file with each chunk's CRC put right, and the checksum of the image data where it inflates at all; cut where its
/// chunks reach beyond it.
FileBytes with_checksums_repaired(std::span<const std::byte> file);

}  // namespace gpuimg::test
