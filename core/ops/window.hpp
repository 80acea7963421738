// Statistics of the window around each pixel: borders, and exact arithmetic. Specified in docs/operations.md,
// "Windows".
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>

#include "gpuimg/ops/window.hpp"
#include "host_device.hpp"

namespace gpuimg {

/// The position in 0 … size − 1 whose value is used for position `at`; −1 if none.
GPUIMG_HD constexpr int source_position(int at, int size, Border border) {
  if (at >= 0 && at < size) {
    return at;
  }
  if (border == Border::cut) {
    return -1;
  }
  if (border == Border::replicate) {
    return at < 0 ? 0 : size - 1;
  }
  if (size == 1) {
    return 0;
  }
  const std::int64_t period = 2 * (std::int64_t{size} - 1);
  const std::int64_t in_period = (at < 0 ? -at : at) % period;
  return static_cast<int>(in_period < size ? in_period : period - in_period);
}

/// Number of positions of the window around `at` that count, along one axis.
GPUIMG_HD constexpr std::uint32_t counted_positions(int at, int radius, int size, Border border) {
  if (border != Border::cut) {
    return static_cast<std::uint32_t>(2 * radius + 1);
  }
  const int first = at > radius ? at - radius : 0;
  const int last = at < size - radius ? at + radius : size - 1;
  return static_cast<std::uint32_t>(last - first + 1);
}

/// The window around a pixel: from −radius to radius along each axis.
struct WindowShape {
  int radius_x = 0;
  int radius_y = 0;
  Border border = Border::reflect101;

  constexpr WindowShape() = default;
  constexpr WindowShape(const WindowSize& size, Border outside)
      : radius_x(size.width / 2), radius_y(size.height / 2), border(outside) {}

  [[nodiscard]] GPUIMG_HD constexpr int width() const { return 2 * radius_x + 1; }
  [[nodiscard]] GPUIMG_HD constexpr int height() const { return 2 * radius_y + 1; }
  /// Number of positions of a pixel's window that count, in an image of this size.
  [[nodiscard]] GPUIMG_HD constexpr std::uint64_t positions_at(int x, int y, int image_width, int image_height) const {
    return std::uint64_t{counted_positions(x, radius_x, image_width, border)} *
           counted_positions(y, radius_y, image_height, border);
  }
};

__extension__ using Uint128 = unsigned __int128;

/// The nearest double, ties to even.
GPUIMG_HD inline double rounded_to_double(Uint128 x) {
  const auto high = static_cast<std::uint64_t>(x >> 64);
  const auto low = static_cast<std::uint64_t>(x);
  if (high == 0) {
    return static_cast<double>(low);
  }
  const std::uint32_t shift = bit_width(high);
  const std::uint64_t top = shift == 64 ? high : (high << (64 - shift)) | (low >> shift);
  const std::uint64_t rest = shift == 64 ? low : low << (64 - shift);
  const double sticky = static_cast<double>(top | (rest != 0 ? 1U : 0U));
  return sticky * static_cast<double>(std::uint64_t{1} << (shift - 1)) * 2.0;
}

/// ⌊sum/n + ½⌋.
GPUIMG_HD constexpr std::uint32_t window_mean(std::uint64_t sum, std::uint64_t n) {
  return static_cast<std::uint32_t>((2 * sum + n) / (2 * n));
}

/// Divides level x by the rounded mean m of its window: min(V, ⌊x·V/m + ½⌋); V if m is 0.
GPUIMG_HD constexpr std::uint32_t flat_level(std::uint32_t level, std::uint32_t mean, std::uint32_t v_max) {
  if (level >= mean) {
    return v_max;
  }
  return v_max <= 255 ? (2 * level * v_max + mean) / (2 * mean)
                      : static_cast<std::uint32_t>((2 * std::uint64_t{level} * v_max + mean) / (2 * mean));
}

/// 1/n times a factor between 1 − 2⁻²⁰ and 1 − 2⁻²², even if a device's quotient is off by 2 units in the last place.
GPUIMG_HD inline float below_inverse(std::uint32_t n) {
#ifdef __CUDA_ARCH__
  const float inverse = __fdividef(1.0F, static_cast<float>(n));
#else
  const float inverse = 1.0F / static_cast<float>(n);
#endif
  return inverse * (1.0F - 0x1p-21F);
}

/// window_mean(sum, n) for 8-bit levels, with below_inverse(n); sum + n/2 must fit in 32 bits. The truncated product is
/// either correct or one too small.
GPUIMG_HD inline std::uint32_t quotient_mean(std::uint32_t sum, std::uint32_t n, float below) {
  const std::uint32_t a = sum + n / 2;
  const auto estimate = static_cast<std::uint32_t>(static_cast<float>(a) * below);
  return a - estimate * n >= n ? estimate + 1 : estimate;
}

/// numerator/n². Both operands and the quotient are each rounded once.
GPUIMG_HD inline double variance_of(Uint128 numerator, std::uint64_t n) {
  const double count = static_cast<double>(n);
  return rounded_to_double(numerator) / (count * count);
}

/// (nΣx² − (Σx)²)/n²; the numerator is exact.
GPUIMG_HD inline double window_variance(std::uint64_t sum, std::uint64_t squares, std::uint64_t n) {
  return variance_of(Uint128{n} * squares - Uint128{sum} * sum, n);
}

GPUIMG_HD inline double window_deviation(std::uint64_t sum, std::uint64_t squares, std::uint64_t n) {
  return sqrt(window_variance(sum, squares, n));
}

// --- Windows whose pixels have weights -------------------------------------------------------------------------------

/// The weight of each pixel of an image: its alpha, or V for an image without alpha; 0 if a Selection excludes the
/// pixel.
template <class T>
struct PixelWeights {
  const std::byte* pixels = nullptr;
  std::size_t pitch_bytes = 0;
  int channels = 0;
  bool by_alpha = false;
  const std::uint8_t* mask = nullptr;  ///< nullptr = no mask
  std::size_t mask_pitch = 0;
  Rect region;  ///< pixels outside it do not count

  /// True if the mask or alpha excludes the pixel; does not consider `region`.
  [[nodiscard]] GPUIMG_HD bool is_blank(int x, int y) const {
    return (mask != nullptr && mask[static_cast<std::size_t>(y) * mask_pitch + static_cast<std::size_t>(x)] == 0) ||
           (by_alpha && alpha_at(x, y) == 0);
  }

  [[nodiscard]] GPUIMG_HD std::uint32_t operator()(int x, int y) const {
    const bool is_inside =
        x >= region.x && y >= region.y && x - region.x < region.width && y - region.y < region.height;
    if (!is_inside || is_blank(x, y)) {
      return 0;
    }
    return by_alpha ? alpha_at(x, y) : (1U << (8 * sizeof(T))) - 1U;
  }

  /// Only for images with alpha.
  [[nodiscard]] GPUIMG_HD std::uint32_t alpha_at(int x, int y) const {
    const auto* row = reinterpret_cast<const T*>(pixels + static_cast<std::size_t>(y) * pitch_bytes);
    return row[(static_cast<std::size_t>(x) + 1) * static_cast<std::size_t>(channels) - 1];
  }
};

/// Sums over a window of the weights a, of a·x and of a·x², where x is the level.
struct WeightedSums {
  std::uint64_t weights = 0;
  std::uint64_t levels = 0;
  Uint128 squares = 0;
};

/// If all n pixels have the weight V, divides the sums by V. They then equal the sums of a window without weights.
GPUIMG_HD inline WeightedSums without_common_weight(const WeightedSums& sums, std::uint64_t n, std::uint32_t v_max) {
  if (sums.weights != n * v_max) {
    return sums;
  }
  return {n, sums.levels / v_max, sums.squares / v_max};
}

/// ⌊Σax/Σa + ½⌋. At least one weight must not be 0.
GPUIMG_HD constexpr std::uint32_t window_mean(const WeightedSums& sums) {
  const std::uint64_t quotient = sums.levels / sums.weights;
  const std::uint64_t rest = sums.levels - quotient * sums.weights;
  return static_cast<std::uint32_t>(rest >= sums.weights - rest ? quotient + 1 : quotient);
}

/// (Σa·Σax² − (Σax)²)/(Σa)², rounded like the variance without weights; 0 if all weights are 0.
GPUIMG_HD inline double weighted_variance(const WeightedSums& sums) {
  if (sums.weights == 0) {
    return 0.0;
  }
  const Uint128 numerator = sums.weights * sums.squares - Uint128{sums.levels} * sums.levels;
  const double weights = static_cast<double>(sums.weights);
  return rounded_to_double(numerator) / (weights * weights);
}

}  // namespace gpuimg
