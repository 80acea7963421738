// The pages of a TIFF: its chain of directories without thumbnails and masks. TIFF 6.0, section 2; BigTIFF.
#pragma once

#include <cstdint>
#include <string>

#include "codecs/codec.hpp"
#include "io/bytes.hpp"

namespace gpuimg::codecs::tiff {

/// The places are the offsets of the directories that are pages. If a file has only thumbnails and masks, or if its
/// first directory cannot be read, the first directory is the only page. Damage of the chain ends the list. Reads each
/// directory once, and at most about twice as many bytes as the file has. The images of a stack share the place of its
/// directory.
PageList tiff_pages(const RandomAccess& file);

/// The place of the first page, or 0 if that is the first directory. Throws like decode_image if only thumbnails can be
/// found before the chain of directories is cut off or damaged.
std::uint64_t first_tiff_page(const RandomAccess& file, const std::string& name);

/// Images stored one after another with a directory only for the first: ImageJ stores a stack this way.
struct ImageStack {
  std::uint32_t count = 1;  ///< as declared
  std::uint64_t first = 0;  ///< where the first image is
  std::uint64_t bytes = 0;  ///< of an image

  /// The file with the image of this number, from 0, in place of the first.
  [[nodiscard]] RandomAccess at(const RandomAccess& file, std::uint64_t number) const;
};

/// For other files, a stack of one image.
ImageStack image_stack(const RandomAccess& file);

}  // namespace gpuimg::codecs::tiff
