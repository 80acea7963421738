// Despeckling and straightening of scanned pages: options and their limits. Specified in docs/operations.md,
// "Despeckling" and "Deskewing".
#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "gpuimg/ops/limits.hpp"
#include "gpuimg/picture.hpp"

namespace gpuimg {

enum class SpeckColor : std::uint8_t {
  black,
  white,
  both,  ///< black ones first, then the white ones that are left
};

inline constexpr Limits<int> kSpeckLimits{1, 1'000'000};

struct DespeckleOptions {
  int size = 4;  ///< the most pixels that a speck has: kSpeckLimits
  SpeckColor color = SpeckColor::black;
};

/// Throws Error{usage} for options that are invalid for every image.
inline void validate(const DespeckleOptions& options) {
  detail::refuse_unless(kSpeckLimits.hold(options.size),
                        "despeckle: the size must be from 1 to " + std::to_string(kSpeckLimits.most) + " pixels");
}

/// Pixels other than 0 and 255 are refused when they are read.
inline void check(const Picture& picture, const DespeckleOptions& options) {
  validate(options);
  if (picture.format() != PixelFormat{Sample::u8, 1}) {
    throw Error(ErrorKind::unsupported, "despeckle: only black and white images are supported; threshold it first");
  }
}

constexpr PixelFormat result_format(PixelFormat input, const DespeckleOptions& /*options*/) { return input; }

/// Whether a pixel is in a speck depends on pixels that are at most `size` rows away.
constexpr int halo_rows(const DespeckleOptions& options) {
  return options.color == SpeckColor::both ? 2 * options.size : options.size;
}

/// What deskew has found in an image.
struct FoundSkew {
  bool has_text = false;  ///< false: the image stays as it is
  int steps = 0;          ///< the angle in steps of 1/20 degree; positive: lines of text fall to the right
};

struct DeskewOptions {
  std::array<std::uint8_t, 3> fill = {255, 255, 255};  ///< RGB of what comes from outside the image; opaque
  FoundSkew* found = nullptr;                          ///< where what was found is stored; may be null
};

inline void check(const Picture& picture, const DeskewOptions& /*options*/) {
  detail::check_photographic(picture, "deskew");
}

constexpr PixelFormat result_format(PixelFormat input, const DeskewOptions& /*options*/) { return input; }

}  // namespace gpuimg
