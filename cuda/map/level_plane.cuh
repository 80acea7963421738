// Extracts one level of each pixel, for the summed-area table of a color image.
#pragma once

#include "device/levels.cuh"
#include "operations.hpp"

namespace gpuimg::cuda {

/// The picture's level as a one-channel picture of the same sample type.
Picture level_plane(Workspace& workspace, const Picture& picture, const LevelSource& source);

}  // namespace gpuimg::cuda
