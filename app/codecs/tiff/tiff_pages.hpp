// Finds the pages of a TIFF: the directories in its chain, without thumbnails and masks. TIFF 6.0, section 2; BigTIFF.
#pragma once

#include <cstdint>
#include <string>

#include "codecs/codec.hpp"
#include "io/bytes.hpp"

namespace gpuimg::codecs::tiff {

/// The list holds the offsets of the directories that are pages. If a file has only thumbnails and masks, or if its
/// first directory cannot be read, the first directory is the only page. The list ends where the chain is damaged.
/// Reads each directory once, and in total at most about twice the size of the file. The images of a stack share the
/// offset of its directory.
PageList tiff_pages(const RandomAccess& file);

/// The offset of the first page, or 0 if the first page is the first directory. Throws like decode_image if only
/// thumbnails can be found before the chain of directories is cut off or damaged.
std::uint64_t first_tiff_page(const RandomAccess& file, const std::string& name);

/// Images stored one after another, with a directory only for the first one. ImageJ stores stacks this way.
struct ImageStack {
  std::uint32_t count = 1;  ///< declared number of images
  std::uint64_t first = 0;  ///< offset of the first image
  std::uint64_t bytes = 0;  ///< size of each image

  /// A view of the file in which image `number` (from 0) replaces the first image.
  [[nodiscard]] RandomAccess at(const RandomAccess& file, std::uint64_t number) const;
};

/// Returns a stack of one image for other files.
ImageStack image_stack(const RandomAccess& file);

}  // namespace gpuimg::codecs::tiff
