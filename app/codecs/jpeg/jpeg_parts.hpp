// Decodes a JPEG of one sequential scan in parts: the codes of one after another, the pixels of several at once.
// Rationale and cost: docs/decisions/0024-own-sequential-decoder.md.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "codecs/jpeg/jpeg_coefficients.hpp"
#include "codecs/jpeg/jpeg_decoder.hpp"

namespace gpuimg::codecs {

/// The rows at which to cut an image so that the coefficients of a part stay in the processor's cache. `whole` has read
/// the header.
std::vector<int> jpeg_cuts(JpegRows& whole, int height);

/// Reads the parts between the cuts, on at most `threads` threads. Cuts are in ascending order; each is moved up to the
/// start of its MCU row, and cuts at an end of the image or duplicates are ignored. Returns true if the file has no
/// defect: then output and warnings match a single decoder's. Returns false if the file has another kind of scan, on
/// any warning or error, and if there is no memory for this: then the pixels are invalid, and a single decoder must
/// read the file. Throws std::bad_alloc.
bool read_jpeg_parts(const JpegFile& file, std::span<const int> cuts, int threads, const View& pixels);

/// What becomes of the rows of each part.
struct JpegPartReading {
  int threads = 1;
  /// Calls pixels.read_rows_to() for the rows first … end − 1. Several threads call it at once.
  std::function<void(JpegCoefficientPixels& pixels, int first, int end)> read;
  /// Called afterwards for one part after another, from top to bottom, if it is not null.
  std::function<void(int first)> finish;
};

/// The same, with rows that go where reading.read() puts them. An Error that it throws counts as a defect; what
/// reading.finish() throws is passed on.
bool read_jpeg_parts(const JpegFile& file, std::span<const int> cuts, const JpegPartReading& reading);

}  // namespace gpuimg::codecs
