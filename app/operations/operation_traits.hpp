// The requirements of each operation, in one place. Used to cut images into strips, to plan memory, by `auto`, by the
// commands, and by doctor, bench and the tests. Limits and result formats are declared with the options in gpuimg/ops.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "backends/backends.hpp"
#include "gpuimg/backend.hpp"

namespace gpuimg {

/// The size and pixel format of an image that does not exist yet.
struct ImageShape {
  int width = 1;
  int height = 1;
  PixelFormat format = {};

  bool operator==(const ImageShape&) const = default;
};

struct OperationTraits {
  /// The name of the operation in messages: its subcommand, or the options that choose it.
  std::string_view what;
  /// The backends that have the operation; empty = all of them.
  std::span<const BackendKind> only_on = {};
  OperationCost cost = {};

  /// The shape of the result. Not used for a histogram.
  ImageShape result = {};

  /// A row of the result depends on the same row of the input and on this many rows above and below it.
  int halo_rows = 0;
  /// The whole image must be read before the first row of the result can be computed, because pixels are counted or
  /// summed.
  bool reads_all_first = false;

  /// Pixels move to other positions. A thumbnail in the file is then invalid, and sizes in the metadata must be
  /// updated.
  bool moves_pixels = false;
  /// Pixels move to other rows: a row of the result depends on input rows with other indices. The input rows are read
  /// from top to bottom, or in any order if reads_all_first is also set.
  bool moves_rows = false;
  /// Width and height are swapped, and so are the horizontal and vertical densities.
  bool swaps_sides = false;

  /// Bytes per pixel in host memory, in addition to the input. result_bytes: the result; 0 if it reuses the memory of
  /// the input or is only a few numbers. other_bytes: intermediate data.
  std::uint64_t result_bytes = 0;
  std::uint64_t other_bytes = 0;
  /// Bytes of tables in host memory, which do not depend on the number of pixels. 0 if they are negligible.
  std::uint64_t table_bytes = 0;

  /// Bytes per pixel on a device, in addition to input and result: planes, and tables of sums and squares.
  std::size_t device_bytes = 0;
};

/// The traits for images of this shape. `what`, `only_on` and `cost` do not depend on the shape.
OperationTraits traits_of(const HistogramOptions& options, const ImageShape& input = {});
OperationTraits traits_of(const EqualizeOptions& options, const ImageShape& input = {});
#define GPUIMG_DECLARE(Options) OperationTraits traits_of(const Options& options, const ImageShape& input = {});
GPUIMG_PICTURE_OPERATIONS(GPUIMG_DECLARE)
#undef GPUIMG_DECLARE
OperationTraits traits_of(const PictureOperation& operation, const ImageShape& input = {});

/// The cost of two operations in sequence.
OperationCost operator+(const OperationCost& a, const OperationCost& b);

}  // namespace gpuimg
