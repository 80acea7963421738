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
  both,  ///< first black specks, then the remaining white specks
};

inline constexpr Limits<int> kSpeckLimits{1, 1'000'000};

struct DespeckleOptions {
  int size = 4;  ///< largest number of pixels in a speck; kSpeckLimits
  SpeckColor color = SpeckColor::black;
};

/// Throws Error{usage} for options that are invalid for every image.
inline void validate(const DespeckleOptions& options) {
  detail::reject_unless(kSpeckLimits.hold(options.size),
                        "despeckle: the size must be from 1 to " + std::to_string(kSpeckLimits.most) + " pixels");
}

/// Every pixel must be 0 or 255. This is checked while the operation reads the pixels, not here.
inline void check(const Picture& picture, const DespeckleOptions& options) {
  validate(options);
  if (picture.format() != PixelFormat{Sample::u8, 1}) {
    throw Error(ErrorKind::unsupported,
                "despeckle: only black and white images are supported; threshold the image first");
  }
}

constexpr PixelFormat result_format(PixelFormat input, const DespeckleOptions& /*options*/) { return input; }

/// Whether a pixel belongs to a speck depends only on rows at most `size` away.
constexpr int halo_rows(const DespeckleOptions& options) {
  return options.color == SpeckColor::both ? 2 * options.size : options.size;
}

/// The skew that deskew finds in an image.
struct FoundSkew {
  bool has_text = false;  ///< false: the image was left unchanged
  int steps = 0;          ///< angle in steps of 1/20 degree; positive: lines of text slope down to the right
};

struct DeskewOptions {
  std::array<std::uint8_t, 3> fill = {255, 255, 255};  ///< opaque RGB color of result pixels outside the image
  FoundSkew* found = nullptr;                          ///< receives the angle that was found; may be null
};

inline void check(const Picture& picture, const DeskewOptions& /*options*/) {
  detail::check_photographic(picture, "deskew");
}

constexpr PixelFormat result_format(PixelFormat input, const DeskewOptions& /*options*/) { return input; }

}  // namespace gpuimg
