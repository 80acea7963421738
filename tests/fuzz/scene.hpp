// A small image and a selection in it, taken from a fuzzer's bytes.
#pragma once

#include <algorithm>

#include "fuzz/fuzz_input.hpp"
#include "gpuimg/selection.hpp"
#include "support/oracle_levels.hpp"

namespace gpuimg::fuzz {

struct Scene {
  Image image;
  Image mask;  ///< empty = no mask
  Selection selection;

  [[nodiscard]] oracle::Choice choice() const {
    return {selection.region, mask.empty() ? nullptr : &mask, selection.count_transparent};
  }
};

inline Selection selection_from(FuzzInput& input, int width, int height) {
  Selection selection;
  selection.count_transparent = input.flip();
  if (input.flip()) {
    Rect region;
    region.x = input.between(0, width - 1);
    region.y = input.between(0, height - 1);
    region.width = input.between(1, width - region.x);
    region.height = input.between(1, height - region.y);
    selection.region = region;
  }
  return selection;
}

/// Must be called last, because the pixels use up the remaining bytes.
inline Scene scene_from(FuzzInput& input) {
  const std::uint32_t format = input.below(16);
  const int width = input.flip() ? input.between(1, 24) : input.between(1, 150);
  const int height = input.between(1, 24);
  const Selection selection = selection_from(input, width, height);
  const bool masked = input.flip();
  Scene scene{input.image(width, height, {format < 12 ? Sample::u8 : Sample::u16, 1 + static_cast<int>(format % 4)}),
              {},
              selection};
  if (masked) {
    scene.mask = input.image(width, height, {Sample::u8, 1});
    auto* mask = scene.mask.view().row<std::uint8_t>(0);
    std::transform(mask, mask + scene.mask.size_bytes(), mask,
                   [](std::uint8_t value) { return static_cast<std::uint8_t>(value % 3); });
  }
  return scene;
}

}  // namespace gpuimg::fuzz
