// JPEG files with one defect in the coded bytes: one for each reason why a device leaves a file to the host.
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

/// Every defect except broken_chain and not_synchronized, because no file causes one of these alone.
std::vector<JpegDefect> jpeg_defects();

}  // namespace gpuimg::test
