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

// A file of one sequential scan, in parts: the codes of one after another, the pixels of several at once.

/// The coefficients of a part take about kJpegPartBytes, so that they stay in the processor's cache, but a part has at
/// least kJpegPartRows rows of MCUs. It also has the row above and the row below, for upsampling its chroma.
inline constexpr std::size_t kJpegPartBytes = std::size_t{3} << 19;
inline constexpr std::size_t kJpegPartRows = 3;

/// One thread decodes the codes, which is a fourth to a half of the work for most photographs. More threads would wait
/// for it. Each of several threads has a part, and one more part is being decoded.
inline constexpr int kMaxJpegPartThreads = 4;

/// The rows at which to cut an image into such parts. `whole` has read the header.
std::vector<int> jpeg_cuts(JpegRows& whole, int height);

/// Reads the parts between the cuts, on at most `threads` threads. Cuts are in ascending order; each is moved up to the
/// start of its MCU row, and cuts at an end of the image or duplicates are ignored. Returns true if the file has no
/// defect: then output and warnings match a single decoder's. Returns false if the file has another kind of scan, on
/// any warning or error, and if memory is short. Then the pixels are invalid, and a single decoder must read the file.
/// Throws std::bad_alloc.
bool read_jpeg_parts(const JpegFile& file, std::span<const int> cuts, int threads, const View& pixels);

/// What to do with the rows of each part.
struct JpegPartReading {
  int threads = 1;
  /// Calls pixels.read_rows_to() for the rows first … end − 1. Several threads call it at once.
  std::function<void(JpegCoefficientPixels& pixels, int first, int end)> read;
  /// Called afterwards for one part after another, from top to bottom. May be null.
  std::function<void(int first)> finish;
};

/// The same, with rows that go where reading.read() puts them. An Error that it throws counts as a defect; what
/// reading.finish() throws is passed on.
bool read_jpeg_parts(const JpegFile& file, std::span<const int> cuts, const JpegPartReading& reading);

/// For each scan of a file: the bytes between its last code and the next marker, or the end of the file. Nullopt if
/// they are not known: codes are missing or damaged, libjpeg warns about the header, or the scans are not Huffman-coded
/// ones that read_jpeg_only_scan or read_jpeg_script accepts.
std::optional<std::vector<ByteSpan>> jpeg_bytes_after_scans(const JpegFile& file);

// A file of several scans, in one pass over its rows.

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

}  // namespace gpuimg::codecs::jpeg
