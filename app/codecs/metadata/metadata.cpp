// Converts pixel density between the units of PNG and JFIF; an inch is 0.0254 m.
#include "codecs/metadata/metadata.hpp"

#include <limits>

namespace gpuimg::codecs {
namespace {

std::uint64_t meters_of_inches(std::uint64_t per_inch) { return (per_inch * 10000 + 127) / 254; }
std::uint64_t inches_of_meters(std::uint64_t per_meter) { return (per_meter * 254 + 5000) / 10000; }

PixelDensity inches_or_centimeters(const PixelDensity& density) {
  const std::uint64_t x = inches_of_meters(density.x);
  const std::uint64_t y = inches_of_meters(density.y);
  const bool exact_in_inches = meters_of_inches(x) == density.x && meters_of_inches(y) == density.y;
  if (!exact_in_inches && density.x % 100 == 0 && density.y % 100 == 0) {
    return {density.x / 100, density.y / 100, DensityUnit::centimeter};
  }
  return {static_cast<std::uint32_t>(x), static_cast<std::uint32_t>(y), DensityUnit::inch};
}

}  // namespace

PixelDensity density_for_png(const PixelDensity& density) {
  const auto scaled = [&](std::uint32_t value) {
    return density.unit == DensityUnit::inch ? static_cast<std::uint32_t>(meters_of_inches(value)) : value * 100;
  };
  if (density.unit == DensityUnit::inch || density.unit == DensityUnit::centimeter) {
    return {scaled(density.x), scaled(density.y), DensityUnit::meter};
  }
  return density;
}

std::optional<PixelDensity> density_for_jfif(const PixelDensity& density) {
  const PixelDensity stated = density.unit == DensityUnit::meter ? inches_or_centimeters(density) : density;
  const auto fits = [](std::uint32_t value) {
    return value >= 1 && value <= std::numeric_limits<std::uint16_t>::max();
  };
  return fits(stated.x) && fits(stated.y) ? std::optional(stated) : std::nullopt;
}

}  // namespace gpuimg::codecs
