// Filters metadata by what each output format can hold, and converts pixel density between the units of PNG and JFIF.
#include "codecs/metadata/metadata.hpp"

#include <fmt/format.h>

#include <limits>
#include <utility>

#include "codecs/metadata/icc.hpp"

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

void drop_not_kept(Metadata& metadata, MetadataFilter& filter) {
  for (const std::string& what : std::exchange(metadata.not_kept, {})) {
    filter.say(what, "gpuimg does not keep it");
  }
}

// An inch is 0.0254 m.
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

CarriedMetadata carried_metadata(Metadata metadata, FileFormat file_format, PixelFormat format) {
  CarriedMetadata carried{std::move(metadata), {}};
  MetadataFilter filter(carried.left_out);
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
  left_out_.push_back(fmt::format("{} is not carried: {}", what, why));
}

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
