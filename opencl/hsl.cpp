// The HSL operations on the device: conversion, the inverse, and adjustment. Specified in docs/operations.md, "HSL".
#include <string>

#include "operations.hpp"

namespace gpuimg::opencl {
namespace {

static_assert(static_cast<int>(HslEncoding::f32) == 0 && static_cast<int>(HslEncoding::u16) == 1 &&
              static_cast<int>(HslEncoding::opencv) == 2 && static_cast<int>(HslEncoding::opencv_full) == 3);

/// Runs a kernel with one work-item per group of pixels. `rgb` is the format of the RGB side of the conversion.
template <class... Arguments>
Picture mapped(const DevicePointer& device, const Picture& picture, PixelFormat format, PixelFormat rgb,
               HslEncoding encoding, const char* kernel, const char* doing, const Arguments&... arguments) {
  Picture result = new_picture(device, picture.width(), picture.height(), format);
  const int group = device->group_pixels(format.bytes_per_pixel());
  const std::size_t of_group = device->group_items() * static_cast<std::size_t>(group);
  const std::size_t items = (picture.pixel_count() + of_group - 1) / of_group * device->group_items();
  device->run({"hsl",
               pixel_macros(rgb, group) + staging_macro(*device, format.bytes_per_pixel(), group),
               {{"ENCODING", static_cast<int>(encoding)}}},
              kernel, {{items, 1}, {device->group_items(), 1}}, doing, memory_of(picture), memory_of(result),
              cl_ulong{picture.pixel_count()}, arguments...);
  return result;
}

}  // namespace

Picture apply(const DevicePointer& device, const Picture& picture, const ToHslOptions& options) {
  return mapped(device, picture, result_format(picture.format(), options), picture.format(), options.encoding, "to_hsl",
                "converting to HSL");
}

Picture apply(const DevicePointer& device, const Picture& picture, const FromHslOptions& options) {
  const PixelFormat format = result_format(picture.format(), options);
  return mapped(device, picture, format, format, options.encoding, "from_hsl", "converting from HSL");
}

Picture apply(const DevicePointer& device, const Picture& picture, const HslAdjustment& by) {
  if (by.is_identity()) {
    Picture copy = new_picture(device, picture.width(), picture.height(), picture.format());
    cl_check(device->api().EnqueueCopyBuffer(device->queue(), memory_of(picture).buffer(), memory_of(copy).buffer(), 0,
                                             0, size_bytes(picture), 0, nullptr, nullptr),
             "copying pixels");
    return copy;
  }
  const cl_float4 amounts = {{by.hue_degrees, by.saturation, by.lightness, 0.0F}};
  return mapped(device, picture, picture.format(), picture.format(), HslEncoding::f32, "adjust_hsl", "adjusting HSL",
                amounts);
}

}  // namespace gpuimg::opencl
