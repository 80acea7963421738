// Checks results that are too large to recompute on the host. Runs on the device, and compares with the definition of
// the operation.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "bench/operation.hpp"
#include "device/device.hpp"
#include "gpuimg/backend.hpp"

namespace gpuimg::bench {

/// Returns the number of pixels of `out` that differ from the definition applied to `in`. For a padded u32 table,
/// counts the entries that do not equal their neighbors' sums plus the pixel, and the border entries that are not zero.
/// For equalizations, `map` is the look-up table.
std::uint64_t wrong_pixels(const std::shared_ptr<cuda::Device>& device, Operation operation, const Picture& in,
                           const Picture& out, const std::vector<std::uint16_t>& map);

}  // namespace gpuimg::bench
