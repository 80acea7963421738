// Which of an input's metadata go into each output format, and in which units: docs/operations.md, "Metadata".
// To read this folder, start here, with Metadata in codec.hpp.
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
  std::vector<std::string>
      left_out;  ///< for the user, one clause each: "sRGB is not carried: JPEG has no place for it"
};

/// For messages.
inline constexpr std::string_view kGeotiffName = "georeference (GeoTIFF)";
inline constexpr std::string_view kImagejName = "ImageJ calibration";

/// The part of `metadata` that a file of this format with such pixels can hold. A profile must match the
/// channels: GRAY for gray, RGB for color.
CarriedMetadata carried_metadata(Metadata metadata, FileFormat file_format, PixelFormat format);

/// Removes positions: the GPS directory of EXIF data and the properties GPS… of XMP. Returns a clause for each piece.
std::vector<std::string> remove_positions(Metadata& metadata);

/// Removes metadata that an output format cannot hold, and records why: for Codec::fit_metadata.
class MetadataFilter {
 public:
  /// Appends a clause to `left_out` for each dropped piece.
  explicit MetadataFilter(std::vector<std::string>& left_out) : left_out_(left_out) {}

  void drop(std::vector<std::byte>& bytes, std::string_view what, std::string_view why);

  template <class Value>
  void drop(std::optional<Value>& value, std::string_view what, std::string_view why) {
    if (value) {
      say(what, why);
      value.reset();
    }
  }

  /// The members that hold the content of PNG chunks.
  void drop_png_chunks(Metadata& metadata, std::string_view why);

  void drop_all_but_density(Metadata& metadata, std::string_view why);

  /// `stated` is the density as the format can state it. Drops the density if that is nullopt; adds a clause if it is
  /// rounded. `why` says what the format holds.
  void fit_density(Metadata& metadata, const std::optional<PixelDensity>& stated, std::string_view why);

  void say(std::string_view what, std::string_view why);

 private:
  std::vector<std::string>& left_out_;
};

// --- Pixel density: kept as the file has it, and stated in the units and numbers of each format ----------------------

/// In lowest terms; nullopt if one of them is 0.
std::optional<Ratio> ratio_of(std::uint32_t over, std::uint32_t under);

/// Recovers a positive number that a file has rounded: the number with the fewest decimals, at most four, within
/// `tolerance` of `value`, or else the ratio with the smallest denominator. Nullopt if the value is out of range.
std::optional<Ratio> simplest_ratio(double value, double tolerance);

/// In the form of PNG and BMP: whole numbers from 1 to 2³¹ − 1 per meter, or without a unit; rounded to nearest.
/// Nullopt if it cannot be stated.
std::optional<PixelDensity> density_for_png(const PixelDensity& density);

/// In JFIF's form: whole numbers from 1 to 65535 per inch, per centimeter or without a unit. Keeps the density's own
/// unit if that is exact, else takes the other one if that is exact, else rounds to nearest per inch. A density per
/// meter is stated per inch, unless only centimeters are exact. Nullopt if it cannot be stated.
std::optional<PixelDensity> density_for_jfif(const PixelDensity& density);

/// In TIFF's form: per inch, per centimeter or without a unit. A density per meter is stated per inch if a whole number
/// per inch rounds to it, otherwise per centimeter.
PixelDensity density_for_tiff(const PixelDensity& density);

/// Takes the density from the EXIF data if the file states it nowhere else.
void complete_density(Metadata& metadata);

}  // namespace gpuimg::codecs
