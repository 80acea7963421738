// Writes and reads JPEG files with direct calls of libjpeg, and inserts markers.
#pragma once

#include <vector>

#include "gpuimg/image.hpp"
#include "support/file_bytes.hpp"
#include "support/test_images.hpp"

namespace gpuimg::test {

/// A progressive scan of one component or of all. `first` … `last` are in zigzag order; `high` is 0 in a first scan.
struct JpegScanChoice {
  int component = 0;  ///< −1 for all
  int first = 0;
  int last = 0;
  int high = 0;
  int low = 0;
};

struct JpegChoices {
  int quality = 90;
  bool progressive = false;
  bool arithmetic = false;
  int horizontal_sampling = 2;  ///< of luma
  int vertical_sampling = 2;
  int chroma_horizontal_sampling = 1;
  int chroma_vertical_sampling = 1;
  int restart_interval = 0;
  bool separate_scans = false;             ///< each component has its own scan
  std::vector<JpegScanChoice> scans = {};  ///< used instead of libjpeg's usual scans
  bool as_rgb = false;                     ///< stored as RGB, not as YCbCr
  bool as_cmyk = false;                    ///< four channels
  bool as_ycck = false;                    ///< four channels given as CMYK, stored as YCCK
  bool adobe = true;  ///< with four channels: adds an Adobe segment, which declares inverted levels
};

/// `pixels` is u8 with 1, 3 or 4 channels; 4 channels are CMYK.
FileBytes make_jpeg(ConstView pixels, const JpegChoices& choices = {});

/// A color file with arbitrary coefficients within ±`limit` (at most 1023), and steps of 1 … `max_step` (at most
/// 65535).
FileBytes make_jpeg_of_coefficients(Random& random, int width, int height, int limit, int max_step,
                                    const JpegChoices& choices);

/// The pixels that libjpeg decodes with default settings.
Image read_with_libjpeg(std::span<const std::byte> bytes);

/// EXIF data with a single entry, the orientation.
FileBytes exif_with(int orientation, bool big_endian);

/// Inserts an APP1 segment with "Exif" and `exif` after SOI.
FileBytes with_exif(const FileBytes& jpeg, const FileBytes& exif);

}  // namespace gpuimg::test
