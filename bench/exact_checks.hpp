// Checks results on the device that are too large to recompute on the host, against the definition of the operation.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "bench/operation.hpp"
#include "device/device.hpp"
#include "gpuimg/backend.hpp"

namespace gpuimg::bench {

/// Returns the number of pixels of `out` that differ from the definition applied to `in`. For a padded u32 table,
/// counts entries whose differences to their neighbors are not the pixel, and border entries that are not zero. `map`
/// is the look-up table of the equalizations.
std::uint64_t wrong_pixels(const std::shared_ptr<cuda::Device>& device, Operation operation, const Picture& in,
                           const Picture& out, const std::vector<std::uint16_t>& map);

}  // namespace gpuimg::bench
