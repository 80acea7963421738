// Crop, rotate and flip on the device. Specified in docs/operations.md, "Crop, rotate, flip".
#include "ops/arrange.hpp"

#include "operations.hpp"

namespace gpuimg::opencl {
namespace {

template <class Options>
Picture arranged(const DevicePointer& device, const Picture& picture, const Options& options) {
  const Size size = result_size(picture.width(), picture.height(), options);
  const Orientation walk = walk_of(picture.width(), picture.height(), options);
  Picture result = new_picture(device, size.width, size.height, picture.format());
  device->run({"arrange", pixel_macros(picture.format(), 4)}, "move_pixels",
              pixel_grid(*device, size.width, size.height), "moving pixels", memory_of(picture), memory_of(result),
              cl_ulong{static_cast<cl_ulong>(size.width)}, cl_long{walk.origin}, cl_long{walk.along_x},
              cl_long{walk.along_y});
  return result;
}

}  // namespace

Picture apply(const DevicePointer& device, const Picture& picture, const CropOptions& options) {
  return arranged(device, picture, options);
}

Picture apply(const DevicePointer& device, const Picture& picture, const TurnOptions& options) {
  return arranged(device, picture, options);
}

}  // namespace gpuimg::opencl
