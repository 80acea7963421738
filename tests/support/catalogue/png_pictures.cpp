// Draws the small pictures and names their kinds.
#include "support/catalogue/png_pictures.hpp"

#include <algorithm>
#include <array>

#include "support/catalogue/fixed_numbers.hpp"

namespace gpuimg::test {

PngPicture small_png_picture(PngKind kind) {
  FixedNumbers numbers(static_cast<std::uint32_t>(kind.color_type * 100 + kind.bit_depth));
  PngPicture picture;
  picture.kind = kind;
  picture.width = 5;
  picture.height = 4;
  const std::uint32_t levels = 1U << kind.bit_depth;
  const std::uint32_t used = kind.color_type == 3 ? std::min(levels, 20U) : levels;
  picture.samples = numbers.values(std::size_t{20} * static_cast<std::size_t>(kind.channels()), used);
  for (std::uint32_t i = 0; kind.color_type == 3 && i < 3 * used; ++i) {
    add_le(picture.palette, numbers.below(256), 1);
  }
  return picture;
}

std::string name_of(PngKind kind) {
  constexpr std::array kNames = {"gray", "", "rgb", "indexed", "gray_alpha", "", "rgba"};
  return kNames.at(static_cast<std::size_t>(kind.color_type)) + std::to_string(kind.bit_depth);
}

}  // namespace gpuimg::test
