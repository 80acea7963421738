// The image that --mask names. docs/operations.md, "Region and mask".
#pragma once

#include <optional>
#include <string>

#include "engine/command_context.hpp"

namespace gpuimg {

/// The mask in the form that backends take, or nothing if `path` is empty. Throws Error{read} or Error{decode}.
std::optional<Image> load_mask(const std::string& path, CommandContext& context);

/// A copy for one image of the run.
std::optional<Image> copy_of(const std::optional<Image>& mask);

}  // namespace gpuimg
