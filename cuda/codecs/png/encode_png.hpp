// Encodes PNG on the device, with the bytes of the host's encoder.
#pragma once

#include <optional>

#include "device/host_memory.hpp"
#include "device/workspace.hpp"
#include "gpuimg/encoded_image.hpp"
#include "gpuimg/picture.hpp"

namespace gpuimg::cuda {

/// Makes the IDAT chunks, in new host memory. Returns nullopt if the host must encode the pixels, or if the device or
/// the host has too little memory. Waits for the device. Throws Error{device_fault}.
std::optional<Encoded> encode_png(Workspace& workspace, const Picture& picture, const PngDataFormat& format,
                                  const NewHostMemory& new_memory);

}  // namespace gpuimg::cuda
