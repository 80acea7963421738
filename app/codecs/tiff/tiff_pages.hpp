// The pages of a TIFF: its chain of directories without thumbnails and masks. TIFF 6.0, section 2; BigTIFF.
#pragma once

#include <cstdint>
#include <string>

#include "codecs/codec.hpp"
#include "io/bytes.hpp"

namespace gpuimg::codecs::tiff {

/// The places are the offsets of the directories that are pages. A file of nothing but thumbnails and masks has its
/// first one as a page, and so has a file whose first directory cannot be read; then nothing is known of others. Damage
/// of the chain ends the list. Reads each directory once, and at most about twice as many bytes as the file has. The
/// images of a stack share the place of its directory.
PageList tiff_pages(const RandomAccess& file);

/// The place of the first page, or 0 if the first directory is. Throws like decode_image if only thumbnails can be
/// found before the chain of directories is cut off or damaged.
std::uint64_t first_tiff_page(const RandomAccess& file, const std::string& name);

/// Images one behind the other, where only the first has a directory: so ImageJ stores a stack.
struct ImageStack {
  std::uint32_t count = 1;  ///< as declared
  std::uint64_t first = 0;  ///< where the first image is
  std::uint64_t bytes = 0;  ///< of an image

  /// The file with the image of this number, from 0, in place of the first.
  [[nodiscard]] RandomAccess at(const RandomAccess& file, std::uint64_t number) const;
};

/// Of one image for other files.
ImageStack image_stack(const RandomAccess& file);

}  // namespace gpuimg::codecs::tiff
