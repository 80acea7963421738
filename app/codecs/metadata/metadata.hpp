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

  void say(std::string_view what, std::string_view why);

 private:
  std::vector<std::string>& left_out_;
};

/// In PNG's form, per meter or without a unit; rounded to nearest.
PixelDensity density_for_png(const PixelDensity& density);

/// In JFIF's form, per inch, per centimeter or without a unit, at most 65535; rounded to nearest. A density per meter
/// is stated per inch, unless only centimeters preserve it. Returns nullopt if it cannot be stated.
std::optional<PixelDensity> density_for_jfif(const PixelDensity& density);

}  // namespace gpuimg::codecs
