// Summed-area tables of 8-bit pixels: the tiles of integral_kernel.cuh, compiled on their own.
#include "integral_kernel.cuh"

namespace gpuimg::cuda {

template <>
void launch_integral<std::uint8_t>(Workspace& workspace, const TableJob& job, Sample type) {
  // High tiles publish fewer sums; low ones give a small image enough blocks.
  constexpr std::int64_t kPixelsForHighTiles = std::int64_t{1} << 24;
  switch (type) {
    case Sample::u32:
      if (std::int64_t{job.width} * job.height >= kPixelsForHighTiles) {
        launch_sum_tiles<Tile<std::uint8_t, std::uint32_t, NarrowState, 32, 4>>(workspace, job);
      } else {
        launch_sum_tiles<Tile<std::uint8_t, std::uint32_t, NarrowState, 32, 1>>(workspace, job);
      }
      break;
    case Sample::u64: launch_sum_tiles<Tile<std::uint8_t, std::uint64_t, WideState, 32, 2>>(workspace, job); break;
    case Sample::f32: launch_sum_tiles<Tile<std::uint8_t, float, WideState, 32, 2>>(workspace, job); break;
    default: launch_sum_tiles<Tile<std::uint8_t, double, WideState, 32, 2>>(workspace, job); break;
  }
}

}  // namespace gpuimg::cuda
