// Simple PNGs are the files that png_fast_reader.hpp reads without libpng. This file parses their chunks, finds their
// image data in memory or in a file, and converts their rows to pixels. PNG specification, third edition, sections 5
// and 11.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "codecs/byte_fields.hpp"
#include "gpuimg/encoded_image.hpp"
#include "gpuimg/image.hpp"
#include "io/bytes.hpp"

namespace gpuimg::codecs::png {

/// A palette, and the conversion of indices to colors.
class PngPalette {
 public:
  PngPalette() = default;

  /// `colors` is the PLTE payload: 1 to 256 triples of red, green and blue. `opacities` is the tRNS payload. It has at
  /// most one entry per color, and is empty without transparency.
  PngPalette(ByteSpan colors, ByteSpan opacities);

  [[nodiscard]] int channels() const { return has_alpha_ ? 4 : 3; }

  /// The location in an image of channels() channels where paint() expects the indices, one per byte. They are at the
  /// end, so that painting from the front never overwrites an unread index.
  [[nodiscard]] static std::byte* indices_of(Image& image);

  /// Throws Error{decode} for an index outside the palette. `name` is the file's printable name.
  void paint(Image& image, const std::string& name) const;

 private:
  std::array<std::array<std::byte, 4>, 256> colors_{};
  std::size_t size_ = 0;
  bool has_alpha_ = false;
};

/// Gray, or red, green and blue, as decoded values.
using PngColor = std::array<std::uint16_t, 3>;

/// A PNG of any kind that is not interlaced.
struct SimplePng {
  int width = 0;
  int height = 0;
  int bits = 8;        ///< bits of a stored sample: 1, 2, 4, 8 or 16
  PixelFormat stored;  ///< row format with at least one byte per sample; for palettes, u8 with one channel
  std::optional<PngPalette> palette;
  std::optional<PngColor> transparent;
  RandomAccess image_data;  ///< contents of all IDAT chunks; not empty

  /// The format of the decoded pixels.
  [[nodiscard]] PixelFormat decoded() const {
    return palette ? PixelFormat{Sample::u8, palette->channels()}
                   : PixelFormat{stored.sample, stored.channels + (transparent ? 1 : 0)};
  }
  [[nodiscard]] std::size_t row_bytes() const {
    return (static_cast<std::size_t>(width) * static_cast<std::size_t>(stored.channels * bits) + 7) / 8;
  }
  [[nodiscard]] std::size_t deflated_bytes() const { return image_data.size; }
};

/// A PNG whose image data stays in the file.
struct PngFile {
  /// A chunk of image data. `offset` and `size` locate its type, payload and checksum in the file. `data_end` is the
  /// end of its payload in `image_data`.
  struct DataChunk {
    std::uint64_t offset = 0;
    std::uint64_t size = 0;
    std::uint64_t data_end = 0;
  };

  RandomAccess file;
  std::vector<std::byte> frame;  ///< the file with a single empty IDAT chunk instead of all its IDAT chunks
  std::shared_ptr<const std::vector<DataChunk>> chunks;
  RandomAccess image_data;  ///< the payloads of `chunks`, concatenated
};

/// Walks the chunks through IEND. Returns nullopt if the file must be held whole in memory: it is cut off; its image
/// data is not contiguous, or reaches 2 GiB; or it has very many chunks, or large chunks other than image data. Does
/// not check checksums.
std::optional<PngFile> scan_png(const RandomAccess& file);

/// Verifies the checksums of the image data from its beginning, while the caller inflates the data.
class PngDataCheck {
 public:
  /// The file must outlive the check.
  explicit PngDataCheck(const PngFile& png);

  /// The image data, for one reader that alternates reads and calls of up_to(). Bytes that are read in order are
  /// checked during the read, so that up_to() need not read them again. The check must outlive the result.
  RandomAccess image_data();

  /// Continues the check up to byte `end` of the image data. Returns false after any wrong checksum.
  bool up_to(std::uint64_t end);

 private:
  void add(std::span<const std::byte> bytes);
  void end_chunks();

  const PngFile& png_;
  std::vector<std::byte> buffer_;
  std::size_t chunk_ = 0;
  std::uint64_t done_ = 0;  // number of checked bytes of the image data
  std::uint32_t crc_;       // checksum of the current chunk so far
  bool are_right_ = true;
};

/// Returns nullopt if libpng must read the file: it is of another kind, or something in it is damaged or unusual.
/// Checks the checksums of all critical chunks; size limits are up to the caller. Throws Error{decode} if the file ends
/// before IEND. `bytes` starts with the PNG signature and must outlive the result.
std::optional<SimplePng> parse_simple_png(ByteSpan bytes, const std::string& name);

/// Like above, for a file whose image data stays in it. The caller must verify the data's checksums. `file` must
/// outlive the result.
std::optional<SimplePng> parse_simple_png(const PngFile& file, const std::string& name);

/// True for 0.5 to 64 megapixels. A CPU thread decodes smaller images just as fast; larger images are read in bands.
constexpr bool is_size_for_backends(std::uint64_t width, std::uint64_t height) {
  constexpr std::uint64_t kMinPixels = std::uint64_t{1} << 19;
  constexpr std::uint64_t kMaxPixels = std::uint64_t{1} << 26;
  return width * height >= kMinPixels && width * height <= kMaxPixels;
}

/// Returns nullopt if the host must read the file: EncodedPng does not allow its kind, a chunk other than image data is
/// damaged or unusual, or the size of the data does not fit the image. Does not inspect the image data itself. Never
/// throws. The result borrows `bytes`.
std::optional<EncodedPng> describe_png_data(ByteSpan bytes) noexcept;

/// The location of stored rows in the memory of the same number of pixel rows. They are at the end, so that a loop that
/// expands them from the front never overwrites unread bytes.
std::byte* stored_rows_of(Image& rows, const SimplePng& png);

/// Converts stored rows to pixels in place: unpacks samples smaller than a byte, and applies a palette or a transparent
/// color. Rows must be in the machine's byte order. Throws Error{decode} for an index outside the palette. `name` is
/// printable.
void expand_stored_rows(Image& rows, const SimplePng& png, const std::string& name);

}  // namespace gpuimg::codecs::png
