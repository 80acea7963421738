// The small pictures in the PNG files of the catalogue.
#pragma once

#include <string>

#include "support/png_maker.hpp"

namespace gpuimg::test {

/// 5×4 pixels. A palette has at most 20 colors, so that the file stays small.
PngPicture small_png_picture(PngKind kind);

/// "rgb8", "indexed2", "gray16", "gray_alpha8" …
std::string name_of(PngKind kind);

}  // namespace gpuimg::test
