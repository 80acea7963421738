// Maps 8-bit pixels through equalization tables. A separate file so that its kernels compile in parallel.
#include "map/equalize_map.cuh"
#include "ops/luma.hpp"

namespace gpuimg::cuda {

template <>
void launch_equalize_map<std::uint8_t>(Workspace& workspace, const Picture& from, const Picture& to,
                                       const MapRequest& request) {
  const auto launch = [&](const auto& operation) {
    launch_map(workspace, pixels_of(from), pixels_of(to), from.pixel_count(), operation, "mapping levels");
  };
  with_channels(from.format().channels, [&]<int kChannels>() {
    const bool by_channel =
        kChannels < 3 || request.color == EqualizeColor::rgb || request.color == EqualizeColor::joint;
    const bool is_plain = request.strength == 1.0 && request.mask == nullptr;
    if (is_plain && by_channel) {
      launch(MapEach8<kChannels>(request));
      return;
    }
    if constexpr (kChannels >= 3) {
      if (is_plain && request.color == EqualizeColor::luma) {
        with_luma_kind(request.luma, [&]<Luma kind>() { launch(MapLuma8<kChannels, kind>(request)); });
        return;
      }
    }
    launch(MapAny<std::uint8_t, kChannels>(request));
  });
}

}  // namespace gpuimg::cuda
