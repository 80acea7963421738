// The operations of the OpenCL backend, one entry file each, and its Pictures. Operations expect arguments that the
// backend has checked.
#pragma once

#include <memory>
#include <string>
#include <utility>

#include "device/device.hpp"
#include "gpuimg/backend.hpp"

namespace gpuimg::opencl {

using DevicePointer = std::shared_ptr<Device>;

Histogram histogram(const DevicePointer& device, const Picture& picture, const HistogramOptions& options);
LevelCounts table_counts(const DevicePointer& device, const Picture& picture, const EqualizeOptions& options);
Picture equalize(const DevicePointer& device, const Picture& picture, const EqualizeOptions& options,
                 LevelTables* used);

/// Waits for the device.
WolfScale wolf_scale(const DevicePointer& device, const Picture& picture, const ThresholdOptions& options,
                     int first_row, int end_row);

// One overload for each PictureOperation that this backend has.
Picture apply(const DevicePointer& device, const Picture& picture, const ClaheOptions& options);
Picture apply(const DevicePointer& device, const Picture& picture, const IntegralOptions& options);
Picture apply(const DevicePointer& device, const Picture& picture, const ToHslOptions& options);
Picture apply(const DevicePointer& device, const Picture& picture, const FromHslOptions& options);
Picture apply(const DevicePointer& device, const Picture& picture, const HslAdjustment& by);
Picture apply(const DevicePointer& device, const Picture& picture, const WindowOptions& options);
Picture apply(const DevicePointer& device, const Picture& picture, const ThresholdOptions& options);
Picture apply(const DevicePointer& device, const Picture& picture, const ResizeOptions& options);
Picture apply(const DevicePointer& device, const Picture& picture, const CropOptions& options);
Picture apply(const DevicePointer& device, const Picture& picture, const TurnOptions& options);

/// A Picture of this backend: device memory. Rows have no padding, so an image is one array. Only summed-area tables
/// have padded rows.
class OpenclPixels final : public Picture::Storage {
 public:
  /// The first row starts `first_byte` bytes into the memory.
  OpenclPixels(Memory memory, std::size_t pitch_bytes, std::size_t first_byte = 0)
      : memory_(std::move(memory)), pitch_bytes_(pitch_bytes), first_byte_(first_byte) {}
  [[nodiscard]] const Memory& memory() const { return memory_; }
  [[nodiscard]] std::size_t pitch_bytes() const { return pitch_bytes_; }
  [[nodiscard]] std::size_t first_byte() const { return first_byte_; }

 private:
  Memory memory_;
  std::size_t pitch_bytes_;
  std::size_t first_byte_;
};

/// The Picture must come from the OpenCL backend.
inline const OpenclPixels& storage_of(const Picture& picture) { return static_cast<OpenclPixels&>(picture.storage()); }
inline const Memory& memory_of(const Picture& picture) { return storage_of(picture).memory(); }

inline std::size_t row_bytes(const Picture& picture) {
  return static_cast<std::size_t>(picture.width()) * picture.format().bytes_per_pixel();
}

inline std::size_t size_bytes(const Picture& picture) {
  return picture.pixel_count() * picture.format().bytes_per_pixel();
}

/// A Picture with uninitialized pixels.
inline Picture new_picture(const std::shared_ptr<Device>& device, int width, int height, PixelFormat format) {
  const std::size_t row = static_cast<std::size_t>(width) * format.bytes_per_pixel();
  return {width, height, format,
          std::make_unique<OpenclPixels>(Memory(device, Image::bytes_of(width, height, format)), row)};
}

/// The macros of pixels.cl for a format.
inline std::string pixel_macros(PixelFormat format, int group) {
  return "-D SAMPLE_BITS=" + std::to_string(8 * sample_bytes(format.sample)) +
         " -D CHANNELS=" + std::to_string(format.channels) + " -D GROUP=" + std::to_string(group);
}

/// The macro FLOAT64 of arithmetic.cl, for programs that compute in float64.
inline std::string float64_macro(const Device& device) {
  return device.found().has_float64 ? " -D FLOAT64=1" : " -D FLOAT64=0";
}

/// The macro STAGED of pixels.cl for results whose groups exceed 16 bytes. Without it, adjacent work-items would not
/// store adjacent words.
inline std::string staging_macro(const Device& device, std::size_t pixel_bytes, int group) {
  return !device.suits_cpu() && pixel_bytes * static_cast<std::size_t>(group) > 16 ? " -D STAGED" : "";
}

/// One work-item per pixel, in rows of whole work-groups.
inline Grid pixel_grid(const Device& device, int width, int height) {
  const std::size_t group = device.group_items();
  return {{(static_cast<std::size_t>(width) + group - 1) / group * group, static_cast<std::size_t>(height)},
          {group, 1}};
}

}  // namespace gpuimg::opencl
