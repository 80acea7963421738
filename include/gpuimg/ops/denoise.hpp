// Non-local means: options and their limits. Specified in docs/operations.md, "Denoising"; the arithmetic is in
// core/ops/denoise.hpp.
#pragma once

#include <cmath>
#include <functional>
#include <optional>
#include <string>

#include "gpuimg/picture.hpp"

namespace gpuimg {

inline constexpr int kMaxPatch = 101;    ///< distances of larger patches could exceed 31 bits
inline constexpr int kMaxSearch = 2901;  ///< weights of larger windows could all be 0

struct DenoiseOptions {
  std::optional<float> strength;  ///< h, ≥ 0; if absent, 10 at 8 bits and 2570 at 16
  int patch = 7;                  ///< T of T × T patches, odd
  int search = 21;                ///< S of an S × S window, odd

  /// Called now and then with the part of the image that is done, 0 … 1, from any thread; may be empty. It must not
  /// throw.
  std::function<void(double part)> on_progress;
};

inline void check(const Picture& picture, const DenoiseOptions& options) {
  detail::check_photographic(picture, "denoise");
  const auto check_size = [](int size, int most, const char* what) {
    if (size < 1 || size % 2 == 0 || size > most) {
      throw Error(ErrorKind::usage, std::string("denoise: the ") + what + " must be an odd number from 1 to " +
                                        std::to_string(most) + ", not " + std::to_string(size));
    }
  };
  check_size(options.patch, kMaxPatch, "patch");
  check_size(options.search, kMaxSearch, "search window");
  if (options.strength && !(*options.strength >= 0.0F && std::isfinite(*options.strength))) {
    throw Error(ErrorKind::usage, "denoise: the filter strength must be a number, 0 or more");
  }
}

constexpr PixelFormat result_format(PixelFormat input, const DenoiseOptions& /*options*/) { return input; }

constexpr int halo_rows(const DenoiseOptions& options) { return options.patch / 2 + options.search / 2; }

}  // namespace gpuimg
