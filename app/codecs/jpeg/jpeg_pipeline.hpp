// Decodes a JPEG of several scans in one pass over its rows, on several threads. Rationale and cost:
// docs/decisions/0015-jpeg-scans-in-a-pipeline.md.
#pragma once

#include <optional>

#include "codecs/jpeg/jpeg_rows.hpp"
#include "codecs/jpeg/jpeg_script.hpp"

namespace gpuimg::codecs {

struct JpegPipelineResult {
  std::optional<JpegEncoding> encoding;  ///< as jpeg_encoding_of
};

/// Image rows that one step of a pipeline takes in an image of this width, if MCUs have `mcu_height` rows: whole MCUs.
int jpeg_pipeline_step(int width, int mcu_height);

/// Decodes into `pixels`, which holds the whole image, on at most `threads` threads. The pixels are libjpeg's.
/// Returns nullopt on any warning or error of libjpeg: then the pixels are invalid, and one decoder must read the file.
/// Throws std::bad_alloc.
std::optional<JpegPipelineResult> read_jpeg_scans(const JpegFile& file, const JpegScript& script, int threads,
                                                  const View& pixels);

}  // namespace gpuimg::codecs
