// Decodes a JPEG of several scans in one pass over its rows, on several threads. Rationale and cost:
// docs/decisions/0015-jpeg-scans-in-a-pipeline.md.
#pragma once

#include <memory>
#include <optional>

#include "codecs/jpeg/jpeg_decoder.hpp"
#include "codecs/jpeg/jpeg_script.hpp"
#include "gpuimg/encoded_image.hpp"

namespace gpuimg::codecs {

struct JpegPipelineResult {
  std::shared_ptr<const JpegEncoding> encoding;  ///< as jpeg_encoding_of
};

struct JpegPipelineChoices {
  int threads = 1;            ///< at most
  int step_pixels = 1 << 16;  ///< about as many in one step of a stage, but at least one row of MCUs
};

/// Decodes into `pixels`, which holds the whole image. libjpeg computes the pixels, as for one decoder. Returns nullopt
/// on any warning or error of libjpeg: then the pixels are invalid, and one decoder must read the file. Throws
/// std::bad_alloc.
std::optional<JpegPipelineResult> read_jpeg_scans(const JpegFile& file, const JpegScript& script, const View& pixels,
                                                  const JpegPipelineChoices& choices);

/// The same as JpegCoefficients::read, for a file that describe_jpeg_frame describes.
std::optional<JpegPipelineResult> read_jpeg_coefficients(const JpegFile& file, const JpegScript& script,
                                                         JpegBlockSink& sink, const JpegPipelineChoices& choices);

}  // namespace gpuimg::codecs
