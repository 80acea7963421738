// Compressed images as a backend receives and returns them: what a header declares, and the coded bytes. app/codecs
// parses and writes files.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <variant>
#include <vector>

#include "gpuimg/image.hpp"

namespace gpuimg {

/// A Huffman table as its file defines it (ITU-T T.81, B.2.4.2).
struct JpegHuffmanTable {
  std::array<std::uint8_t, 16> codes_of_length{};  ///< [i]: how many codes have i + 1 bits; at most 256 together
  std::array<std::uint8_t, 256> symbols{};         ///< in the order of their codes
};

/// Files with larger quantization steps are for the host: 8 bits need no more than 255.
constexpr std::uint16_t kMaxJpegStep = 4095;

struct EncodedJpegComponent {
  std::array<std::uint16_t, 64> steps{};  ///< quantization step of each frequency, in row order; at most kMaxJpegStep
  int dc_table = 0;                       ///< 0 or 1
  int ac_table = 0;
};

/// A sequential Huffman-coded JPEG of 8 bits whose components share one scan: gray, or YCbCr.
struct EncodedJpeg {
  int width = 0;
  int height = 0;
  int component_count = 1;      ///< 1 (gray) or 3 (Y, Cb, Cr)
  int horizontal_sampling = 1;  ///< of luma, 1 or 2; chroma has 1
  int vertical_sampling = 1;
  std::array<EncodedJpegComponent, 3> components{};
  std::array<JpegHuffmanTable, 2> dc_tables{};
  std::array<JpegHuffmanTable, 2> ac_tables{};
  int restart_interval = 0;         ///< MCUs from one restart marker to the next; 0 without markers
  std::span<const std::byte> scan;  ///< from the first coded byte to the end of the file; borrowed
  int orientation = 1;              ///< EXIF: 1 … 8, applied to the pixels
};

/// Coefficients of adjacent blocks of a JPEG, each block in row order.
struct JpegBlocks {
  std::uint32_t first = 0;  ///< of jpeg::Layout::block_count: one component after the other, their blocks row by row
  std::span<const std::int16_t> coefficients;
};

/// Takes the coefficients of a JPEG while the host decodes them.
class JpegBlockSink {
 public:
  virtual ~JpegBlockSink() = default;

  /// Memory for so many blocks, where they are decoded. Called first, and once.
  virtual std::span<std::int16_t> memory(std::size_t blocks) = 0;

  /// Blocks of each component that are complete, from the top of the image down. They stay in memory until the next
  /// ones have been taken, or the file has been read. Called from any thread, from one at a time.
  virtual void take(std::span<const JpegBlocks> blocks) = 0;
};

/// A JPEG of several scans, such as a progressive one. The host reads their codes, the backend makes the pixels.
struct JpegCoefficients {
  EncodedJpeg frame;  ///< without Huffman tables, restart interval and coded bytes
  /// Decodes all blocks. Returns false if the file is damaged or unusual: libjpeg-turbo must read it. Throws what the
  /// sink throws.
  std::function<bool(JpegBlockSink& sink)> read;
};

/// A PNG of 8 or 16 bits a sample that is not interlaced and has neither palette nor transparent color.
struct EncodedPng {
  /// The data of an IDAT chunk. Its type precedes them, its CRC follows.
  struct Chunk {
    std::uint32_t begin = 0;  ///< in `bytes`
    std::uint32_t size = 0;
  };

  int width = 0;
  int height = 0;
  PixelFormat format;                ///< of the file and of the pixels
  std::span<const std::byte> bytes;  ///< from the type of the first IDAT chunk to the CRC of the last; borrowed
  std::vector<Chunk> chunks;         ///< together a zlib stream with a window of 32 KiB
};

/// A file that a backend may decode itself.
using EncodedImage = std::variant<EncodedJpeg, JpegCoefficients, EncodedPng>;

/// Size, sampling, quantization steps and orientation of a JPEG; nullptr for another format.
inline const EncodedJpeg* jpeg_frame_of(const EncodedImage& encoded) {
  const auto* coefficients = std::get_if<JpegCoefficients>(&encoded);
  return coefficients != nullptr ? &coefficients->frame : std::get_if<EncodedJpeg>(&encoded);
}

/// What the header of a baseline JPEG declares about its scan, which is to be made: interleaved and without restart
/// markers.
struct JpegScanFormat {
  int component_count = 1;      ///< as many as the pixels have channels: 1 (gray) or 3 (Y, Cb, Cr of RGB)
  int horizontal_sampling = 1;  ///< of luma, 1 or 2; chroma has 1
  int vertical_sampling = 1;
  std::array<EncodedJpegComponent, 3> components{};
  std::array<JpegHuffmanTable, 2> dc_tables{};
  std::array<JpegHuffmanTable, 2> ac_tables{};
};

/// How a PNG's pixels are filtered and deflated.
struct PngDataFormat {
  int level = 1;         ///< 0 or 1: codecs::encode_png
  bool one_bit = false;  ///< store only the highest bit of each pixel, of 8-bit gray
};

/// How a backend is to encode pixels.
using Encoding = std::variant<JpegScanFormat, PngDataFormat>;

/// The coded bytes: of a JPEG, its scan up to the EOI marker; of a PNG, its IDAT chunks.
struct Encoded {
  std::shared_ptr<std::byte> memory;  ///< the backend may use it again once nobody else holds it
  std::size_t size = 0;

  [[nodiscard]] std::span<const std::byte> span() const { return {memory.get(), size}; }
};

}  // namespace gpuimg
