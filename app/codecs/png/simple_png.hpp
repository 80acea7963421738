// Simple PNGs, the kind that png_fast_reader.hpp reads without libpng: what their chunks say, where their image data
// are, in memory or in a file, and the pixels that their rows hold. PNG specification, third edition, sections 5
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

  /// `colors` is the PLTE payload: 1 to 256 times red, green, blue. `opacities` is the tRNS payload, with at most as
  /// many entries; empty without transparency.
  PngPalette(ByteSpan colors, ByteSpan opacities);

  [[nodiscard]] int channels() const { return has_alpha_ ? 4 : 3; }

  /// Where paint() expects the indices, one per byte, in an image of channels() channels: at its end, so that painting
  /// from the front never overwrites an unread index.
  [[nodiscard]] static std::byte* indices_of(Image& image);

  /// Throws Error{decode} for an index outside the palette. `name` is the file's printable name.
  void paint(Image& image, const std::string& name) const;

 private:
  std::array<std::array<std::byte, 4>, 256> colors_{};
  std::size_t size_ = 0;
  bool has_alpha_ = false;
};

/// Gray, or red, green and blue; as decoded.
using PngColor = std::array<std::uint16_t, 3>;

/// A PNG of any kind that is not interlaced.
struct SimplePng {
  int width = 0;
  int height = 0;
  int bits = 8;        ///< of a stored sample: 1, 2, 4, 8 or 16
  PixelFormat stored;  ///< the format of a row whose samples have a byte at least; for palettes, u8 with one channel
  std::optional<PngPalette> palette;
  std::optional<PngColor> transparent;
  RandomAccess image_data;  ///< of all IDAT chunks, not empty

  /// What decoding gives.
  [[nodiscard]] PixelFormat decoded() const {
    return palette ? PixelFormat{Sample::u8, palette->channels()}
                   : PixelFormat{stored.sample, stored.channels + (transparent ? 1 : 0)};
  }
  [[nodiscard]] std::size_t row_bytes() const {
    return (static_cast<std::size_t>(width) * static_cast<std::size_t>(stored.channels * bits) + 7) / 8;
  }
  [[nodiscard]] std::size_t deflated_bytes() const { return image_data.size; }
};

/// A PNG whose image data stay in the file.
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

/// Walks the chunks through IEND. Returns nullopt for a file that must be held whole: it is cut off, its image data are
/// not contiguous or of 2 GiB, or it has very many chunks or much besides its image data. Checks no checksums.
std::optional<PngFile> scan_png(const RandomAccess& file);

/// Checks the checksums of the image data from the beginning on, while its caller inflates them.
class PngDataCheck {
 public:
  /// The file must outlive it.
  explicit PngDataCheck(const PngFile& png);

  /// The image data for one user, which alternates reads and calls of up_to(): bytes that are read in order are checked
  /// at once, so that up_to() need not read them again. The check must outlive it.
  RandomAccess image_data();

  /// Continues to byte `end` of the image data. Returns false once a checksum was wrong.
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

/// Returns nullopt if the file needs libpng: for other kinds, and if anything is damaged or unusual. Checks the
/// checksums of all critical chunks; size limits are up to the caller. Throws Error{decode} if the file ends before
/// IEND. `bytes` starts with the PNG signature and must outlive the result.
std::optional<SimplePng> parse_simple_png(ByteSpan bytes, const std::string& name);

/// The same for a file whose image data stay in it. The caller checks their checksums. `file` must outlive the result.
std::optional<SimplePng> parse_simple_png(const PngFile& file, const std::string& name);

/// True for 0.5 to 64 megapixels: a CPU thread decodes smaller images just as fast, and larger ones are read in bands.
constexpr bool is_size_for_backends(std::uint64_t width, std::uint64_t height) {
  constexpr std::uint64_t kMinPixels = std::uint64_t{1} << 19;
  constexpr std::uint64_t kMaxPixels = std::uint64_t{1} << 26;
  return width * height >= kMinPixels && width * height <= kMaxPixels;
}

/// Returns nullopt for every file that the host must read: other kinds than EncodedPng's, anything damaged or unusual
/// in the chunks besides the image data, and data that are too large or too short for the image. The data themselves
/// are not looked at. Never throws. The result borrows `bytes`.
std::optional<EncodedPng> describe_png_data(ByteSpan bytes) noexcept;

/// Where stored rows belong in the memory for the same number of rows of pixels: at its end. A loop that expands them
/// from the front then never overwrites bytes that it has not read.
std::byte* stored_rows_of(Image& rows, const SimplePng& png);

/// Turns stored rows into pixels, in place: samples of less than a byte, palettes, a transparent color. Rows must be in
/// the byte order of the machine. Throws Error{decode} for an index outside the palette. `name` is
/// printable.
void expand_stored_rows(Image& rows, const SimplePng& png, const std::string& name);

}  // namespace gpuimg::codecs::png
