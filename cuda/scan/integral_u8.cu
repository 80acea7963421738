// Summed-area tables of 8-bit pixels. A separate file so that its kernels compile in parallel.
#include "scan/integral_kernel.cuh"

namespace gpuimg::cuda {
namespace {

// Tall tiles publish fewer sums. Narrow tiles give a small image enough blocks.
using ManyTiles = Shape<32, 2, 4, 3, 1, true>;
using LargeImages = Shape<32, 4, 4, 2, 1, true>;
using SmallImages = Shape<8, 1, 8, 2, 4, false>;
using WideSums = Shape<16, 4, 4, 2, 2, false>;

template <bool squares>
void launch(Workspace& workspace, const TableJob& job, Sample type) {
  using Pixel = std::uint8_t;
  using Large = Tile<Pixel, std::uint32_t, State32, false, LargeImages>;
  using Ahead = Tile<Pixel, std::uint32_t, State32, false, ManyTiles>;
  constexpr std::int64_t kMinPixelsForTallTiles = std::int64_t{1} << 23;
  constexpr std::int64_t kMinPixelsForWorkAhead = std::int64_t{1} << 25;
  const std::int64_t pixels = std::int64_t{job.width} * job.height;
  const std::size_t shared_bytes = workspace.device()->shared_bytes_per_block();
  switch (type) {
    case Sample::u32:
      if constexpr (squares) {
        launch_sum_tiles<Tile<Pixel, std::uint32_t, State32, squares, WideSums>>(workspace, job);
      } else if (pixels >= kMinPixelsForWorkAhead &&
                 2 * (Rows<Ahead>::kStagedBytes + sizeof(TileShared<Ahead>)) <= shared_bytes) {
        launch_sum_tiles_ahead<Ahead>(workspace, job);
      } else if (pixels >= kMinPixelsForTallTiles && Rows<Large>::kStagedBytes <= shared_bytes) {
        launch_sum_tiles<Large>(workspace, job);
      } else {
        launch_sum_tiles<Tile<Pixel, std::uint32_t, State32, squares, SmallImages>>(workspace, job);
      }
      break;
    case Sample::u64: launch_sum_tiles<Tile<Pixel, std::uint64_t, State64, squares, WideSums>>(workspace, job); break;
    case Sample::f32: launch_sum_tiles<Tile<Pixel, float, State64, squares, WideSums>>(workspace, job); break;
    default: launch_sum_tiles<Tile<Pixel, double, State64, squares, WideSums>>(workspace, job); break;
  }
}

}  // namespace

template <>
void launch_integral<std::uint8_t>(Workspace& workspace, const TableJob& job, Sample type) {
  job.square ? launch<true>(workspace, job, type) : launch<false>(workspace, job, type);
}

}  // namespace gpuimg::cuda
