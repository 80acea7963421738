// Resize: options, and the plan that they define for an image of a given size. Specified in docs/operations.md,
// "Resize"; the arithmetic is in core/ops/resize.hpp. Results equal the results of Pillow's Image.resize and ImageOps.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <optional>
#include <string>

#include "gpuimg/ops/limits.hpp"
#include "gpuimg/picture.hpp"

namespace gpuimg {

/// The interpolation filter. The more the image shrinks, the more pixels each filter except `nearest` averages over.
enum class ResizeFilter : std::uint8_t { nearest, box, bilinear, hamming, bicubic, lanczos };

/// How the image is fitted if both a width and a height are given.
enum class ResizeFit : std::uint8_t {
  inside,   ///< the largest size within this size, aspect ratio kept: ImageOps.contain
  cover,    ///< exactly this size, filled by the middle of the image, aspect ratio kept: ImageOps.fit
  pad,      ///< exactly this size; like inside, then centered between two bars of one color: ImageOps.pad
  stretch,  ///< exactly this size, aspect ratio not kept
};

inline constexpr int kMaxSide =
    1 << 28;  ///< limit of a result; the samples of a row (4 per pixel) can be counted in 31 bits
inline constexpr Limits<int> kSideLimits{1, kMaxSide};
inline constexpr Limits<double> kPercentLimits{1.0e-6, 1.0e6};

/// A region in pixels, measured from the top left corner of the image. Edges may be fractional: pixels there count in
/// part.
struct ResizeBox {
  double x = 0.0;
  double y = 0.0;
  double width = 0.0;
  double height = 0.0;
};

/// For callers that process a large image in strips: the picture holds some rows of a larger image. It must hold all
/// rows that rows_for() in core/ops/resize.hpp returns for [begin, end).
struct ResizeStrip {
  int height = 0;     ///< height of the larger image
  int first_row = 0;  ///< row of the larger image that is row 0 of the picture
  int begin = 0;      ///< rows [begin, end) of the larger image's result are computed
  int end = 0;
};

/// Set either `percent`, or `width` and/or `height`.
struct ResizeOptions {
  std::optional<int> width;       ///< kSideLimits; alone: the height follows from the aspect ratio
  std::optional<int> height;      ///< kSideLimits; alone: the width follows from the aspect ratio
  std::optional<double> percent;  ///< scale of both sides; kPercentLimits
  ResizeFit fit = ResizeFit::inside;
  bool enlarges = false;  ///< allows inside, a single side and percent to enlarge; the other fits always may
  ResizeFilter filter = ResizeFilter::bicubic;
  std::optional<ResizeBox> box;                               ///< the region that is resized; nullopt = the whole image
  std::optional<std::array<std::uint8_t, 3>> pad_color = {};  ///< of pad; nullopt = 0 in all channels, including alpha
  std::optional<ResizeStrip> strip = {};                      ///< nullopt = the picture is the whole image
};

/// The sizes and positions that the options define for an image of a given size.
struct ResizePlan {
  int width = 0;  ///< size of the result
  int height = 0;
  Rect place;         ///< where the resampled image lies in the result; pixels outside it have pad_color
  float left = 0.0F;  ///< edges of the region of the image that is resampled, in pixels
  float top = 0.0F;
  float right = 0.0F;
  float bottom = 0.0F;
  bool across = false;  ///< a horizontal pass is needed: the width changes, or the region is not as wide as the image
  bool down = false;    ///< a vertical pass is needed, for the corresponding reasons
};

namespace detail {

/// Rounds to the nearest integer, ties to even. Returns at least 1, and at most kMaxSide + 1, which the caller rejects.
inline int rounded_side(double side) { return static_cast<int>(std::clamp(std::rint(side), 1.0, kMaxSide + 1.0)); }

/// The largest size with this aspect ratio that fits into both limits.
inline Size contained(double width, double height, int most_width, int most_height) {
  const double ratio = width / height;
  const double wanted = static_cast<double>(most_width) / static_cast<double>(most_height);
  if (ratio > wanted) {
    return {most_width, rounded_side(height / width * most_width)};
  }
  return {ratio < wanted ? rounded_side(width / height * most_height) : most_width, most_height};
}

/// The size of the resampled image, for a region of this width and height.
inline Size resampled_sides(double width, double height, const ResizeOptions& options) {
  if (options.width && options.height && (options.fit == ResizeFit::cover || options.fit == ResizeFit::stretch)) {
    return {*options.width, *options.height};
  }
  Size sides;
  if (options.percent) {
    sides = {rounded_side(width * *options.percent / 100.0), rounded_side(height * *options.percent / 100.0)};
  } else if (!options.height) {
    sides = {*options.width, rounded_side(height / width * *options.width)};
  } else if (!options.width) {
    sides = {rounded_side(width / height * *options.height), *options.height};
  } else {
    sides = contained(width, height, *options.width, *options.height);
  }
  const bool may_enlarge = options.enlarges || options.fit == ResizeFit::pad;
  if (!may_enlarge && (sides.width > width || sides.height > height)) {
    return {rounded_side(width), rounded_side(height)};
  }
  return sides;
}

/// The largest centered part of a region that has the aspect ratio of `sides`.
inline ResizeBox covering(const ResizeBox& region, const Size& sides) {
  const double ratio = region.width / region.height;
  const double wanted = static_cast<double>(sides.width) / static_cast<double>(sides.height);
  const double width = ratio > wanted ? wanted * region.height : region.width;
  const double height = ratio < wanted ? region.width / wanted : region.height;
  return {region.x + (region.width - width) * 0.5, region.y + (region.height - height) * 0.5, width, height};
}

inline std::string number_text(double number) {
  std::string text = std::to_string(number);
  text.erase(text.find_last_not_of('0') + 1);
  return text.back() == '.' ? text.substr(0, text.size() - 1) : text;
}

inline void check_box(int width, int height, const ResizeBox& box) {
  const auto right = static_cast<float>(box.x + box.width);
  const auto bottom = static_cast<float>(box.y + box.height);
  const bool is_inside = box.x >= 0.0 && box.y >= 0.0 && static_cast<float>(box.x) < right &&
                         static_cast<float>(box.y) < bottom && right <= static_cast<float>(width) &&
                         bottom <= static_cast<float>(height);
  reject_unless(is_inside, "resize: the box " + number_text(box.x) + "," + number_text(box.y) + "," +
                               number_text(box.width) + "," + number_text(box.height) +
                               " is empty or not inside the image of " + size_text(width, height) +
                               " pixels; use another box");
}

}  // namespace detail

/// Throws Error{usage} for options that are invalid for every image.
inline void validate(const ResizeOptions& options) {
  const bool has_side = options.width || options.height;
  detail::reject_unless(has_side != options.percent.has_value(),
                        "resize: give a width, a height, both, or a percentage");
  for (const std::optional<int>& side : {options.width, options.height}) {
    detail::reject_unless(!side || kSideLimits.hold(*side),
                          "resize: a side must be from 1 to " + std::to_string(kMaxSide) + " pixels");
  }
  detail::reject_unless(!options.percent || kPercentLimits.hold(*options.percent),
                        "resize: the percentage must be from 0.000001 to 1000000");
  detail::reject_unless(options.fit == ResizeFit::inside || (options.width && options.height),
                        "resize: this fit needs a width and a height");
}

/// The plan of validated options for an image of this size. Throws Error{usage} if the box is not inside the image, or
/// if the result would be larger than kMaxSide.
inline ResizePlan resize_plan(int width, int height, const ResizeOptions& options) {
  ResizeBox region{0.0, 0.0, static_cast<double>(width), static_cast<double>(height)};
  if (options.box) {
    detail::check_box(width, height, *options.box);
    const auto left = static_cast<float>(options.box->x);
    const auto top = static_cast<float>(options.box->y);
    region = {left, top, static_cast<double>(static_cast<float>(options.box->x + options.box->width)) - left,
              static_cast<double>(static_cast<float>(options.box->y + options.box->height)) - top};
  }
  const Size sides = detail::resampled_sides(region.width, region.height, options);
  detail::reject_unless(sides.width <= kMaxSide && sides.height <= kMaxSide,
                        "resize: a side of the result would exceed " + std::to_string(kMaxSide) + " pixels");
  ResizePlan plan{sides.width, sides.height, {0, 0, sides.width, sides.height}};
  if (options.fit == ResizeFit::cover) {
    region = detail::covering(region, sides);
  } else if (options.fit == ResizeFit::pad) {
    plan.width = *options.width;
    plan.height = *options.height;
    plan.place.x = static_cast<int>(std::rint((plan.width - sides.width) * 0.5));
    plan.place.y = static_cast<int>(std::rint((plan.height - sides.height) * 0.5));
  }
  plan.left = static_cast<float>(region.x);
  plan.top = static_cast<float>(region.y);
  plan.right = std::min(static_cast<float>(region.x + region.width), static_cast<float>(width));
  plan.bottom = std::min(static_cast<float>(region.y + region.height), static_cast<float>(height));
  plan.across = sides.width != width || plan.left != 0.0F || plan.right != static_cast<float>(width);
  plan.down = sides.height != height || plan.top != 0.0F || plan.bottom != static_cast<float>(height);
  return plan;
}

inline Size result_size(int width, int height, const ResizeOptions& options) {
  const ResizePlan plan = resize_plan(width, height, options);
  return {plan.width, plan.height};
}

/// The plan for a picture. If the picture is a strip, the plan describes the whole image.
inline ResizePlan resize_plan(const Picture& picture, const ResizeOptions& options) {
  return resize_plan(picture.width(), options.strip ? options.strip->height : picture.height(), options);
}

inline void check(const Picture& picture, const ResizeOptions& options) {
  detail::check_photographic(picture, "resize");
  validate(options);
  (void)resize_plan(picture, options);
}

constexpr PixelFormat result_format(PixelFormat input, const ResizeOptions& /*options*/) { return input; }

}  // namespace gpuimg
