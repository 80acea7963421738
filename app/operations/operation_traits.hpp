// What an operation needs, said once for each: read where images are cut into strips, where memory is planned, by
// `auto`, by the commands, and by doctor, bench and the tests. Limits and the format of a result stand beside the
// options in gpuimg/ops.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "backends/backends.hpp"
#include "gpuimg/backend.hpp"

namespace gpuimg {

/// The size and the pixels of an image that is not there yet.
struct ImageShape {
  int width = 1;
  int height = 1;
  PixelFormat format = {};

  bool operator==(const ImageShape&) const = default;
};

struct OperationTraits {
  /// What messages call the operation: its subcommand, or the options that choose it.
  std::string_view what;
  /// The backends that have it; empty = all of them.
  std::span<const BackendKind> only_on = {};
  OperationCost cost = {};

  /// Of the result. A histogram has none.
  ImageShape result = {};

  /// A row of the result depends on the same row of the input, and on so many rows above and below it.
  int halo_rows = 0;
  /// The whole image must be read before the first row of the result: something is counted, or summed.
  bool reads_all_first = false;

  /// Pixels change places: a thumbnail in the file shows another image, and sizes in its metadata follow the result.
  bool moves_pixels = false;
  /// They do so from row to row: a row of the result depends on other rows than the same one, in the order from top to
  /// bottom; in any order if reads_all_first is set too.
  bool moves_rows = false;
  /// Width and height change places, and so do the densities.
  bool swaps_sides = false;

  /// Bytes per pixel in host memory, beside the input: of the result, 0 if it takes the memory of the input or is a few
  /// numbers; and of what is made in between.
  std::uint64_t result_bytes = 0;
  std::uint64_t other_bytes = 0;

  /// Bytes per pixel on a device, beside the input and the result: planes, and tables of sums and of squares.
  std::size_t device_bytes = 0;
};

/// The traits for images of this shape. What does not depend on it is right for any: `what`, `only_on` and `cost`.
OperationTraits traits_of(const HistogramOptions& options, const ImageShape& input = {});
OperationTraits traits_of(const EqualizeOptions& options, const ImageShape& input = {});
#define GPUIMG_DECLARE(Options) OperationTraits traits_of(const Options& options, const ImageShape& input = {});
GPUIMG_PICTURE_OPERATIONS(GPUIMG_DECLARE)
#undef GPUIMG_DECLARE
OperationTraits traits_of(const PictureOperation& operation, const ImageShape& input = {});

/// What operations cost one after another.
OperationCost operator+(const OperationCost& a, const OperationCost& b);

}  // namespace gpuimg
