// Summed-area tables of 16-bit pixels. A separate file so that its kernels compile in parallel.
#include "scan/integral_kernel.cuh"

namespace gpuimg::cuda {
namespace {

using AnyImage = Shape<16, 4, 4, 2, 2, false>;

template <bool squares>
void launch(Workspace& workspace, const TableJob& job, Sample type) {
  using Pixel = std::uint16_t;
  switch (type) {
    case Sample::u32: launch_sum_tiles<Tile<Pixel, std::uint32_t, State32, squares, AnyImage>>(workspace, job); break;
    case Sample::u64: launch_sum_tiles<Tile<Pixel, std::uint64_t, State64, squares, AnyImage>>(workspace, job); break;
    case Sample::f32: launch_sum_tiles<Tile<Pixel, float, State64, squares, AnyImage>>(workspace, job); break;
    default: launch_sum_tiles<Tile<Pixel, double, State64, squares, AnyImage>>(workspace, job); break;
  }
}

}  // namespace

template <>
void launch_integral<std::uint16_t>(Workspace& workspace, const TableJob& job, Sample type) {
  job.square ? launch<true>(workspace, job, type) : launch<false>(workspace, job, type);
}

}  // namespace gpuimg::cuda
