// Equalization of whole images, written anew from docs/operations.md for the tests. Nothing of gpuimg/ops is used here.
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

/// What is counted (one level function a table) and what the tables do to a pixel. Alpha passes through `map`.
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

/// Hue-preserving: `to` is the new luma of a pixel whose luma is y.
Pixel with_luma(const Pixel& p, std::uint32_t y, std::uint32_t to, std::uint32_t v_max);

/// Y, Cr, Cb in r, g, b; alpha is kept.
Pixel ycrcb_of(const Pixel& p, std::uint32_t v_max);
Pixel rgb_of_ycrcb(const Pixel& p, std::uint32_t v_max);

Tables tables_of(ConstView pixels, const ColorMode& mode, Table (*table)(const Counts&), const Choice& choice);

/// Maps every pixel whose mask is not 0; the identity leaves the image as it is.
Image equalized(ConstView pixels, const ColorMode& mode, const Tables& tables, const Image* mask, double strength);

}  // namespace gpuimg::oracle
