// Compressed images as a backend receives and returns them: the fields of the header, and the coded bytes. app/codecs
// parses and writes the files.
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
  std::array<std::uint8_t, 16> codes_of_length{};  ///< [i]: number of codes of i + 1 bits; their sum is at most 256
  std::array<std::uint8_t, 256> symbols{};         ///< in the order of their codes
};

/// The largest quantization step that a backend accepts; the host decodes files with larger steps. 8-bit JPEGs need at
/// most 255.
constexpr std::uint16_t kMaxJpegStep = 4095;

struct EncodedJpegComponent {
  std::array<std::uint16_t, 64> steps{};  ///< quantization step of each frequency, row by row; at most kMaxJpegStep
  int dc_table = 0;                       ///< 0 or 1
  int ac_table = 0;
};

/// An 8-bit sequential Huffman-coded JPEG, gray or YCbCr, whose components share one scan.
struct EncodedJpeg {
  int width = 0;
  int height = 0;
  int component_count = 1;      ///< 1 (gray) or 3 (Y, Cb, Cr)
  int horizontal_sampling = 1;  ///< of luma, 1 or 2; chroma has 1
  int vertical_sampling = 1;
  std::array<EncodedJpegComponent, 3> components{};
  std::array<JpegHuffmanTable, 2> dc_tables{};
  std::array<JpegHuffmanTable, 2> ac_tables{};
  int restart_interval = 0;         ///< MCUs between restart markers; 0 = no markers
  std::span<const std::byte> scan;  ///< from the first coded byte to the end of the file; borrowed
  int orientation = 1;              ///< EXIF orientation 1 … 8; the decoder applies it
};

/// Quantized coefficients of adjacent blocks of a JPEG; each block is in row-major order.
struct JpegBlocks {
  std::uint32_t first = 0;  ///< index of the first block: components follow one another, blocks are in row-major order
  std::span<const std::int16_t> coefficients;
};

/// Receives the coefficients of a JPEG while the host decodes them.
class JpegBlockSink {
 public:
  virtual ~JpegBlockSink() = default;

  /// Allocates the memory for `blocks` blocks that the host decodes into. Called once, before take().
  virtual std::span<std::int16_t> memory(std::size_t blocks) = 0;

  /// Receives the newly completed blocks of each component, from the top of the image down. They stay valid in memory()
  /// until the next call of take() returns, or until the whole file is decoded. Calls may come from any thread, but
  /// never overlap.
  virtual void take(std::span<const JpegBlocks> blocks) = 0;
};

/// A JPEG of several scans, such as a progressive one. The host decodes the Huffman codes; the backend makes the
/// pixels.
struct JpegCoefficients {
  EncodedJpeg frame;  ///< its Huffman tables, restart interval and scan are not set
  /// Decodes all blocks into the sink. Returns false if the file is damaged or unusual; libjpeg-turbo must then decode
  /// it. Exceptions from the sink propagate.
  std::function<bool(JpegBlockSink& sink)> read;
};

/// A PNG with 8 or 16 bits per sample, not interlaced, without palette and without a transparent color.
struct EncodedPng {
  /// The data of an IDAT chunk. In `bytes`, the chunk type precedes the data and the CRC follows.
  struct Chunk {
    std::uint32_t begin = 0;  ///< offset in `bytes`
    std::uint32_t size = 0;
  };

  int width = 0;
  int height = 0;
  PixelFormat format;                ///< of the file and of the decoded pixels
  std::span<const std::byte> bytes;  ///< from the type of the first IDAT chunk to the CRC of the last; borrowed
  std::vector<Chunk> chunks;         ///< their data, concatenated, is a zlib stream with a 32 KiB window
};

/// A file that a backend may decode itself.
using EncodedImage = std::variant<EncodedJpeg, JpegCoefficients, EncodedPng>;

/// The JPEG parameters (size, sampling, quantization steps, orientation); nullptr for another format.
inline const EncodedJpeg* jpeg_frame_of(const EncodedImage& encoded) {
  const auto* coefficients = std::get_if<JpegCoefficients>(&encoded);
  return coefficients != nullptr ? &coefficients->frame : std::get_if<EncodedJpeg>(&encoded);
}

/// The header fields of a baseline JPEG whose scan is to be encoded: interleaved, without restart markers.
struct JpegScanFormat {
  int component_count = 1;      ///< equal to the channels of the pixels: 1 (gray) or 3 (Y, Cb, Cr of RGB)
  int horizontal_sampling = 1;  ///< of luma, 1 or 2; chroma has 1
  int vertical_sampling = 1;
  std::array<EncodedJpegComponent, 3> components{};
  std::array<JpegHuffmanTable, 2> dc_tables{};
  std::array<JpegHuffmanTable, 2> ac_tables{};
};

/// How a PNG's pixels are filtered and deflated.
struct PngDataFormat {
  int level = 1;         ///< 0 or 1, as in codecs::encode_png
  bool one_bit = false;  ///< for 8-bit gray: store only the highest bit of each pixel
};

/// The format that a backend is to encode pixels to.
using Encoding = std::variant<JpegScanFormat, PngDataFormat>;

/// Coded bytes: the scan of a JPEG up to the EOI marker, or the IDAT chunks of a PNG.
struct Encoded {
  std::shared_ptr<std::byte> memory;  ///< the backend may reuse it once no other shared_ptr holds it
  std::size_t size = 0;

  [[nodiscard]] std::span<const std::byte> span() const { return {memory.get(), size}; }
};

}  // namespace gpuimg
