// Maps 16-bit pixels through equalization tables. A separate file so that its kernels compile in parallel.
#include "map/equalize_map.cuh"

namespace gpuimg::cuda {

template <>
void launch_equalize_map<std::uint16_t>(Workspace& workspace, const Picture& from, const Picture& to,
                                        const MapRequest& request) {
  constexpr std::size_t kMinPixelsForSharedTable = std::size_t{1} << 22;
  with_channels(from.format().channels, [&]<int kChannels>() {
    const bool one_table_by_channel = kChannels < 3 || request.color == EqualizeColor::joint;
    const bool is_plain = request.strength == 1.0 && request.mask == nullptr;
    const bool table_fits = kMapSharedBytes<MapEach16<kChannels>> <= workspace.device()->shared_bytes_per_block();
    if (is_plain && one_table_by_channel && table_fits && from.pixel_count() >= kMinPixelsForSharedTable) {
      launch_map(workspace, pixels_of(from), pixels_of(to), from.pixel_count(), MapEach16<kChannels>(request),
                 "mapping 16-bit levels");
    } else {
      launch_map(workspace, pixels_of(from), pixels_of(to), from.pixel_count(),
                 MapAny<std::uint16_t, kChannels>(request), "mapping 16-bit levels");
    }
  });
}

}  // namespace gpuimg::cuda
