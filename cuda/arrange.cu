// Crop, rotate and flip on the device. Specified in docs/operations.md, "Crop, rotate, flip".
#include "ops/arrange.hpp"

#include <cstdint>

#include "window_tables.cuh"

namespace gpuimg::cuda {
namespace {

/// Thread → pixels of one column of the result, as in launch_for_each_pixel.
template <class T, int kChannels>
void launch_moves(Workspace& workspace, const Picture& picture, const Orientation& walk, const Picture& result) {
  launch_for_each_pixel(workspace, result.width(), result.height(),
                        MovedPixels<T, kChannels>{reinterpret_cast<const T*>(pixels_of(picture)),
                                                  reinterpret_cast<T*>(pixels_of(result)), result.width(), walk},
                        "moving pixels");
}

template <class T>
void launch_moves(Workspace& workspace, const Picture& picture, const Orientation& walk, const Picture& result) {
  switch (picture.format().channels) {
    case 1: return launch_moves<T, 1>(workspace, picture, walk, result);
    case 2: return launch_moves<T, 2>(workspace, picture, walk, result);
    case 3: return launch_moves<T, 3>(workspace, picture, walk, result);
    default: return launch_moves<T, 4>(workspace, picture, walk, result);
  }
}

template <class Options>
Picture arranged(Workspace& workspace, const Picture& picture, const Options& options) {
  const Size size = result_size(picture.width(), picture.height(), options);
  const Orientation walk = walk_of(picture.width(), picture.height(), options);
  Picture result = new_picture(workspace.device(), size.width, size.height, picture.format());
  if (picture.format().sample == Sample::u8) {
    launch_moves<std::uint8_t>(workspace, picture, walk, result);
  } else {
    launch_moves<std::uint16_t>(workspace, picture, walk, result);
  }
  return result;
}

}  // namespace

Picture apply(Workspace& workspace, const Picture& picture, const CropOptions& options) {
  return arranged(workspace, picture, options);
}

Picture apply(Workspace& workspace, const Picture& picture, const TurnOptions& options) {
  return arranged(workspace, picture, options);
}

}  // namespace gpuimg::cuda
