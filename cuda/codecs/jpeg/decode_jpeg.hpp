// Decodes JPEG on the device, with libjpeg-turbo's pixels.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>

#include "device/workspace.hpp"
#include "gpuimg/backend.hpp"
#include "gpuimg/codec.hpp"

namespace gpuimg::cuda {

/// Returns nullopt if libjpeg-turbo must read the file, or if the device has too little memory. Waits for the device.
/// Throws Error{device_fault}. If `defects` is not null, it receives the reason: jpeg::Defect, for tests.
std::optional<Picture> decode_jpeg(Workspace& workspace, const EncodedJpeg& jpeg, std::uint32_t* defects = nullptr);

/// Allocates host memory, page-locked if the backend has many images to decode.
using NewHostImage = std::function<Image(int width, int height, PixelFormat format)>;

/// The same for coefficients that the host decodes. The device's memory is taken after that.
std::optional<Picture> decode_jpeg(Workspace& workspace, const JpegCoefficients& jpeg, const NewHostImage& new_image);

}  // namespace gpuimg::cuda
