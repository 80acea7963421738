// Oracle of the levels of a pixel and of the selection of pixels, written independently from docs/operations.md. Does
// not use gpuimg/ops.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "gpuimg/image.hpp"

namespace gpuimg::oracle {

/// Gray images have r = g = b; images without alpha have a = V.
struct Pixel {
  std::uint32_t r = 0;
  std::uint32_t g = 0;
  std::uint32_t b = 0;
  std::uint32_t a = 0;
};

Pixel pixel_at(ConstView pixels, int x, int y);

using LevelFunction = std::function<std::uint32_t(const Pixel&)>;

std::uint32_t luma_bt601(const Pixel& p);
std::uint32_t luma_bt601_trunc(const Pixel& p);
std::uint32_t luma_opencv(const Pixel& p);
std::uint32_t luma_bt709(const Pixel& p);

/// A level function that returns the gray value for gray images, as every operation does.
LevelFunction for_format(LevelFunction of_color, PixelFormat format);

struct Choice {
  std::optional<Rect> region;
  const Image* mask = nullptr;
  bool count_transparent = false;
};

bool is_counted(ConstView pixels, int x, int y, const Choice& choice);

/// One count per level below `bins`.
std::vector<std::uint64_t> count(ConstView pixels, const Choice& choice, std::size_t bins, const LevelFunction& level);

}  // namespace gpuimg::oracle
