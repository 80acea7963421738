// Counts the levels of selected pixels on the device. Used by the histogram and by equalization.
#pragma once

#include <string>

#include "operations.hpp"

namespace gpuimg::opencl {

/// The function of kernels/levels.cl for a channel.
std::string level_of(Channel channel, Luma luma, PixelFormat format);
std::string level_of(EqualizeColor color, Luma luma, PixelFormat format);

/// What to count: one table of levels, or `is_rgb`: three tables of the samples of red, green and blue.
struct CountRequest {
  std::string level;
  std::size_t bins = 0;
  bool is_rgb = false;
};

/// Counts of 64 bits: `bins` for each table. Does not wait.
Memory count_levels(const DevicePointer& device, const Picture& picture, const Selection& selection,
                    const CountRequest& request);

}  // namespace gpuimg::opencl
