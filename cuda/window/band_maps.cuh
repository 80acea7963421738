// The image, and the copies of its borders, as the tensors of which window/tile_rows.cuh takes boxes.
#pragma once

#include <cuda.h>

#include <optional>

#include "window/band_job.cuh"

namespace gpuimg::cuda {

struct BandMaps {
  CUtensorMap image;
  CUtensorMap copies;  ///< a layer per strip
};

using EncodeTiled = decltype(&cuTensorMapEncodeTiled);

/// The driver's function, so that no program needs the driver to start; null if it has none.
inline EncodeTiled find_encode_tiled() {
  constexpr unsigned kSince = 12000;
  void* function = nullptr;
  cudaDriverEntryPointQueryResult found{};
#if CUDART_VERSION >= 12050
  const cudaError_t error =
      cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &function, kSince, cudaEnableDefault, &found);
#else
  static_assert(CUDART_VERSION >= kSince);
  const cudaError_t error = cudaGetDriverEntryPoint("cuTensorMapEncodeTiled", &function, cudaEnableDefault, &found);
#endif
  if (error != cudaSuccess || found != cudaDriverEntryPointSuccess) {
    static_cast<void>(cudaGetLastError());
    return nullptr;
  }
  return reinterpret_cast<EncodeTiled>(function);
}

/// Makes a map of `layers` images of bytes, as words of four; width is a multiple of 16. Outside are zeros. Nothing if
/// the driver has no maps. See "Tensor Map Object Management" in the manual of the CUDA Driver API.
inline std::optional<CUtensorMap> tensor_map(const std::uint8_t* levels, int width, int height, int layers,
                                             int box_columns) {
  static const EncodeTiled encode = find_encode_tiled();
  if (encode == nullptr) {
    return std::nullopt;
  }
  constexpr unsigned kWord = 4;
  const auto row_bytes = static_cast<cuuint64_t>(width);
  const auto rows = static_cast<cuuint64_t>(height);
  const cuuint64_t sizes[] = {row_bytes / kWord, rows, static_cast<cuuint64_t>(layers)};
  const cuuint64_t pitches[] = {row_bytes, row_bytes * rows};
  const cuuint32_t box[] = {static_cast<cuuint32_t>(box_columns) / kWord, kBandStepRows, 1};
  const cuuint32_t strides[] = {1, 1, 1};
  CUtensorMap map{};
  const CUresult result = encode(&map, CU_TENSOR_MAP_DATA_TYPE_UINT32, 3, const_cast<std::uint8_t*>(levels), sizes,
                                 pitches, box, strides, CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_NONE,
                                 CU_TENSOR_MAP_L2_PROMOTION_L2_128B, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
  return result == CUDA_SUCCESS ? std::optional(map) : std::nullopt;
}

/// Nothing if the driver has no such maps.
inline std::optional<BandMaps> band_maps(const BandJob& job) {
  BandMaps maps{};
  const int copies = job.copied_strips();
  if (copies < job.strips) {
    const auto image = tensor_map(job.levels, job.width, job.height, 1, BandTile::kPitch);
    if (!image) {
      return std::nullopt;
    }
    maps.image = *image;
  }
  if (copies > 0) {
    const auto layers = tensor_map(job.copies, BandTile::kColumns, job.height, copies, BandTile::kPitch);
    if (!layers) {
      return std::nullopt;
    }
    maps.copies = *layers;
  }
  return maps;
}

}  // namespace gpuimg::cuda
