// A PNG of which the image data stay in the file. PNG specification, third edition, section 5.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "io/random_access.hpp"

namespace gpuimg::codecs {

struct PngFile {
  /// A chunk of image data: its type, payload and checksum in the file, and where its payload ends in image_data.
  struct DataChunk {
    std::uint64_t offset = 0;
    std::uint64_t size = 0;
    std::uint64_t data_end = 0;
  };

  RandomAccess file;
  std::vector<std::byte> frame;  ///< the file with one empty IDAT chunk in place of all that it has
  std::shared_ptr<const std::vector<DataChunk>> chunks;
  RandomAccess image_data;  ///< the payloads of `chunks`, as one
};

/// Checks the checksums of the image data from the beginning on, beside who inflates them.
class PngDataCheck {
 public:
  /// The file must outlive it.
  explicit PngDataCheck(const PngFile& png);

  /// The image data for one user, which calls it and up_to() by turns: bytes that are read in order are checked on the
  /// way, so that up_to() need not read them again. The check must outlive it.
  RandomAccess image_data();

  /// Goes on to byte `end` of the image data. Returns false once a checksum was wrong.
  bool up_to(std::uint64_t end);

 private:
  void add(std::span<const std::byte> bytes);
  void end_chunks();

  const PngFile& png_;
  std::vector<std::byte> buffer_;
  std::size_t chunk_ = 0;
  std::uint64_t done_ = 0;  // bytes of the image data
  std::uint32_t crc_;       // of the chunk so far
  bool are_right_ = true;
};

/// Walks the chunks through IEND. Returns nullopt for a file that must be held whole: it is cut off, its image data are
/// not contiguous or of 2 GiB, or it has very many chunks or much besides its image data. Of checksums, checks none.
std::optional<PngFile> scan_png(const RandomAccess& file);

}  // namespace gpuimg::codecs
