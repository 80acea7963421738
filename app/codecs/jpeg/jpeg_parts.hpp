// Decodes a large JPEG in parallel parts, one decoder per part. Rationale and cost:
// docs/decisions/0010-jpeg-in-parts.md.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "codecs/jpeg/jpeg_rows.hpp"

namespace gpuimg::codecs {

/// The fastest number of parts for an image of one sequential scan: 1 if it is too small.
int jpeg_part_count(int width, int height, int threads);

/// Measured time to skip a row, relative to the time to decode it; it grows with the file size. 0 < … < 1.
double jpeg_skip_cost(const JpegFile& file);

/// The rows at which to cut an image, so that the decoders of `parts` parts finish at the same time.
std::vector<int> jpeg_cuts(int height, int parts, double skip_cost);

/// Reads the parts between the cuts, on at most `threads` threads. Cuts are in ascending order; each is moved up to the
/// start of its MCU row, and cuts at an end of the image or duplicates are ignored. Returns true if the file has no
/// defect: then output and warnings match a single decoder's. Returns false on any warning or error, or if there is no
/// memory for this: then the pixels are invalid, and a single decoder must read the file. `whole` has read only the
/// header of the same file. Throws std::bad_alloc.
bool read_jpeg_parts(const JpegFile& file, JpegRows& whole, std::span<const int> cuts, int threads, const View& pixels);

/// How the rows of a part are read, a few at a time.
struct JpegPartReading {
  int threads = 1;
  int rows_at_once = 1;
  /// Calls rows.read_to(end). Called by the threads at the same time.
  std::function<void(JpegRows& rows, int first, int end)> read;
};

/// The same, with rows that go where reading.read() puts them. An Error that it throws counts as a defect.
bool read_jpeg_parts(const JpegFile& file, JpegRows& whole, std::span<const int> cuts, const JpegPartReading& reading);

}  // namespace gpuimg::codecs
