// Decodes the codes of blocks of coefficients: the inner loops of jpeg_scan_codes.hpp. ITU-T T.81, F.2.2 and G.1.2.
#pragma once

// jpeglib.h needs size_t and FILE declared before it.
#include <cstddef>
#include <cstdio>
// clang-format off
#include <jpeglib.h>
// clang-format on

#include <cstdint>
#include <utility>
#include <vector>

#include "codecs/jpeg/jpeg_code_bits.hpp"
#include "codecs/jpeg/jpeg_code_table.hpp"

namespace gpuimg::codecs {

/// Where an MCU row of a scan goes. Each MCU has one block at each place.
struct JpegBlockRow {
  struct Place {
    std::size_t part = 0;    ///< of JpegScanState::parts
    JBLOCKROW first;         ///< of the first MCU
    std::size_t step = 1;    ///< blocks from one MCU to the next
    std::uint64_t* nonzero;  ///< of `first`: JpegCoefficientRows::nonzero
  };
  std::vector<Place> places;
  std::size_t mcus = 0;
};

struct JpegScanState {
  /// A component of the scan.
  struct Part {
    JpegCodeTable dc;
    JpegCodeTable ac;
    int last_dc = 0;
  };

  explicit JpegScanState(JpegCodeBits codes) : in(std::move(codes)) {}

  JpegCodeBits in;
  JpegBitCursor cursor;
  std::vector<Part> parts;
  unsigned first = 0;  ///< coefficients in zigzag order
  unsigned last = 0;
  unsigned shift = 0;           ///< the lowest bit that the scan codes
  unsigned max_value_bits = 0;  ///< of an AC coefficient in the scan
  std::uint32_t end_run = 0;    ///< so many more blocks have no further new coefficient
};

/// Decodes the MCUs begin … end − 1 of a row. Returns false if libjpeg would warn or fail, or if coefficients leave 16
/// bits.
using DecodeJpegBlocks = bool(JpegScanState& state, const JpegBlockRow& row, std::size_t begin, std::size_t end);

DecodeJpegBlocks decode_jpeg_dc;            ///< first scan
DecodeJpegBlocks decode_jpeg_dc_bit;        ///< one more bit
DecodeJpegBlocks decode_jpeg_ac;            ///< first scan; one component
DecodeJpegBlocks decode_jpeg_ac_bit;        ///< one more bit; one component
DecodeJpegBlocks decode_jpeg_whole_blocks;  ///< sequential

}  // namespace gpuimg::codecs
