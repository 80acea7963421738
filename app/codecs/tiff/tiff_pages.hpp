// The pages of a TIFF: its chain of directories without thumbnails and masks. TIFF 6.0, section 2; BigTIFF.
#pragma once

#include <cstdint>
#include <vector>

#include "io/random_access.hpp"

namespace gpuimg::codecs {

/// Offsets of the directories that are pages, in file order. The first directory always is one, even if it cannot be
/// read; damage ends the list. Reads at most as many bytes as the file has.
std::vector<std::uint64_t> tiff_pages(const RandomAccess& file);

}  // namespace gpuimg::codecs
