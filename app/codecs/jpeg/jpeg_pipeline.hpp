// Decodes a JPEG on several threads: gpuimg decodes the codes, libjpeg makes the pixels. Rationale and cost:
// docs/decisions/0015-jpeg-scans-in-a-pipeline.md, 0023-own-progressive-decoder.md, 0024-own-sequential-decoder.md.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "codecs/jpeg/jpeg_coefficients.hpp"
#include "codecs/jpeg/jpeg_decoder.hpp"
#include "codecs/jpeg/jpeg_segments.hpp"
#include "gpuimg/encoded_image.hpp"

namespace gpuimg::codecs::jpeg {

// A file with one sequential scan is divided into parts: one thread at a time decodes codes, several threads make
// pixels.

/// The coefficients of a part take about kJpegPartBytes, so that they stay in the processor's cache. A part has at
/// least kJpegPartRows MCU rows. It also holds the MCU row above and the one below, which chroma upsampling needs.
inline constexpr std::size_t kJpegPartBytes = std::size_t{3} << 19;
inline constexpr std::size_t kJpegPartRows = 3;

/// For most photographs, decoding the codes takes a fourth to a half of the work, and one thread does it. More threads
/// than this would wait for that thread. Each thread holds one part, and one more part is being decoded.
inline constexpr int kMaxJpegPartThreads = 4;

/// The rows at which to cut an image into these parts. `whole` must have read the header.
std::vector<int> jpeg_cuts(JpegRows& whole, int height);

/// Reads the parts between the cuts, on at most `threads` threads. Cuts must be in ascending order. A cut inside an MCU
/// row is moved up to the start of the row. Duplicates and cuts at the first or last row are ignored. Returns true if
/// the file has no defect: then pixels and warnings match the results of a single decoder. Returns false if the file
/// has other kinds of scans, on any warning or error, and if memory is short. In these cases the pixels are invalid,
/// and a single decoder must read the file. Throws std::bad_alloc.
bool read_jpeg_parts(const JpegFile& file, std::span<const int> cuts, int threads, const View& pixels);

/// Callbacks that process the rows of each part.
struct JpegPartReading {
  int threads = 1;
  /// Must call pixels.read_rows_to() for the rows first … end − 1. Called on several threads at the same time.
  std::function<void(JpegCoefficientPixels& pixels, int first, int end)> read;
  /// Called after `read`, for one part at a time, from top to bottom. May be null.
  std::function<void(int first)> finish;
};

/// Like above, but reading.read() decides where the rows go. An Error thrown by reading.read() counts as a defect.
/// Exceptions of reading.finish() are passed on.
bool read_jpeg_parts(const JpegFile& file, std::span<const int> cuts, const JpegPartReading& reading);

/// For each scan of a file: the bytes between its last code and the next marker, or the end of the file. Returns
/// nullopt if codes are missing or damaged, if libjpeg warns about the header, or if neither read_jpeg_only_scan nor
/// read_jpeg_script accepts the scans.
std::optional<std::vector<ByteSpan>> jpeg_bytes_after_scans(const JpegFile& file);

// A file with several scans is decoded in one pass over its rows.

struct JpegPipelineResult {
  std::shared_ptr<const JpegEncoding> encoding;  ///< see jpeg_encoding_of
};

struct JpegPipelineChoices {
  int threads = 1;            ///< maximum number
  int step_pixels = 1 << 16;  ///< approximate number of pixels in one step of a stage, which has at least one MCU row
};

/// Decodes into `pixels`, which holds the whole image. libjpeg computes the same pixels as a single decoder would.
/// Returns nullopt on any warning or error of libjpeg: then the pixels are invalid, and a single decoder must read the
/// file. Throws std::bad_alloc.
std::optional<JpegPipelineResult> read_jpeg_scans(const JpegFile& file, const JpegScript& script, const View& pixels,
                                                  const JpegPipelineChoices& choices);

/// Implements JpegCoefficients::read for a file that describe_jpeg_frame describes.
std::optional<JpegPipelineResult> read_jpeg_coefficients(const JpegFile& file, const JpegScript& script,
                                                         JpegBlockSink& sink, const JpegPipelineChoices& choices);

}  // namespace gpuimg::codecs::jpeg
