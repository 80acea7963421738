// Oracle of equalization, written independently from docs/operations.md. Does not use gpuimg/ops.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "support/oracle_levels.hpp"

namespace gpuimg::oracle {

using Counts = std::vector<std::uint64_t>;
using Table = std::vector<std::uint16_t>;
using Tables = std::vector<Table>;

Table table_opencv(const Counts& counts);
Table table_cdf(const Counts& counts);
Table table_pillow(const Counts& counts);
/// Percentiles are in millionths of a percent.
Table table_stretch(const Counts& counts, std::uint64_t low_percent, std::uint64_t high_percent);

/// The levels to count (one level function per table), and how the tables change a pixel. `map` must preserve alpha.
struct ColorMode {
  std::vector<LevelFunction> levels;
  std::function<Pixel(const Pixel&, const Tables&)> map;
};

ColorMode gray_mode();
ColorMode luma_mode(const LevelFunction& luma, std::uint32_t v_max);
ColorMode rgb_mode();
ColorMode joint_mode(const LevelFunction& luma);
ColorMode ycbcr_mode(std::uint32_t v_max);
ColorMode hsl_mode(std::uint32_t v_max);

/// Changes a pixel whose luma is y to the luma `to`, and preserves hue.
Pixel with_luma(const Pixel& p, std::uint32_t y, std::uint32_t to, std::uint32_t v_max);

/// Returns Y, Cr and Cb in r, g and b. Keeps alpha.
Pixel ycrcb_of(const Pixel& p, std::uint32_t v_max);
Pixel rgb_of_ycrcb(const Pixel& p, std::uint32_t v_max);

Tables tables_of(ConstView pixels, const ColorMode& mode, const std::function<Table(const Counts&)>& table,
                 const Choice& choice);

/// Maps every pixel whose mask is not 0. Identity tables leave the image unchanged.
Image equalized(ConstView pixels, const ColorMode& mode, const Tables& tables, const Image* mask, double strength);

}  // namespace gpuimg::oracle
