// JPEG and PNG codecs on the device. They produce the same pixels as the host's decoders and the same bytes as the
// host's encoders.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>

#include "device/device.hpp"
#include "gpuimg/backend.hpp"
#include "gpuimg/encoded_image.hpp"
#include "gpuimg/picture.hpp"

namespace gpuimg::cuda {

/// Allocates `bytes` bytes of host memory.
using NewHostMemory = std::function<std::shared_ptr<std::byte>(std::size_t bytes)>;

/// Returns nullopt if libjpeg-turbo must read the file, or if the device has too little memory. Waits for the device.
/// Throws Error{device_fault}. `defects` is for tests: if it is not null, it receives the reason, a set of jpeg::Defect
/// bits.
std::optional<Picture> decode_jpeg(Workspace& workspace, const EncodedJpeg& jpeg, std::uint32_t* defects = nullptr);

/// Decodes a JPEG whose coefficients the host decodes, band by band, into a small buffer from `new_memory`. Otherwise
/// like the function above.
std::optional<Picture> decode_jpeg(Workspace& workspace, const JpegCoefficients& jpeg, const NewHostMemory& new_memory);

/// Returns nullopt if the host must read the file, because its data is damaged or unusual, or if the device has too
/// little memory. Waits for the device. Throws Error{device_fault}. `defects` is for tests: if it is not null, it
/// receives the reason, a set of png::Defect bits.
std::optional<Picture> decode_png(Workspace& workspace, const EncodedPng& png, std::uint32_t* defects = nullptr);

/// Encodes the scan to new host memory. Returns nullopt if the host must encode the pixels, or if the device or the
/// host has too little memory. Waits for the device. Throws Error{device_fault}.
std::optional<Encoded> encode_jpeg(Workspace& workspace, const Picture& picture, const JpegScanFormat& format,
                                   const NewHostMemory& new_memory);

/// Encodes the IDAT chunks to new host memory. Returns nullopt if the host must encode the pixels, or if the device or
/// the host has too little memory. Waits for the device. Throws Error{device_fault}.
std::optional<Encoded> encode_png(Workspace& workspace, const Picture& picture, const PngDataFormat& format,
                                  const NewHostMemory& new_memory);

}  // namespace gpuimg::cuda
