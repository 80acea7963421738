// The HSL operations on the device: conversion, the inverse, and adjustment. Specified in docs/operations.md, "HSL".
#include <string>

#include "device/cl_check.hpp"
#include "device/opencl_picture.hpp"
#include "operations.hpp"

namespace gpuimg::opencl {
namespace {

constexpr int kGroup = 4;  // pixels of a work-item: whole words at 8 bits

std::string bits_of(Sample sample) { return std::to_string(8 * sample_bytes(sample)); }

std::string encoding_macro(HslEncoding encoding) {
  return " -D ENCODING=" + std::to_string(static_cast<int>(encoding));
}
static_assert(static_cast<int>(HslEncoding::f32) == 0 && static_cast<int>(HslEncoding::u16) == 1 &&
              static_cast<int>(HslEncoding::opencv) == 2 && static_cast<int>(HslEncoding::opencv_full) == 3);

/// One work-item for each group of pixels.
template <class... Arguments>
Picture mapped(const DevicePointer& device, const Picture& picture, PixelFormat format, const std::string& macros,
               const char* kernel, const char* doing, const Arguments&... arguments) {
  Picture result = new_picture(device, picture.width(), picture.height(), format);
  const std::size_t of_group = device->group_items() * kGroup;
  const std::size_t items = (picture.pixel_count() + of_group - 1) / of_group * device->group_items();
  device->run({"hsl", macros}, kernel, {{items, 1}, {device->group_items(), 1}}, doing, memory_of(picture),
              memory_of(result), cl_ulong{picture.pixel_count()}, arguments...);
  return result;
}

}  // namespace

Picture apply(const DevicePointer& device, const Picture& picture, const ToHslOptions& options) {
  const PixelFormat format = result_format(picture.format(), options);
  const std::string macros = pixel_macros(picture.format(), kGroup) + " -D TO_HSL" + encoding_macro(options.encoding) +
                             " -D OUT_BITS=" + bits_of(format.sample);
  return mapped(device, picture, format, macros, "to_hsl", "converting to HSL");
}

Picture apply(const DevicePointer& device, const Picture& picture, const FromHslOptions& options) {
  const PixelFormat format = result_format(picture.format(), options);
  const std::string macros = pixel_macros(format, kGroup) + " -D FROM_HSL" + encoding_macro(options.encoding) +
                             " -D IN_BITS=" + bits_of(picture.format().sample) +
                             " -D OUT_BITS=" + bits_of(format.sample);
  return mapped(device, picture, format, macros, "from_hsl", "converting from HSL");
}

Picture apply(const DevicePointer& device, const Picture& picture, const HslAdjustment& by) {
  if (by.is_identity()) {
    Picture copy = new_picture(device, picture.width(), picture.height(), picture.format());
    cl_check(device->api().EnqueueCopyBuffer(device->queue(), memory_of(picture).buffer(), memory_of(copy).buffer(), 0,
                                             0, size_bytes(picture), 0, nullptr, nullptr),
             "copying pixels");
    return copy;
  }
  const std::string macros = pixel_macros(picture.format(), kGroup) +
                             " -D ADJUST -D ENCODING=0 -D OUT_BITS=" + bits_of(picture.format().sample);
  const cl_float4 amounts = {{by.hue_degrees, by.saturation, by.lightness, 0.0F}};
  return mapped(device, picture, picture.format(), macros, "adjust_hsl", "adjusting HSL", amounts);
}

}  // namespace gpuimg::opencl
