// Decodes the codes of one scan of a JPEG. Rationale and cost:
// docs/decisions/0023-own-progressive-decoder.md.
#pragma once

#include <cstdint>

#include "codecs/jpeg/jpeg_block_codes.hpp"
#include "codecs/jpeg/jpeg_coefficient_rows.hpp"
#include "codecs/jpeg/jpeg_script.hpp"

namespace gpuimg::codecs {

/// Writes the coefficients that libjpeg would. Gives up on everything of which libjpeg would warn, and on what no
/// encoder writes: then libjpeg must read the file.
class JpegScanCodes {
 public:
  /// `info` has read the header. `cleared`: bit i means that no scan precedes this one in component i, whose rows are
  /// then set to zero first. What it gets by reference must outlive it.
  JpegScanCodes(const JpegScript& script, std::size_t scan, JpegCodeBits codes, const jpeg_decompress_struct& info,
                std::uint32_t cleared);

  /// Decodes the MCU rows from the current one up to `end` into `rows`. Returns false if libjpeg must read the file.
  /// After the last row the scan must be at its end.
  bool decode_to(int end, JpegCoefficientRows& rows);

 private:
  [[nodiscard]] bool is_possible() const;
  [[nodiscard]] const jpeg_component_info& component(std::size_t number) const;
  bool decode_rows_of_blocks(JpegCoefficientRows& rows);
  JpegBlockRow row_of_mcus(JpegCoefficientRows& rows);
  bool decode(const JpegBlockRow& row);
  bool restart();

  const JpegScan& scan_;
  const jpeg_decompress_struct& info_;
  std::uint32_t cleared_;
  JpegScanState state_;
  DecodeJpegBlocks* decode_blocks_ = nullptr;  // null: libjpeg must read the file
  std::size_t restart_interval_ = 0;           // MCUs; 0: none
  std::size_t until_restart_ = 0;
  unsigned restarts_ = 0;
  int next_row_ = 0;
};

}  // namespace gpuimg::codecs
