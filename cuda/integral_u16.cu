// Summed-area tables of 16-bit pixels: the tiles of integral_kernel.cuh, compiled on their own.
#include "integral_kernel.cuh"

namespace gpuimg::cuda {

template <>
void launch_integral<std::uint16_t>(Workspace& workspace, const TableJob& job, Sample type) {
  switch (type) {
    case Sample::u32: launch_sum_tiles<Tile<std::uint16_t, std::uint32_t, NarrowState, 16, 2>>(workspace, job); break;
    case Sample::u64: launch_sum_tiles<Tile<std::uint16_t, std::uint64_t, WideState, 16, 2>>(workspace, job); break;
    case Sample::f32: launch_sum_tiles<Tile<std::uint16_t, float, WideState, 16, 2>>(workspace, job); break;
    default: launch_sum_tiles<Tile<std::uint16_t, double, WideState, 16, 2>>(workspace, job); break;
  }
}

}  // namespace gpuimg::cuda
