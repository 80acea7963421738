// What reads HEIC and AVIF here, for `gpuimg version` and `gpuimg doctor`.
#pragma once

#include <string>

namespace gpuimg::codecs::heif {

/// "libheif 1.15.1 (HEVC, AV1)", with the codecs that it decodes; empty if it is not installed.
std::string heif_library();

}  // namespace gpuimg::codecs::heif
