// Decodes a JPEG with one decoder, in parts and by its scans, and compares the results. Also used by the fuzzer.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "codecs/jpeg/jpeg_pipeline.hpp"
#include "support/file_bytes.hpp"

namespace gpuimg::test {

/// Empty if both return the same pixels and notes or fail with the same message; otherwise the difference. `file`
/// starts with SOI.
std::string difference_of_jpeg_parts(std::span<const std::byte> file, const std::vector<int>& cuts,
                                     const codecs::ReadOptions& options);

/// The pixels decoded in parts; nullopt if the file is left to one decoder. The file must be valid up to its first
/// scan.
std::optional<Image> read_in_jpeg_parts(std::span<const std::byte> file, const std::vector<int>& cuts, int threads);

/// The pixels decoded by all scans together (jpeg_pipeline.hpp); nullopt if the file is left to one decoder. The file
/// must be valid up to its first scan.
std::optional<Image> read_in_jpeg_scans(std::span<const std::byte> file,
                                        const codecs::jpeg::JpegPipelineChoices& choices);

/// Empty if the file is left to one decoder, or if that one returns the same pixels and encoding without a warning.
std::string difference_of_jpeg_scans(std::span<const std::byte> file, const codecs::jpeg::JpegPipelineChoices& choices);

}  // namespace gpuimg::test
