// The CUDA backend's JPEG decoder on the host: calls the functions of gpuimg/jpeg in the order of the kernels in
// cuda/codecs/jpeg. The fuzzers use it, too.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "gpuimg/encoded_image.hpp"
#include "gpuimg/image.hpp"

namespace gpuimg::test {

/// How the twin divides its work. Small numbers force steps that large images rarely need.
struct TwinChoices {
  std::uint32_t subsequence_bits = 2048;  ///< a multiple of 8
  std::uint32_t parts = 2;                ///< parts of a subsequence; each repeated skim covers one part
  std::uint32_t tile_size = 250;          ///< subsequences that are synchronized together
  std::uint32_t run_in = 6;               ///< subsequences before a tile that the tile skims first
  std::uint32_t max_rounds = 256;         ///< rounds of synchronization within a tile
  std::uint32_t repair_rounds = 4;        ///< rounds that repair tiles whose start differs from the previous tile's end
  std::uint32_t repair_budget = 256;      ///< maximum number of subsequences of a tile that a round skims again
  bool decodes_states_in_order = true;    ///< if synchronization fails, finds the states by sequential decoding
  int planted_error = -1;                 ///< subsequence whose state or sums are changed before the writing pass
};

struct TwinResult {
  std::uint32_t defects = 0;      ///< gpuimg::jpeg::Defect
  std::uint32_t rounds = 0;       ///< largest number of rounds in a tile
  std::uint32_t repaired = 0;     ///< number of repaired tiles
  bool decoded_in_order = false;  ///< the states were found by sequential decoding
  std::uint32_t subsequences = 0;
  std::uint64_t symbols = 0;   ///< number of symbols that the writing pass decoded
  std::optional<Image> image;  ///< present if there is no defect
};

TwinResult decode_with_twin(const EncodedJpeg& jpeg, const TwinChoices& choices = {});

/// Processes coefficients like the kernels.
TwinResult decode_with_twin(const JpegCoefficients& jpeg);

/// Returns an empty text if the twin leaves the file to libjpeg-turbo, or if both decode the same pixels and
/// libjpeg-turbo has no warning. Increments `taken` if the twin decodes the file.
std::string difference_of_jpeg_twin(std::span<const std::byte> file, const TwinChoices& choices, int* taken = nullptr);

/// Like difference_of_jpeg_twin, for a file with several scans, whose coefficients the host decodes.
std::string difference_of_jpeg_coefficients(std::span<const std::byte> file, int threads, int* taken = nullptr);

}  // namespace gpuimg::test
