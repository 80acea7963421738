// A large JPEG decoded in parts at once, each by a decoder of its own. Why, and what it costs:
// docs/decisions/0010-jpeg-in-parts.md.
#pragma once

#include <span>
#include <vector>

#include "codecs/jpeg/jpeg_rows.hpp"

namespace gpuimg::codecs {

/// In how many parts an image of one sequential scan is decoded fastest: 1 where it is too small.
int jpeg_part_count(int width, int height, int threads);

/// Time to skip a row, where one is the time to decode it, as it was measured: the more, the larger the file. 0 < …
/// < 1.
double jpeg_skip_cost(const JpegFile& file);

/// The rows at which an image is cut, so that a decoder for each of `parts` parts finishes when the others do.
std::vector<int> jpeg_cuts(int height, int parts, double skip_cost);

/// Reads the parts between the cuts, on at most `threads` threads. Cuts are in ascending order; each is taken up to the
/// row of blocks that it lies in, and those that are left at an end of the image, or twice, count for nothing. True if
/// the file is flawless: then the pixels, and the want of warnings, are those of one decoder. False if there is
/// anything to say about the file, or no memory for this: the pixels are then of no use, and one decoder has to judge.
/// `whole` has read nothing but the header of the same file. Throws std::bad_alloc.
bool read_jpeg_parts(const JpegFile& file, JpegRows& whole, std::span<const int> cuts, int threads, const View& pixels);

}  // namespace gpuimg::codecs
