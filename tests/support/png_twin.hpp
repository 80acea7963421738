// The CUDA backend's PNG decoder on the host: calls the functions of core/png in the order of the kernels in
// cuda/codecs/png. The fuzzers use it, too.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "gpuimg/encoded_image.hpp"
#include "gpuimg/image.hpp"
#include "png/windows.hpp"

namespace gpuimg::test {

/// An error in the results of the walks, before windows are joined.
struct PlantedWalkError {
  enum class Of { nothing, entry, exit, bytes, lane } of = Of::nothing;
  std::uint32_t window = 0;
};

struct PngTwinResult {
  std::uint32_t defects = 0;     ///< gpuimg::png::Defect
  std::uint32_t candidates = 0;  ///< bits at which a block could begin
  std::uint32_t blocks = 0;      ///< number of blocks among the candidates and in the chain
  std::uint32_t windows = 0;
  std::uint32_t rounds = 0;       ///< rounds that parse and decode blocks
  std::uint32_t repaired = 0;     ///< number of windows that were decoded again
  std::uint32_t walks_again = 0;  ///< repeated walks of lanes, within windows
  std::uint32_t stored_runs = 0;
  std::optional<Image> image;  ///< present if there is no defect
};

PngTwinResult decode_with_twin(const EncodedPng& png, const gpuimg::png::DecodeShape& shape = {},
                               const PlantedWalkError& error = {});

/// Returns an empty text if the twin leaves the file to libpng, or if both decode the same pixels. Increments `taken`
/// if the twin decodes the file.
std::string difference_of_png_twin(std::span<const std::byte> file, const gpuimg::png::DecodeShape& shape = {},
                                   int* taken = nullptr);

}  // namespace gpuimg::test
