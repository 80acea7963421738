// Checks codecs: what the host reads and writes, and that a backend's own codecs agree with the host's.
#pragma once

#include "codecs/codec.hpp"
#include "gpuimg/backend.hpp"
#include "operations/selftest.hpp"

namespace gpuimg {

/// False for HEIF where libheif, which is opened at run time, or its decoder is not installed.
bool can_be_tested(const codecs::Codec& codec);

/// Reads back what the codec writes, in every format of pixels that it holds, or reads a file built into gpuimg.
SelfTestResult test_codec(const codecs::Codec& codec);

/// Decodes small images, which libjpeg writes, on the backend and on the host. `checks` counts those that the backend
/// took: none if it has no decoder. Throws Error{device_fault}, and what libjpeg fails with.
SelfTestResult test_decoder(Backend& backend);

/// Encodes small images of a format, JPEG or PNG, on the backend and on the host, and compares the files. Otherwise as
/// test_decoder.
SelfTestResult test_encoder(Backend& backend, codecs::FileFormat format);

}  // namespace gpuimg
