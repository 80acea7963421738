// Filters metadata by what each output format can hold, and converts pixel density between the units of PNG and JFIF.
#include "codecs/metadata/metadata.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include "codecs/metadata/exif.hpp"
#include "codecs/metadata/icc.hpp"
#include "codecs/metadata/xmp.hpp"

namespace gpuimg::codecs {
namespace {

void drop_unfit_profile(Metadata& metadata, PixelFormat format, MetadataFilter& filter) {
  if (metadata.icc.empty()) {
    return;
  }
  const std::uint32_t color_space = icc_color_space(metadata.icc);
  const bool is_gray = format.color_channels() == 1;
  if (color_space != (is_gray ? kIccGray : kIccRgb)) {
    const std::string_view is_for = color_space == kIccGray   ? "gray"
                                    : color_space == kIccRgb  ? "RGB"
                                    : color_space == kIccCmyk ? "CMYK"
                                                              : "another color space";
    filter.drop(metadata.icc, "the ICC profile",
                fmt::format("it is for {}, and the image is {}", is_for, is_gray ? "gray" : "RGB"));
  }
  if (metadata.icc.size() > kMaxIccBytes) {
    filter.drop(metadata.icc, "the ICC profile", "it is larger than 16.7 MB");
  }
}

/// Drops XMP about the video or the gain map of the input, because the output has neither.
void drop_xmp_of_parts(Metadata& metadata, MetadataFilter& filter) {
  constexpr std::string_view kUnknownFormat = "it describes other parts of the file in an unknown format";
  if (const std::optional<XmpParts> of_extension = blank_xmp_parts(metadata.xmp_extension);
      !of_extension || of_extension->any()) {
    blank_xmp_extension(metadata.xmp);  // the GUID is a digest of the extension's bytes, which change
    filter.drop(metadata.xmp_extension, "the extended XMP", "it describes other parts of the file");
  }
  const std::optional<XmpParts> parts = blank_xmp_parts(metadata.xmp);
  if (!parts) {
    filter.drop(metadata.xmp, "the XMP", kUnknownFormat);
    filter.drop(metadata.xmp_extension, "the extended XMP", kUnknownFormat);
    return;
  }
  const auto say = [&](bool is_told, std::string_view what, std::string_view why) {
    if (is_told) {
      filter.say(what, why);
    }
  };
  say(parts->motion_photo, "the XMP about a motion photo", "the video is not written");
  say(parts->gain_map, "the XMP about a gain map", "the gain map is not written");
  say(parts->directory, "the XMP's directory of other parts of the file", "they are not written");
}

void drop_not_kept(Metadata& metadata, MetadataFilter& filter) {
  for (const std::string& what : std::exchange(metadata.not_kept, {})) {
    filter.say(what, "gpuimg does not keep it");
  }
}

constexpr std::uint32_t kMaxPngDensity = 0x7FFFFFFF;
constexpr std::uint32_t kMaxJfifDensity = 0xFFFF;

/// The number of pixels per 127 m for one pixel per unit. This is an integer, because an inch is 0.0254 m.
std::uint64_t per_127_meters(DensityUnit unit) {
  constexpr std::array<std::uint64_t, 4> kFactors = {1, 5000, 12700, 127};
  return kFactors.at(static_cast<std::size_t>(unit));
}

/// Converts a density to an integer per `unit`, rounded to nearest.
std::uint64_t whole_per(DensityUnit unit, const Ratio& density, DensityUnit from) {
  const std::uint64_t over = density.numerator * per_127_meters(from);
  const std::uint64_t under = density.denominator * per_127_meters(unit);
  return (2 * over + under) / (2 * under);
}

/// Converts a density to integers from 1 to `most` in this unit. Returns nullopt if they are out of range.
std::optional<PixelDensity> whole_density(const PixelDensity& density, DensityUnit unit, std::uint32_t most) {
  const std::uint64_t x = whole_per(unit, density.x, density.unit);
  const std::uint64_t y = whole_per(unit, density.y, density.unit);
  const bool fits = std::min(x, y) >= 1 && std::max(x, y) <= most;
  return fits ? std::optional(PixelDensity{static_cast<std::uint32_t>(x), static_cast<std::uint32_t>(y), unit})
              : std::nullopt;
}

/// The aspect ratio in integers: unchanged if the numbers are integers in range, otherwise in lowest terms.
std::optional<PixelDensity> whole_aspect(const PixelDensity& density, std::uint32_t most) {
  if (density.x.denominator == 1 && density.y.denominator == 1 &&
      std::max(density.x.numerator, density.y.numerator) <= most) {
    return density;
  }
  const std::uint64_t x = std::uint64_t{density.x.numerator} * density.y.denominator;
  const std::uint64_t y = std::uint64_t{density.y.numerator} * density.x.denominator;
  const std::uint64_t common = std::gcd(x, y);
  return std::max(x, y) / common <= most
             ? std::optional(PixelDensity{static_cast<std::uint32_t>(x / common),
                                          static_cast<std::uint32_t>(y / common), DensityUnit::none})
             : std::nullopt;
}

/// True if `stated` equals the density, or is rounded so little that the original can be recovered.
bool keeps(const PixelDensity& stated, const PixelDensity& density) {
  if (density.unit == DensityUnit::none || stated.unit == DensityUnit::none) {
    return stated.unit == density.unit;
  }
  const auto keeps_one = [&](const Ratio& now, const Ratio& before) {
    constexpr double kLeast = 1e-5;
    const double wanted = before.value() * static_cast<double>(per_127_meters(density.unit));
    const double got = now.value() * static_cast<double>(per_127_meters(stated.unit));
    return std::abs(got - wanted) <= kLeast * wanted ||
           (before.denominator == 1 && whole_per(density.unit, now, stated.unit) == before.numerator);
  };
  return keeps_one(stated.x, density.x) && keeps_one(stated.y, density.y);
}

/// The ratio with the smallest denominator in [low, high]. The continued fractions of both ends agree up to the last
/// term of this ratio.
std::optional<Ratio> ratio_between(double low, double high, double most) {
  std::uint64_t over = 1;
  std::uint64_t over_before = 0;
  std::uint64_t under = 0;
  std::uint64_t under_before = 1;
  for (;;) {
    const bool is_last = std::ceil(low) <= high;
    const double term = is_last ? std::ceil(low) : std::floor(low);
    if (term > most) {
      return std::nullopt;
    }
    over_before = std::exchange(over, static_cast<std::uint64_t>(term) * over + over_before);
    under_before = std::exchange(under, static_cast<std::uint64_t>(term) * under + under_before);
    if (std::max(over, under) > std::numeric_limits<std::uint32_t>::max()) {
      return std::nullopt;
    }
    if (is_last) {
      return Ratio(static_cast<std::uint32_t>(over), static_cast<std::uint32_t>(under));
    }
    const double next = 1 / (high - term);
    high = 1 / (low - term);
    low = next;
  }
}

std::string density_text(const PixelDensity& density) {
  constexpr std::array<std::string_view, 4> kUnits = {"", " per inch", " per centimeter", " per meter"};
  return fmt::format("{:.9g} x {:.9g}{}", density.x.value(), density.y.value(),
                     kUnits.at(static_cast<std::size_t>(density.unit)));
}

}  // namespace

CarriedMetadata carried_metadata(Metadata metadata, FileFormat file_format, PixelFormat format) {
  CarriedMetadata carried{std::move(metadata), {}};
  MetadataFilter filter(carried.left_out);
  drop_xmp_of_parts(carried.metadata, filter);
  const Codec& codec = codec_of(file_format);
  if (codec.fit_metadata != nullptr) {
    drop_unfit_profile(carried.metadata, format, filter);
    codec.fit_metadata(carried.metadata, filter);
  } else {
    const std::string why = fmt::format("gpuimg writes no metadata to {}", codec.name);
    filter.drop_all_but_density(carried.metadata, why);
    filter.drop(carried.metadata.density, "the pixel density", why);
  }
  if (!codec.holds_places) {
    filter.drop(carried.metadata.geotiff, fmt::format("the {}", kGeotiffName), "only TIFF has a place for it");
    filter.drop(carried.metadata.imagej, fmt::format("the {}", kImagejName), "only TIFF has a place for it");
  }
  drop_not_kept(carried.metadata, filter);
  return carried;
}

void MetadataFilter::drop(std::vector<std::byte>& bytes, std::string_view what, std::string_view why) {
  if (!bytes.empty()) {
    say(what, why);
    bytes.clear();
  }
}

void MetadataFilter::drop_png_chunks(Metadata& metadata, std::string_view why) {
  drop(metadata.cicp, "cICP", why);
  drop(metadata.srgb, "sRGB", why);
  drop(metadata.gama, "gAMA", why);
  drop(metadata.chrm, "cHRM", why);
}

void MetadataFilter::drop_all_but_density(Metadata& metadata, std::string_view why) {
  drop(metadata.icc, "the ICC profile", why);
  drop(metadata.exif, "the EXIF data", why);
  drop(metadata.xmp, "the XMP", why);
  drop(metadata.xmp_extension, "the extended XMP", why);
  drop(metadata.iptc, "the IPTC data", why);
  drop_png_chunks(metadata, why);
}

void MetadataFilter::say(std::string_view what, std::string_view why) {
  left_out_.push_back(fmt::format("{} is not copied: {}", what, why));
}

void MetadataFilter::fit_density(Metadata& metadata, const std::optional<PixelDensity>& stated, std::string_view why) {
  if (metadata.density && !stated) {
    drop(metadata.density, "the pixel density", why);
  } else if (metadata.density && !keeps(*stated, *metadata.density)) {
    left_out_.push_back(fmt::format("the pixel density {} is rounded to {}: {}", density_text(*metadata.density),
                                    density_text(*stated), why));
  }
}

std::optional<Ratio> ratio_of(std::uint32_t over, std::uint32_t under) {
  const std::uint32_t common = std::gcd(over, under);
  return over == 0 || under == 0 ? std::nullopt : std::optional(Ratio(over / common, under / common));
}

std::optional<Ratio> simplest_ratio(double value, double tolerance) {
  constexpr double kMost = 1e9;
  if (!(value - tolerance > 0 && value + tolerance < kMost)) {
    return std::nullopt;
  }
  for (const std::uint32_t under : {1U, 10U, 100U, 1000U, 10000U}) {
    const double over = std::round(value * under);
    if (over < std::numeric_limits<std::uint32_t>::max() && std::abs(over / under - value) <= tolerance) {
      return ratio_of(static_cast<std::uint32_t>(over), under);
    }
  }
  return ratio_between(value - tolerance, value + tolerance, kMost);
}

std::optional<PixelDensity> density_for_png(const PixelDensity& density) {
  return density.unit == DensityUnit::none ? whole_aspect(density, kMaxPngDensity)
                                           : whole_density(density, DensityUnit::meter, kMaxPngDensity);
}

std::optional<PixelDensity> density_for_jfif(const PixelDensity& density) {
  if (density.unit == DensityUnit::none) {
    return whole_aspect(density, kMaxJfifDensity);
  }
  const bool prefers_centimeters = density.unit == DensityUnit::centimeter;
  const auto inches = whole_density(density, DensityUnit::inch, kMaxJfifDensity);
  const auto centimeters = whole_density(density, DensityUnit::centimeter, kMaxJfifDensity);
  const bool inches_keep = inches && keeps(*inches, density);
  const bool centimeters_keep = centimeters && keeps(*centimeters, density);
  if (centimeters_keep && (prefers_centimeters || !inches_keep)) {
    return centimeters;
  }
  return inches ? inches : centimeters;
}

PixelDensity density_for_tiff(const PixelDensity& density) {
  if (density.unit != DensityUnit::meter) {
    return density;
  }
  const auto inches = whole_density(density, DensityUnit::inch, std::numeric_limits<std::int32_t>::max());
  if (inches && whole_density(*inches, DensityUnit::meter, kMaxPngDensity) == density) {
    return *inches;
  }
  const auto per_centimeter = [](const Ratio& per_meter) {
    constexpr std::uint32_t kCentimeters = 100;
    const std::uint32_t common = std::gcd(per_meter.numerator, kCentimeters);
    return Ratio(per_meter.numerator / common, per_meter.denominator * (kCentimeters / common));
  };
  return {per_centimeter(density.x), per_centimeter(density.y), DensityUnit::centimeter};
}

std::vector<std::string> remove_positions(Metadata& metadata) {
  std::vector<std::string> removed;
  switch (erase_exif_positions(metadata.exif)) {
    case ErasedPositions::none: break;
    case ErasedPositions::all: removed.emplace_back("the position in the EXIF data is removed"); break;
    case ErasedPositions::impossible:
      metadata.exif.clear();
      removed.emplace_back("the EXIF data is left out: its position cannot be removed from it");
  }
  if (blank_xmp_positions(metadata.xmp_extension).value_or(1) > 0) {
    blank_xmp_extension(metadata.xmp);
    metadata.xmp_extension.clear();
    removed.emplace_back("the extended XMP is left out: it has a position");
  }
  const std::optional<std::size_t> count = blank_xmp_positions(metadata.xmp);
  if (!count) {
    metadata.xmp.clear();
    metadata.xmp_extension.clear();
    removed.emplace_back("the XMP is left out: its position is in an unknown format");
  } else if (*count > 0) {
    removed.emplace_back("the position in the XMP is removed");
  }
  return removed;
}

void complete_density(Metadata& metadata) {
  if (!metadata.density) {
    metadata.density = exif_density(metadata.exif);
  }
}

}  // namespace gpuimg::codecs
