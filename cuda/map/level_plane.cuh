// One level of each pixel as a plane of its own: what a summed-area table of a colour image sums.
#pragma once

#include "count/levels.cuh"
#include "operations.hpp"

namespace gpuimg::cuda {

/// The picture's level as a one-channel picture of the same sample type.
Picture level_plane(Workspace& workspace, const Picture& picture, const LevelSource& source);

}  // namespace gpuimg::cuda
