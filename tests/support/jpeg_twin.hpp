// The JPEG decoder of the CUDA backend on the host: the same functions of gpuimg/jpeg, called in the order of the
// kernels in cuda/codecs/jpeg. Also used by the fuzzer.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "gpuimg/encoded_image.hpp"
#include "gpuimg/image.hpp"

namespace gpuimg::test {

/// How the twin divides its work. Small numbers force what large images rarely need.
struct TwinChoices {
  std::uint32_t subsequence_bits = 2048;  ///< a multiple of 8
  std::uint32_t parts = 2;                ///< of a subsequence; one is skimmed anew at a time
  std::uint32_t tile_size = 250;          ///< subsequences that are synchronized together
  std::uint32_t run_in = 6;               ///< subsequences before a tile that it skims first
  std::uint32_t max_rounds = 256;         ///< of synchronization within a tile
  std::uint32_t repair_rounds = 4;        ///< of repairing tiles that begin where the one before does not end
  std::uint32_t repair_budget = 256;      ///< subsequences of a tile that a round skims anew
  bool walks_states = true;               ///< if synchronization fails, finds the states in order
  int planted_error = -1;  ///< number of the subsequence whose state or sums are changed before the writing pass
};

struct TwinResult {
  std::uint32_t defects = 0;   ///< gpuimg::jpeg::Defect
  std::uint32_t rounds = 0;    ///< most of a tile
  std::uint32_t repaired = 0;  ///< tiles
  bool walked = false;         ///< the states were found in order
  std::uint32_t subsequences = 0;
  std::uint64_t symbols = 0;   ///< decoded by the writing pass
  std::optional<Image> image;  ///< if there is no defect
};

TwinResult decode_with_twin(const EncodedJpeg& jpeg, const TwinChoices& choices = {});

/// What the kernels do with coefficients.
TwinResult decode_with_twin(const JpegCoefficients& jpeg);

/// Empty if the twin leaves the file to libjpeg-turbo, or both read the same pixels and libjpeg-turbo has no warning.
/// `taken` counts the files that the twin reads.
std::string difference_of_jpeg_twin(std::span<const std::byte> file, const TwinChoices& choices, int* taken = nullptr);

/// The same for a file of several scans, whose coefficients libjpeg-turbo reads.
std::string difference_of_jpeg_coefficients(std::span<const std::byte> file, int threads, int* taken = nullptr);

}  // namespace gpuimg::test
