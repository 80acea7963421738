// Decodes a JPEG with the ordinary decoder, in parts and by its scans, and compares the results. The fuzzers use it,
// too.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "codecs/jpeg/jpeg_pipeline.hpp"
#include "support/file_bytes.hpp"

namespace gpuimg::test {

/// Compares decoding in parts with the ordinary decoder. Empty if both return the same pixels and notes, or fail with
/// the same message; otherwise describes the difference. `file` starts with SOI.
std::string difference_of_jpeg_parts(std::span<const std::byte> file, const std::vector<int>& cuts,
                                     const codecs::ReadOptions& options);

/// The pixels decoded in parts; nullopt if the file is left to the ordinary decoder. The file must be valid up to its
/// first scan.
std::optional<Image> read_in_jpeg_parts(std::span<const std::byte> file, const std::vector<int>& cuts, int threads);

/// The pixels decoded from all scans concurrently (jpeg_pipeline.hpp); nullopt if the file is left to the ordinary
/// decoder. The file must be valid up to its first scan.
std::optional<Image> read_in_jpeg_scans(std::span<const std::byte> file,
                                        const codecs::jpeg::JpegPipelineChoices& choices);

/// Empty if the file is left to the ordinary decoder, or if that decoder returns the same pixels and encoding without a
/// warning.
std::string difference_of_jpeg_scans(std::span<const std::byte> file, const codecs::jpeg::JpegPipelineChoices& choices);

}  // namespace gpuimg::test
