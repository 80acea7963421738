// Results too large to be computed again on the host, checked on the device against the definition of the operation.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "bench/operation.hpp"
#include "device/device.hpp"
#include "gpuimg/backend.hpp"

namespace gpuimg::bench {

/// Pixels of `out` that are not what the definition makes of `in`; for a padded u32 table, entries whose neighbors do
/// not differ by the pixel, or that are not zero on the border. `map` is the look-up table of the equalizations.
std::uint64_t wrong_pixels(const std::shared_ptr<cuda::Device>& device, Operation operation, const Picture& in,
                           const Picture& out, const std::vector<std::uint16_t>& map);

}  // namespace gpuimg::bench
