// The bins of a histogram. Specified in docs/operations.md, "Histogram".
#pragma once

#include <cstdint>

#include "gpuimg/ops/hist.hpp"
#include "host_device.hpp"
#include "ops/hsl.hpp"

namespace gpuimg {

/// The bin of value v if `levels` = V + 1 values are spread over `bins` bins: ⌊v · bins / levels⌋.
GPUIMG_HD constexpr std::uint32_t bin_of_value(std::uint32_t v, std::uint32_t bins, std::uint32_t levels) {
  return static_cast<std::uint32_t>(static_cast<std::uint64_t>(v) * bins / levels);
}

/// The smallest value in a bin: ⌈bin · levels / bins⌉.
GPUIMG_HD constexpr std::uint32_t first_value_of_bin(std::uint32_t bin, std::uint32_t bins, std::uint32_t levels) {
  return static_cast<std::uint32_t>((static_cast<std::uint64_t>(bin) * levels + bins - 1) / bins);
}

/// The bins of H, S and L: ⌊N·n/(6C)⌋, min(N−1, ⌊N·C/d⌋) and min(N−1, ⌊N·s/(2V)⌋), where N = bins is 2 … 65536.
GPUIMG_HD constexpr std::uint32_t hue_bin(const HslFractions& f, std::uint32_t bins) {
  return f.chroma == 0 ? 0U
                       : static_cast<std::uint32_t>(static_cast<std::uint64_t>(bins) * f.hue_numerator /
                                                    (std::uint64_t{6} * f.chroma));
}
GPUIMG_HD constexpr std::uint32_t saturation_bin(const HslFractions& f, std::uint32_t bins) {
  const auto bin = static_cast<std::uint32_t>(static_cast<std::uint64_t>(bins) * f.chroma / f.saturation_denominator);
  return bin < bins ? bin : bins - 1;
}
GPUIMG_HD constexpr std::uint32_t lightness_bin(const HslFractions& f, std::uint32_t bins, std::uint32_t v_max) {
  const auto bin = static_cast<std::uint32_t>(static_cast<std::uint64_t>(bins) * f.sum / (std::uint64_t{2} * v_max));
  return bin < bins ? bin : bins - 1;
}

}  // namespace gpuimg
