// Decodes JPEG on the device, with libjpeg-turbo's pixels.
#pragma once

#include <cstdint>
#include <optional>

#include "device/host_memory.hpp"
#include "device/workspace.hpp"
#include "gpuimg/backend.hpp"
#include "gpuimg/encoded_image.hpp"

namespace gpuimg::cuda {

/// Returns nullopt if libjpeg-turbo must read the file, or if the device has too little memory. Waits for the device.
/// Throws Error{device_fault}. If `defects` is not null, it receives the reason: jpeg::Defect, for tests.
std::optional<Picture> decode_jpeg(Workspace& workspace, const EncodedJpeg& jpeg, std::uint32_t* defects = nullptr);

/// The same for coefficients that the host decodes, in a little of `new_memory`.
std::optional<Picture> decode_jpeg(Workspace& workspace, const JpegCoefficients& jpeg, const NewHostMemory& new_memory);

}  // namespace gpuimg::cuda
