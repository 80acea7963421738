// Summed-area tables for windows, with and without weights, and a kernel that calls a function for each pixel. Used by
// window.cu, threshold.cu and denoise.cu.
#pragma once

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "device/cuda_picture.hpp"
#include "device/launch.cuh"
#include "gpuimg/selection.hpp"
#include "operations.hpp"
#include "ops/window.hpp"
#include "window/table.hpp"

namespace gpuimg::cuda {

/// True if the sum of every window fits in 32 bits. A 32-bit table then suffices, even if its entries wrap.
inline bool fits_32_bits(const WindowSize& size, std::uint64_t largest) {
  const auto n = static_cast<std::uint64_t>(size.width) * static_cast<std::uint64_t>(size.height);
  return n <= 0xFFFFFFFFU / largest;
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

/// Calls operation(x, y) for each pixel. Thread → pixels of one column, `step` rows apart. Block: 128 × 2 threads,
/// unless the launch specifies another shape.
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

template <unsigned kAcross = 128, unsigned kDown = 2, class Operation>
void launch_for_each_pixel(Workspace& workspace, int width, int height, const Operation& operation, const char* doing) {
  constexpr unsigned kMaxGridRows = 65535;
  const unsigned across = (static_cast<unsigned>(width) + kAcross - 1) / kAcross;
  const unsigned down = std::min((static_cast<unsigned>(height) + kDown - 1) / kDown, kMaxGridRows);
  for_each_pixel<<<dim3(across, down), dim3(kAcross, kDown), 0, workspace.stream()>>>(width, height, operation);
  check_launch(doing);
}

// --- Windows whose pixels have weights -------------------------------------------------------------------------------

template <class T>
PixelWeights<T> weights_of(const Picture& picture, const Selection& selection) {
  PixelWeights<T> weights;
  weights.pixels = pixels_of(picture);
  weights.pitch_bytes = pitch_bytes(picture);
  weights.channels = picture.format().channels;
  weights.by_alpha = picture.format().has_alpha() && !selection.count_transparent;
  weights.region = selection.region.value_or(Rect{0, 0, picture.width(), picture.height()});
  if (selection.mask != nullptr) {
    weights.mask = reinterpret_cast<const std::uint8_t*>(pixels_of(*selection.mask));
    weights.mask_pitch = pitch_bytes(*selection.mask);
  }
  return weights;
}

/// Sets `found` if the alpha of a pixel is below `least`.
template <class T>
struct FindAlpha {
  PixelWeights<T> weights;
  std::uint32_t least;
  std::uint32_t* found;

  __device__ void operator()(int x, int y) const {
    if (weights.alpha_at(x, y) < least) {
      *found = 1;
    }
  }
};

/// True if the alpha of some pixel is below `least`. Waits for the device.
template <class T>
bool has_alpha_below(Workspace& workspace, const Picture& picture, std::uint32_t least) {
  const DeviceMemory found(workspace.device(), sizeof(std::uint32_t));
  cuda_check(cudaMemsetAsync(found.data(), 0, sizeof(std::uint32_t), workspace.stream()), "looking for transparency");
  launch_for_each_pixel(workspace, picture.width(), picture.height(),
                        FindAlpha<T>{weights_of<T>(picture, {}), least, found.as<std::uint32_t>()},
                        "looking for transparency");
  auto* on_host = workspace.results(sizeof(std::uint32_t)).as<std::uint32_t>();
  cuda_check(cudaMemcpyAsync(on_host, found.data(), sizeof(std::uint32_t), cudaMemcpyDeviceToHost, workspace.stream()),
             "looking for transparency");
  workspace.device()->wait();
  return *on_host != 0;
}

/// True if the weights can differ: there is a mask, the region is not the whole picture, or the alpha of some pixel is
/// below the maximum.
template <class T>
bool are_unequal(Workspace& workspace, const Picture& picture, const PixelWeights<T>& weights) {
  const Rect& region = weights.region;
  return weights.mask != nullptr || region.width != picture.width() || region.height != picture.height() ||
         (weights.by_alpha && has_alpha_below<T>(workspace, picture, picture.format().max_value()));
}

/// Writes part number `part` (16 bits) of each product: weight times level to the power of `power`.
template <class T>
struct WritePart {
  PixelWeights<T> weights;
  const T* levels;
  int width;
  int power;
  int part;
  std::uint16_t* out;

  __device__ void operator()(int x, int y) const {
    const std::size_t pixel = static_cast<std::size_t>(y) * width + static_cast<std::size_t>(x);
    out[pixel] = weighted_part(weights(x, y), __ldg(levels + pixel), power, part);
  }
};

/// The tables of a plane of levels. The tables of the weights are built once and used for every plane of a picture.
template <class T>
class WeightedTablesOf {
 public:
  WeightedTablesOf(Workspace& workspace, const PixelWeights<T>& weights) : workspace_(workspace), weights_(weights) {}

  /// The result is valid until the next call. `powers` is 2, or 3 if squares are needed.
  const WeightedTables& of(const Picture& plane, int powers) {
    if (!owners_.empty()) {
      owners_.erase(owners_.begin() + weighted_parts(sizeof(T), 0), owners_.end());
    }
    for (int power = owners_.empty() ? 0 : 1; power < powers; ++power) {
      tables_.parts[power] = weighted_parts(sizeof(T), power);
      for (int part = 0; part < tables_.parts[power]; ++part) {
        tables_.tables[power][part] = summed(plane, power, part);
      }
    }
    return tables_;
  }

 private:
  PaddedTable<std::uint64_t> summed(const Picture& plane, int power, int part) {
    const Picture products = new_picture(workspace_.device(), plane.width(), plane.height(), {Sample::u16, 1});
    launch_for_each_pixel(workspace_, plane.width(), plane.height(),
                          WritePart<T>{weights_, reinterpret_cast<const T*>(pixels_of(plane)), plane.width(), power,
                                       part, reinterpret_cast<std::uint16_t*>(pixels_of(products))},
                          "weighting levels");
    clear_tail(products, workspace_.stream());
    owners_.emplace_back(workspace_, products, Channel::luma, kDefaultLuma, false);
    return owners_.back().table;
  }

  Workspace& workspace_;
  PixelWeights<T> weights_;
  std::vector<WindowTable<std::uint64_t>> owners_;
  WeightedTables tables_;
};

}  // namespace gpuimg::cuda
