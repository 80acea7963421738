// The rows of the planes of a PSD's merged image, stored plain or run-length coded (PackBits).
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "codecs/psd/psd_header.hpp"

namespace gpuimg::codecs {

class PsdPlanes {
 public:
  /// `data` is the merged image with its compression. Refuses data that are too short for the planes, before anything
  /// is allocated that the file does not hold.
  PsdPlanes(ByteSpan data, const PsdHeader& header, const std::string& name);

  /// Writes one row of a plane as stored: header.row_bytes() bytes.
  void read_row(std::size_t plane, std::size_t y, std::byte* to) const;

 private:
  void locate_rows(const PsdHeader& header);

  ByteSpan data_;
  std::size_t height_;
  std::size_t row_bytes_;
  std::vector<std::size_t> starts_;  ///< of each coded row, and the end of the last one; empty if rows are plain
  const std::string& name_;
};

}  // namespace gpuimg::codecs
