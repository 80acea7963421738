// Non-local means: options and their limits. Specified in docs/operations.md, "Denoising"; the arithmetic is in
// core/ops/denoise.hpp.
#pragma once

#include <cmath>
#include <functional>
#include <optional>
#include <string>

#include "gpuimg/ops/limits.hpp"
#include "gpuimg/picture.hpp"

namespace gpuimg {

inline constexpr int kMaxPatch = 101;    ///< distances of larger patches could exceed 31 bits
inline constexpr int kMaxSearch = 2901;  ///< weights of larger windows could all be 0
inline constexpr Limits<int> kPatchLimits{1, kMaxPatch, true};
inline constexpr Limits<int> kSearchLimits{1, kMaxSearch, true};

struct DenoiseOptions {
  std::optional<float> strength;   ///< filter strength h, ≥ 0; default 10 at 8 bits and 2570 at 16 bits
  int patch = 7;                   ///< T: patches have T × T pixels; odd
  int search = 21;                 ///< S: the search window has S × S pixels; odd
  bool count_transparent = false;  ///< false: fully transparent pixels are copied, and do not affect other pixels

  /// Progress callback: receives the fraction of the image that is done, 0 … 1, from any thread. May be empty. Must not
  /// throw.
  std::function<void(double part)> on_progress;
};

/// Throws Error{usage} for options that are invalid for every image.
inline void validate(const DenoiseOptions& options) {
  const auto check_size = [](int size, const Limits<int>& limits, const char* what) {
    detail::reject_unless(limits.hold(size), std::string("denoise: the ") + what + " must be an odd number from 1 to " +
                                                 std::to_string(limits.most) + ", not " + std::to_string(size));
  };
  check_size(options.patch, kPatchLimits, "patch");
  check_size(options.search, kSearchLimits, "search window");
  detail::reject_unless(!options.strength || (*options.strength >= 0.0F && std::isfinite(*options.strength)),
                        "denoise: the filter strength must be a number, 0 or more");
}

inline void check(const Picture& picture, const DenoiseOptions& options) {
  detail::check_photographic(picture, "denoise");
  validate(options);
}

constexpr PixelFormat result_format(PixelFormat input, const DenoiseOptions& /*options*/) { return input; }

constexpr int halo_rows(const DenoiseOptions& options) { return options.patch / 2 + options.search / 2; }

}  // namespace gpuimg
