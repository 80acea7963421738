// Encodes JPEG on the device, with libjpeg-turbo's bytes.
#pragma once

#include <optional>

#include "device/host_memory.hpp"
#include "device/workspace.hpp"
#include "gpuimg/encoded_image.hpp"
#include "gpuimg/picture.hpp"

namespace gpuimg::cuda {

/// Makes the scan, in new host memory. Returns nullopt if the host must encode the pixels, or
/// if the device or the host has too little memory. Waits for the device. Throws Error{device_fault}.
std::optional<Encoded> encode_jpeg(Workspace& workspace, const Picture& picture, const JpegScanFormat& format,
                                   const NewHostMemory& new_memory);

}  // namespace gpuimg::cuda
