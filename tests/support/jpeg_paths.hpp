// A JPEG read by one decoder and in parts, and whether they agree. Also for the fuzzer.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "support/file_bytes.hpp"

namespace gpuimg::test {

/// Empty if both give the same pixels and notes, or both refuse with the same words; else what differs. `file` begins
/// with the marker of a JPEG's start.
std::string difference_of_jpeg_parts(std::span<const std::byte> file, const std::vector<int>& cuts,
                                     const codecs::ReadOptions& options);

/// The pixels that the parts alone give; nothing where they leave the file to one decoder. The file is sound up to its
/// first scan.
std::optional<Image> read_in_jpeg_parts(std::span<const std::byte> file, const std::vector<int>& cuts, int threads);

}  // namespace gpuimg::test
