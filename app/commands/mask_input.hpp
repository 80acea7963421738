// The image that --mask names. docs/operations.md, "Region and mask".
#pragma once

#include <string>

#include "engine/command_context.hpp"

namespace gpuimg {

/// The mask in the form that backends take, or null if `path` is empty. Throws Error{read} or Error{decode}.
SharedMask load_mask(const std::string& path, CommandContext& context);

}  // namespace gpuimg
