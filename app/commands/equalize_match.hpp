// equalize --match: the histogram that every image shall have. docs/operations.md, "Equalization".
#pragma once

#include <string>

#include "engine/command_context.hpp"
#include "gpuimg/ops/equalize.hpp"

namespace gpuimg {

struct CountsToMatch {
  LevelCounts counts;
  std::string file;  ///< where they come from, printable
};

/// Counts an image, or reads JSON that `hist` wrote, for the color mode of the options. Throws Error{usage} if nothing
/// is counted or the JSON is for another mode, Error{decode}, Error{read}.
CountsToMatch counts_to_match(const std::string& path, const EqualizeOptions& options, CommandContext& context);

/// Throws Error{usage} that names the file and the image if the counts are for another bit depth, or for three channels
/// and the image is gray. `image` is printable.
void check_fit(const CountsToMatch& match, EqualizeColor color, PixelFormat format, const std::string& image);

}  // namespace gpuimg
