// Encodes JPEG on the device, with libjpeg-turbo's bytes.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>

#include "device/workspace.hpp"
#include "gpuimg/codec.hpp"
#include "gpuimg/picture.hpp"

namespace gpuimg::cuda {

/// Makes the scan. `new_memory(bytes)` gives host memory for it. Returns nullopt if the host must encode the pixels, or
/// if the device or the host has too little memory. Waits for the device. Throws Error{device_fault}.
std::optional<Encoded> encode_jpeg(Workspace& workspace, const Picture& picture, const JpegScanFormat& format,
                                   const std::function<Image(std::size_t bytes)>& new_memory);

}  // namespace gpuimg::cuda
