// Maps pixels between the tables of CLAHE's tiles. Specified in docs/operations.md, "CLAHE".
#pragma once

#include "device/device.hpp"
#include "gpuimg/ops/clahe.hpp"

namespace gpuimg::cuda {

/// How to map the pixels. Pointers are to device memory.
struct TileMapRequest {
  TileGrid grid;
  int first_row = 0;
  const std::uint16_t* maps = nullptr;  ///< as ClaheTables::maps
  EqualizeColor color = EqualizeColor::luma;
  Luma luma = kDefaultLuma;
  double strength = 1.0;
  const std::uint8_t* mask = nullptr;  ///< pixels with mask value 0 stay unchanged
};

void map_between_tiles(Workspace& workspace, const Picture& from, const Picture& to, const TileMapRequest& request);

}  // namespace gpuimg::cuda
