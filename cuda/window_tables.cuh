// Summed-area tables for windows, and a launch of a thread for each pixel. Used by window.cu and threshold.cu.
#pragma once

#include <cstdint>
#include <optional>
#include <utility>

#include "device/cuda_picture.hpp"
#include "device/launch.cuh"
#include "operations.hpp"
#include "window/table.hpp"

namespace gpuimg::cuda {

/// True if the sums of a K × K window fit 32 bits: the table may then wrap.
inline bool fits_32_bits(int size, std::uint64_t largest) {
  const auto side = static_cast<std::uint64_t>(size);
  return side < 65536 && side * side <= 0xFFFFFFFFU / largest;
}

/// The table of a channel, or of its squares. `Sum` is std::uint32_t or std::uint64_t.
template <class Sum>
struct WindowTable {
  SumTable owner;
  PaddedTable<Sum> table;

  WindowTable(Workspace& workspace, const Picture& picture, Channel channel, Luma luma, bool square)
      : owner(apply(workspace, picture, options_for(channel, luma, square))),
        table{reinterpret_cast<const Sum*>(pixels_of(owner)), pitch_bytes(owner) / sizeof(Sum), picture.width(),
              picture.height()} {}

 private:
  static IntegralOptions options_for(Channel channel, Luma luma, bool square) {
    IntegralOptions options;
    options.type = sizeof(Sum) == 4 ? Sample::u32 : Sample::u64;
    options.square = square;
    options.channel = channel;
    options.luma = luma;
    options.allow_wrap = true;
    return options;
  }
};

/// Calls operation(x, y). Thread → pixels of a column, a stride of all blocks in y apart. Block: 128 × 2.
template <class Operation>
__global__ void __launch_bounds__(256) for_each_pixel(int width, int height, Operation operation) {
  const unsigned x = blockIdx.x * blockDim.x + threadIdx.x;
  if (x >= static_cast<unsigned>(width)) {
    return;
  }
  const unsigned step = gridDim.y * blockDim.y;
  for (unsigned y = blockIdx.y * blockDim.y + threadIdx.y; y < static_cast<unsigned>(height); y += step) {
    operation(static_cast<int>(x), static_cast<int>(y));
  }
}

template <class Operation>
void launch_for_each_pixel(Workspace& workspace, int width, int height, const Operation& operation, const char* doing) {
  constexpr unsigned kAcross = 128;
  constexpr unsigned kDown = 2;
  constexpr unsigned kMaxGridRows = 65535;
  const unsigned across = (static_cast<unsigned>(width) + kAcross - 1) / kAcross;
  const unsigned down = std::min((static_cast<unsigned>(height) + kDown - 1) / kDown, kMaxGridRows);
  for_each_pixel<<<dim3(across, down), dim3(kAcross, kDown), 0, workspace.stream()>>>(width, height, operation);
  check_launch(doing);
}

}  // namespace gpuimg::cuda
