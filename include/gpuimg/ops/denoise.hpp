// Non-local means: options, the table of weights, and rounding. Specified in docs/operations.md, "Denoising". The
// results are those of OpenCV's fastNlMeansDenoising.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "gpuimg/ops/window.hpp"

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

inline float filter_strength(PixelFormat format, const DenoiseOptions& options) {
  return options.strength.value_or(format.sample == Sample::u8 ? 10.0F : 2570.0F);
}

/// The weight of a patch by its distance D: weights[min(D >> shift, weights.size() − 1)].
struct DenoiseTable {
  std::uint32_t shift = 0;
  std::vector<std::uint32_t> weights;  ///< the last is 0
};

/// D of 8 bits is a sum of squared differences, of 16 bits one of absolute differences. Weights are fractions of the
/// largest number for which a weighted sum of a search window fits: 31 bits, or 63 bits of 16-bit samples.
inline DenoiseTable denoise_table(PixelFormat format, const DenoiseOptions& options) {
  const bool is_deep = format.sample == Sample::u16;
  const std::uint64_t v_max = format.max_value();
  const auto search = static_cast<std::uint64_t>(options.search);
  const auto patch = static_cast<std::uint64_t>(options.patch);
  constexpr std::uint64_t kMaxWeight = (std::uint64_t{1} << 31) - 1;
  constexpr std::uint64_t kMaxSum = (std::uint64_t{1} << 63) - 1;
  const std::uint64_t scale = std::min((is_deep ? kMaxSum : kMaxWeight) / (search * search * v_max), kMaxWeight);
  DenoiseTable table;
  while ((std::uint64_t{1} << table.shift) < patch * patch) {
    ++table.shift;
  }
  const double step = static_cast<double>(std::uint64_t{1} << table.shift) / static_cast<double>(patch * patch);
  const auto channels = static_cast<float>(format.color_channels());
  const double largest = static_cast<double>(is_deep ? v_max : v_max * v_max) * static_cast<double>(channels);
  const auto entries = static_cast<std::size_t>(largest / step + 1.0);
  const float h = filter_strength(format, options);
  const double width = static_cast<double>(h * h * channels);
  for (std::size_t i = 0; i < entries; ++i) {
    const double distance = static_cast<double>(i) * step;
    const double exponent = i == 0 ? 0.0 : -(is_deep ? distance * distance : distance) / width;
    const double weight = std::rint(static_cast<double>(scale) * std::exp(exponent));
    if (!(weight >= 0.001 * static_cast<double>(scale))) {
      break;  // weights only fall
    }
    table.weights.push_back(static_cast<std::uint32_t>(weight));
  }
  table.weights.push_back(0);
  return table;
}

/// The weighted mean, rounded.
template <class Sum>
GPUIMG_HD constexpr Sum weighted_mean(Sum weighted, Sum weights) {
  return (weighted + weights / 2) / weights;
}

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
