// Non-local means: the table of weights, rounding, and how warps of device threads share planes and pixels. Specified
// in docs/operations.md, "Denoising". Results equal the results of OpenCV's fastNlMeansDenoising. The kernels are in
// cuda/denoise.cu; tests run their host twin.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "gpuimg/ops/denoise.hpp"
#include "host_device.hpp"

namespace gpuimg {

inline float filter_strength(PixelFormat format, const DenoiseOptions& options) {
  return options.strength.value_or(format.sample == Sample::u8 ? 10.0F : 2570.0F);
}

/// The default h for an image whose levels use the range 0 … `range` = 2ᵏ − 1: 10/255 of the range.
inline float strength_for_range(std::uint32_t range) { return static_cast<float>(range) * 10.0F / 255.0F; }

/// The smallest 2ᵏ − 1 with k ≥ 8 that is at least `greatest`.
constexpr std::uint32_t range_in_use(std::uint32_t greatest) {
  std::uint32_t range = 255;
  while (range < greatest) {
    range = 2 * range + 1;
  }
  return range;
}

/// The h that suits noise with standard deviation `sigma`, in levels.
inline float strength_for_noise(PixelFormat format, double sigma) {
  constexpr double kPi = 3.14159265358979323846;
  const double of_absolutes = std::sqrt(2.0 * format.color_channels() / kPi);
  return static_cast<float>(format.sample == Sample::u8 ? sigma : sigma * of_absolutes);
}

/// The standard deviation of the noise, estimated from the median of second differences. Ignores hidden pixels. 0 if no
/// pixel has eight neighbors.
template <class T>
double estimated_noise(ConstView pixels, bool count_transparent) {
  const int channels = pixels.format.channels;
  const bool by_alpha = pixels.format.has_alpha() && !count_transparent;
  std::vector<std::uint64_t> counts(std::size_t{8} * kMaxOf<T> + 1);
  std::uint64_t all = 0;
  for (int y = 1; y + 1 < pixels.height; ++y) {
    const T* rows[3] = {pixels.row<T>(y - 1), pixels.row<T>(y), pixels.row<T>(y + 1)};
    for (int x = 1; x + 1 < pixels.width; ++x) {
      bool is_seen = true;
      for (int i = 0; by_alpha && i < 9; ++i) {
        is_seen = is_seen && rows[i / 3][(x + i % 3) * channels - 1] != 0;
      }
      for (int c = 0; is_seen && c < pixels.format.color_channels(); ++c) {
        constexpr int kMask[3] = {1, -2, 1};
        std::int32_t difference = 0;
        for (int i = 0; i < 9; ++i) {
          difference += kMask[i / 3] * kMask[i % 3] * std::int32_t{rows[i / 3][(x - 1 + i % 3) * channels + c]};
        }
        ++counts[static_cast<std::size_t>(difference < 0 ? -difference : difference)];
        ++all;
      }
    }
  }
  constexpr double kMedianOfNormal = 0.6744897501960817;
  constexpr double kNormOfMask = 6.0;
  std::uint64_t below = 0;
  std::size_t median = 0;
  while (median < counts.size() && 2 * (below + counts[median]) < all) {
    below += counts[median++];
  }
  return static_cast<double>(median) / (kNormOfMask * kMedianOfNormal);
}

/// Weights of patches. A patch with distance D has the weight weights[min(D >> shift, weights.size() − 1)].
struct DenoiseTable {
  std::uint32_t shift = 0;
  std::vector<std::uint32_t> weights;  ///< the last weight is 0
};

/// D is a sum of squared differences for 8-bit samples, and of absolute differences for 16-bit samples. Weights are
/// scaled so that a weighted sum over a search window fits in 31 bits, or in 63 bits for 16-bit samples.
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
      break;  // larger distances never have larger weights
    }
    table.weights.push_back(static_cast<std::uint32_t>(weight));
  }
  table.weights.push_back(0);
  return table;
}

/// The weighted mean, rounded to nearest.
template <class Sum>
GPUIMG_HD constexpr Sum weighted_mean(Sum weighted, Sum weights) {
  return (weighted + weights / 2) / weights;
}

/// The distance of two patches: measured on `visible` pairs of pixels, scaled to `all` pairs, and rounded down.
GPUIMG_HD constexpr std::uint32_t scaled_distance(std::uint32_t distance, std::uint32_t visible, std::uint32_t all) {
  return visible == all ? distance : static_cast<std::uint32_t>(std::uint64_t{distance} * all / visible);
}

inline constexpr int kDenoiseWarps = 4;  ///< warps per block, side by side
inline constexpr int kDenoiseLanes = 32;

/// Number of rows that one warp computes, limited by the registers of its lanes.
template <class T, int colors>
inline constexpr int kDenoiseRows = sizeof(T) == 1 && colors == 1 ? 16 : 8;
inline constexpr int kMostDenoiseRows = 16;

/// Number of columns that one warp computes. Its outermost lanes only contribute to the patches of the other lanes.
GPUIMG_HD constexpr int denoise_columns(int patch) { return kDenoiseLanes - patch / 2 * 2; }

GPUIMG_HD constexpr int whole_units(int size, int unit) { return (size + unit - 1) / unit * unit; }

/// The color channels as separate planes, extended by reflection to the size that whole blocks read.
template <class T>
struct DenoisePlanes {
  T* samples = nullptr;
  int pitch = 0;  ///< samples between the beginnings of two rows
  int rows = 0;   ///< rows of each plane, borders included
  int border = 0;

  /// Computes the sizes; `samples` stays null. The sizes are large enough for blocks with any patch size, and for the
  /// border that patches and search windows need.
  static DenoisePlanes layout(int width, int height, const DenoiseOptions& options) {
    const int border = halo_rows(options);
    return {nullptr, width + kDenoiseLanes * kDenoiseWarps + 2 * border, height + kMostDenoiseRows + 2 * border,
            border};
  }

  [[nodiscard]] GPUIMG_HD std::size_t plane_samples() const {
    return static_cast<std::size_t>(pitch) * static_cast<std::size_t>(rows);
  }
  /// Points to the sample of plane 0 at a pixel, which may lie in the border.
  [[nodiscard]] GPUIMG_HD const T* at(int x, int y) const {
    return samples + static_cast<std::size_t>(y + border) * static_cast<std::size_t>(pitch) + (x + border);
  }
};

/// Contribution of a pair of samples to the distance of two patches.
template <class T>
GPUIMG_HD constexpr std::int32_t denoise_difference(std::int32_t a, std::int32_t b) {
  const std::int32_t d = a - b;
  return sizeof(T) == 1 ? d * d : (d < 0 ? -d : d);
}

/// Patches of an image with fully transparent pixels. `visible` is 1 for pixels that count, else 0.
template <class T>
struct VisiblePatches {
  DenoisePlanes<T> planes;
  DenoisePlanes<std::uint8_t> visible;
  int colors = 0;
  int radius = 0;

  /// Computes the distance between the patches of two pixels. Returns false if either pixel does not count.
  GPUIMG_HD bool find_distance(int x, int y, int dx, int dy, std::uint32_t& distance) const {
    if (*visible.at(x, y) == 0 || *visible.at(x + dx, y + dy) == 0) {
      return false;
    }
    std::uint32_t sum = 0;
    std::uint32_t pairs = 0;
    for (int j = -radius; j <= radius; ++j) {
      for (int i = -radius; i <= radius; ++i) {
        if (*visible.at(x + i, y + j) == 0 || *visible.at(x + i + dx, y + j + dy) == 0) {
          continue;
        }
        ++pairs;
        const T* here = planes.at(x + i, y + j);
        const T* there = planes.at(x + i + dx, y + j + dy);
        for (int c = 0; c < colors; ++c) {
          const std::size_t at = static_cast<std::size_t>(c) * planes.plane_samples();
          sum += static_cast<std::uint32_t>(denoise_difference<T>(here[at], there[at]));
        }
      }
    }
    const auto side = static_cast<std::uint32_t>(2 * radius + 1);
    distance = scaled_distance(sum, pairs, side * side);
    return true;
  }
};

}  // namespace gpuimg
