// The integral image (summed-area table): options, their limits, and the result's size and sample type. Specified in
// docs/operations.md, "Integral image".
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "gpuimg/ops/hist.hpp"

namespace gpuimg {

enum class TableLayout : std::uint8_t {
  padded,     ///< (h+1) × (w+1): T[y][x] sums rows < y and columns < x, so row 0 and column 0 are zero
  inclusive,  ///< h × w: T[y][x] sums rows ≤ y and columns ≤ x
};

struct IntegralOptions {
  TableLayout layout = TableLayout::padded;
  std::optional<Sample> type;  ///< u32, u64, f32 or f64; nullopt = u32 if it cannot overflow, else u64
  bool square = false;         ///< sum p² instead of p
  Channel channel = Channel::luma;
  Luma luma = kDefaultLuma;
  bool allow_wrap = false;  ///< let integer sums overflow (modular arithmetic)
};

/// Largest possible entry of a table over width × height pixels with values 0 … v_max. Saturates at 2⁶⁴ − 1.
constexpr std::uint64_t largest_sum(int width, int height, std::uint32_t v_max, bool square) {
  const std::uint64_t pixels = static_cast<std::uint64_t>(width) * static_cast<std::uint64_t>(height);
  const std::uint64_t each = square ? std::uint64_t{v_max} * v_max : v_max;
  return pixels > ~std::uint64_t{0} / each ? ~std::uint64_t{0} : pixels * each;
}

/// The sample type of the table. Throws Error{usage} if the sums could overflow u64 or a requested u32, unless
/// allow_wrap is set.
inline Sample table_sample(int width, int height, PixelFormat format, const IntegralOptions& options) {
  constexpr std::uint64_t kMaxU32 = 0xFFFFFFFFU;
  const std::uint64_t largest = largest_sum(width, height, format.max_value(), options.square);
  const Sample narrowest = largest <= kMaxU32 ? Sample::u32 : Sample::u64;
  const Sample chosen = options.type.value_or(narrowest);
  const bool could_wrap = (chosen == Sample::u32 && largest > kMaxU32) || largest == ~std::uint64_t{0};
  if (could_wrap && !options.allow_wrap) {
    const std::string bound = largest == ~std::uint64_t{0} ? "2^64 or more" : std::to_string(largest);
    throw Error(ErrorKind::usage, "integral: sums of a " + std::to_string(width) + "x" + std::to_string(height) +
                                      " image can reach " + bound + ", more than " +
                                      (chosen == Sample::u32 ? "u32 holds (4294967295); use --type u64"
                                                             : "64-bit sums hold; use a smaller image") +
                                      ", or --allow-wrap for modular sums");
  }
  return chosen;
}

constexpr int table_width(int width, TableLayout layout) { return layout == TableLayout::padded ? width + 1 : width; }
constexpr int table_height(int height, TableLayout layout) {
  return layout == TableLayout::padded ? height + 1 : height;
}

/// Throws Error{unsupported} for options that are invalid for every image.
inline void validate(const IntegralOptions& options) {
  if (is_hsl(options.channel)) {
    throw Error(ErrorKind::unsupported,
                "integral: hue, saturation and lightness cannot be summed; choose luma, r, g, b or a");
  }
}

inline void check(const Picture& picture, const IntegralOptions& options) {
  detail::check_photographic(picture, "integral");
  check_channel(picture, options.channel, "integral");
  validate(options);
  (void)table_sample(picture.width(), picture.height(), picture.format(), options);
}

}  // namespace gpuimg
