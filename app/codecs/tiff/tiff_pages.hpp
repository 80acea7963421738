// The pages of a TIFF: its chain of directories without thumbnails and masks. TIFF 6.0, section 2; BigTIFF.
#pragma once

#include "codecs/codec.hpp"
#include "io/bytes.hpp"

namespace gpuimg::codecs::tiff {

/// The places are the offsets of the directories that are pages. The first directory always is one, even if it cannot
/// be read; then nothing is known of others. Damage of the chain ends the list. Reads each directory once, and at most
/// about twice as many bytes as the file has.
PageList tiff_pages(const RandomAccess& file);

}  // namespace gpuimg::codecs::tiff
