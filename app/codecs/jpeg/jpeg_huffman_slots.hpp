// The Huffman tables that a JPEG file has defined so far. ITU-T T.81, B.2.4.2.
#pragma once

#include <array>
#include <optional>

#include "codecs/byte_fields.hpp"
#include "gpuimg/codec.hpp"

namespace gpuimg::codecs {

struct JpegHuffmanSlots {
  static constexpr std::size_t kCount = 4;  ///< of each kind

  std::array<std::optional<JpegHuffmanTable>, kCount> dc;
  std::array<std::optional<JpegHuffmanTable>, kCount> ac;

  /// Takes over the tables of a DHT segment. Returns false if libjpeg would refuse it.
  bool read(ByteSpan segment);
};

}  // namespace gpuimg::codecs
