// JPEG files with one thing wrong in the coded bytes, for each reason for which a device leaves a file to the host.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "support/file_bytes.hpp"

namespace gpuimg::test {

struct JpegDefect {
  std::string name;
  FileBytes bytes;
  std::uint32_t defect = 0;  ///< gpuimg::jpeg::Defect, one bit; the decoder may find others as well
};

/// All but broken_chain and not_synchronized, which no file causes alone.
std::vector<JpegDefect> jpeg_defects();

}  // namespace gpuimg::test
