// Further inputs of a run, read once for all its images: the mask of --mask, the tables of --reference and --apply, and
// the histogram of --match. docs/operations.md, "Region and mask" and "Equalization".
#pragma once

#include <string>

#include "engine/worker.hpp"
#include "gpuimg/ops/equalize.hpp"

namespace gpuimg {

/// The mask in the format that backends need, or null if `path` is empty. Throws Error{read} or Error{decode}.
SharedMask load_mask(const std::string& path, Worker& worker);

/// Look-up tables to apply to every image.
struct GivenTables {
  LevelTables tables;
  std::string file;  ///< where they come from, printable
};

/// Makes tables from a JSON histogram of `hist`, of one image or of a sum. Throws Error{usage} if its channels or luma
/// do not match the color mode; Error{decode} if the file is not such a histogram; Error{read}.
GivenTables tables_of_reference(const std::string& path, const EqualizeOptions& options, Worker& worker);

/// Throws Error{usage} that names the file and the image if the tables are for another bit depth, or if their number
/// does not match `color` and the image's channels. `image` is printable.
void check_fit(const GivenTables& given, EqualizeColor color, PixelFormat format, const std::string& image);

/// The histogram that every image should get.
struct CountsToMatch {
  LevelCounts counts;
  std::string file;  ///< where they come from, printable
};

/// Counts an image on the host, or reads a JSON histogram of `hist`, for the color mode of the options. Throws
/// Error{usage} if no pixel is counted or the JSON is for another mode; Error{decode}; Error{read}.
CountsToMatch counts_to_match(const std::string& path, const EqualizeOptions& options, Worker& worker);

/// Throws Error{usage} that names the file and the image if the counts are for another bit depth, or if they are for
/// three channels and the image is gray or `color` is not rgb. `image` is printable.
void check_fit(const CountsToMatch& match, EqualizeColor color, PixelFormat format, const std::string& image);

}  // namespace gpuimg
