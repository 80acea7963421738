// Decides which metadata of an input each output format receives, and in which units: docs/operations.md, "Metadata".
// To understand this folder, start here and with Metadata in codec.hpp.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "codecs/codec.hpp"

namespace gpuimg::codecs {

struct CarriedMetadata {
  Metadata metadata;
  std::vector<std::string> left_out;  ///< for the user, one clause each: "sRGB is not copied: JPEG has no place for it"
};

/// Used in messages.
inline constexpr std::string_view kGeotiffName = "georeference (GeoTIFF)";
inline constexpr std::string_view kImagejName = "ImageJ calibration";

/// Returns the part of `metadata` that a file of this format and with these pixels can hold. A color profile must match
/// the channels: GRAY for gray, RGB for color.
CarriedMetadata carried_metadata(Metadata metadata, FileFormat file_format, PixelFormat format);

/// Removes positions: the GPS directory of EXIF data, and the XMP properties whose names begin with GPS. Returns a
/// clause for each part that it removes.
std::vector<std::string> remove_positions(Metadata& metadata);

/// Removes metadata that an output format cannot hold, and records the reasons. Used by Codec::fit_metadata.
class MetadataFilter {
 public:
  /// Appends a clause to `left_out` for everything that it drops.
  explicit MetadataFilter(std::vector<std::string>& left_out) : left_out_(left_out) {}

  void drop(std::vector<std::byte>& bytes, std::string_view what, std::string_view why);

  template <class Value>
  void drop(std::optional<Value>& value, std::string_view what, std::string_view why) {
    if (value) {
      say(what, why);
      value.reset();
    }
  }

  /// Drops the members that hold the content of PNG chunks.
  void drop_png_chunks(Metadata& metadata, std::string_view why);

  void drop_all_but_density(Metadata& metadata, std::string_view why);

  /// `stated` is the density in the format's own unit and numbers. Drops the density if `stated` is nullopt. Adds a
  /// clause if `stated` is rounded. `why` describes the densities that the format can hold.
  void fit_density(Metadata& metadata, const std::optional<PixelDensity>& stated, std::string_view why);

  void say(std::string_view what, std::string_view why);

 private:
  std::vector<std::string>& left_out_;
};

// --- Pixel density: kept as the file states it, and converted to the units and numbers of each format ----------------

/// The ratio in lowest terms; nullopt if one of the numbers is 0.
std::optional<Ratio> ratio_of(std::uint32_t over, std::uint32_t under);

/// Recovers a positive number that a file has rounded: the number with the fewest decimals, at most four, within
/// `tolerance` of `value`, or else the ratio with the smallest denominator. Returns nullopt if the value is out of
/// range.
std::optional<Ratio> simplest_ratio(double value, double tolerance);

/// Converts to the densities of PNG and BMP: integers from 1 to 2³¹ − 1 per meter, or without a unit; rounded to
/// nearest. Returns nullopt if the result is out of range.
std::optional<PixelDensity> density_for_png(const PixelDensity& density);

/// Converts to the densities of JFIF: integers from 1 to 65535 per inch, per centimeter or without a unit. Keeps the
/// density's own unit if the result is exact; otherwise uses the other unit if exact; otherwise rounds to nearest per
/// inch. A density per meter becomes per inch, unless only centimeters are exact. Returns nullopt if the result is out
/// of range.
std::optional<PixelDensity> density_for_jfif(const PixelDensity& density);

/// Converts to the densities of TIFF: per inch, per centimeter or without a unit. A density per meter becomes per inch
/// if an integer per inch rounds to it, otherwise per centimeter.
PixelDensity density_for_tiff(const PixelDensity& density);

/// Takes the density from the EXIF data if the file does not state it elsewhere.
void complete_density(Metadata& metadata);

}  // namespace gpuimg::codecs
