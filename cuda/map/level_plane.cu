// Extracts one level of each pixel as a one-channel picture. Specified in docs/operations.md, "Luma".
#include "map/level_plane.cuh"

#include "map/pixel_map.cuh"

namespace gpuimg::cuda {
namespace {

template <class T, int kChannels>
struct ExtractLevel : PixelOperation<T, kChannels, T, 1, 256, 4> {
  LevelSource source;
  explicit ExtractLevel(const LevelSource& what) : source(what) {}

  template <int n, class In, class Out>
  __device__ __forceinline__ void map(const In& in, Out& out, std::uint64_t) const {
#pragma unroll
    for (int p = 0; p < n; ++p) {
      Samples<T, kChannels> pixel;
#pragma unroll
      for (int c = 0; c < kChannels; ++c) {
        pixel.put(c, in.get(p * kChannels + c));
      }
      out.put(p, level_of_pixel<T, kChannels>(pixel, source));
    }
  }
};

template <class T>
void launch_extract_level(Workspace& workspace, const Picture& from, const Picture& to, const LevelSource& source) {
  with_channels(from.format().channels, [&]<int kChannels>() {
    launch_map(workspace, pixels_of(from), pixels_of(to), from.pixel_count(), ExtractLevel<T, kChannels>(source),
               "extracting levels");
  });
}

}  // namespace

Picture level_plane(Workspace& workspace, const Picture& picture, const LevelSource& source) {
  Picture plane = new_picture(workspace.device(), picture.width(), picture.height(), {picture.format().sample, 1});
  if (picture.format().sample == Sample::u8) {
    launch_extract_level<std::uint8_t>(workspace, picture, plane, source);
  } else {
    launch_extract_level<std::uint16_t>(workspace, picture, plane, source);
  }
  clear_tail(plane, workspace.stream());
  return plane;
}

}  // namespace gpuimg::cuda
