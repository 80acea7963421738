// Converts TIFF tags to Metadata and back. Copies tags of bytes unchanged, but only if their content has the expected
// format.
#include "codecs/tiff/tiff_metadata.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "codecs/byte_fields.hpp"
#include "codecs/metadata/exif.hpp"
#include "codecs/metadata/icc.hpp"
#include "codecs/metadata/iptc.hpp"
#include "codecs/metadata/metadata.hpp"
#include "codecs/metadata/xmp.hpp"

namespace gpuimg::codecs::tiff {
namespace {

std::vector<std::byte> copy_of_bytes(ByteSpan bytes) { return {bytes.begin(), bytes.end()}; }

/// The content of a tag. TIFFGetField must return the size of this tag in bytes.
ByteSpan bytes_of_tag(const TiffFile& file, ttag_t tag) {
  std::uint32_t count = 0;
  const void* data = nullptr;
  const bool has = TIFFGetField(file.tiff(), tag, &count, &data) == 1 && data != nullptr;
  return has ? ByteSpan{static_cast<const std::byte*>(data), count} : ByteSpan{};
}

/// libtiff reads and writes resolutions with 24 bits of precision.
std::optional<Ratio> resolution_of(const TiffFile& file, ttag_t tag) {
  constexpr double kPrecision = 1.0 / (1U << 24U);
  float value = 0;
  return TIFFGetField(file.tiff(), tag, &value) == 1 ? simplest_ratio(value, value * kPrecision) : std::nullopt;
}

/// Returns nullopt also for square pixels without a unit.
std::optional<PixelDensity> density_of(const TiffFile& file) {
  const std::optional<Ratio> x = resolution_of(file, TIFFTAG_XRESOLUTION);
  const std::optional<Ratio> y = resolution_of(file, TIFFTAG_YRESOLUTION);
  const auto unit = file.number<std::uint16_t>(TIFFTAG_RESOLUTIONUNIT, RESUNIT_INCH);
  if (!x || !y || (unit == RESUNIT_NONE && *x == *y)) {
    return std::nullopt;
  }
  return PixelDensity{*x, *y,
                      unit == RESUNIT_NONE         ? DensityUnit::none
                      : unit == RESUNIT_CENTIMETER ? DensityUnit::centimeter
                                                   : DensityUnit::inch};
}

/// True for a description that a program writes for its own use, with the dimensions of this file's data.
bool is_for_programs(const ExifEntry& entry) {
  const std::string_view text(reinterpret_cast<const char*>(entry.value.data()), entry.value.size());
  return entry.tag == TIFFTAG_IMAGEDESCRIPTION &&
         (text.starts_with("ImageJ=") || text.starts_with('<') || text.starts_with('{'));
}

// --- GeoTIFF and ImageJ ---------------------------------------------------------------------------------------------

constexpr std::uint16_t kShort = TIFF_SHORT;
constexpr std::uint16_t kDouble = TIFF_DOUBLE;

struct GeoTag {
  std::uint16_t tag;
  std::uint16_t type;
  const char* name;
};

/// GeoTIFF 1.1, section 7.
constexpr std::array<GeoTag, 6> kGeoTags = {{{33550, kDouble, "ModelPixelScaleTag"},
                                             {33922, kDouble, "ModelTiepointTag"},
                                             {34264, kDouble, "ModelTransformationTag"},
                                             {34735, kShort, "GeoKeyDirectoryTag"},
                                             {34736, kDouble, "GeoDoubleParamsTag"},
                                             {34737, TIFF_ASCII, "GeoAsciiParamsTag"}}};

constexpr std::array<std::uint16_t, 3> kResolutionTags = {TIFFTAG_XRESOLUTION, TIFFTAG_YRESOLUTION,
                                                          TIFFTAG_RESOLUTIONUNIT};

std::vector<std::byte> directory_of(std::vector<ExifEntry> entries) {
  ExifDirectories directories;
  directories.image = std::move(entries);
  return exif_data(directories, 1);
}

std::vector<std::byte> read_geotiff(const TiffFile& file) {
  std::array<std::uint16_t, kGeoTags.size()> tags{};
  std::transform(kGeoTags.begin(), kGeoTags.end(), tags.begin(), [](const GeoTag& tag) { return tag.tag; });
  std::vector<ExifEntry> entries = tag_entries(file.content(), TIFFCurrentDirOffset(file.tiff()), tags);
  std::erase_if(entries, [](const ExifEntry& entry) {
    return std::none_of(kGeoTags.begin(), kGeoTags.end(),
                        [&](const GeoTag& tag) { return tag.tag == entry.tag && tag.type == entry.type; });
  });
  return directory_of(std::move(entries));
}

/// The calibration from a description written by ImageJ: the first line, and the lines that calibrate the image plane.
std::string calibration_in(std::string_view description) {
  constexpr std::array<std::string_view, 5> kKeys = {"ImageJ=", "unit=", "yunit=", "xorigin=", "yorigin="};
  std::string kept;
  for (std::size_t at = 0; at < description.size();) {
    const std::string_view line = description.substr(at, description.find('\n', at) - at);
    at += line.size() + 1;
    const bool is_kept = std::any_of(kKeys.begin(), kKeys.end(), [&](auto key) { return line.starts_with(key); });
    kept += is_kept ? std::string(line) + '\n' : "";
  }
  return kept;
}

/// ImageJ's description, and the resolution in pixels per unit. The description names the unit.
std::vector<std::byte> read_imagej(const TiffFile& file) {
  const std::uint64_t offset = TIFFCurrentDirOffset(file.tiff());
  const std::vector<std::byte> bytes = tag_bytes(file.content(), offset, TIFFTAG_IMAGEDESCRIPTION);
  const std::string_view stored(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  const std::string_view text = stored.substr(0, stored.find('\0'));
  const std::string calibration = text.starts_with("ImageJ=") ? calibration_in(text) : "";
  if (calibration.find('=') == calibration.rfind('=')) {
    return {};  // the description has only the first line
  }
  std::vector<ExifEntry> entries = tag_entries(file.content(), offset, kResolutionTags);
  const ByteSpan value = std::as_bytes(std::span(calibration.c_str(), calibration.size() + 1));
  entries.push_back(
      {TIFFTAG_IMAGEDESCRIPTION, TIFF_ASCII, static_cast<std::uint32_t>(value.size()), copy_of_bytes(value)});
  return directory_of(std::move(entries));
}

/// libtiff writes GeoTIFF tags only after they have been registered.
void write_geotiff(TIFF* tiff, ByteSpan directory) {
  if (directory.empty()) {
    return;
  }
  std::array<TIFFFieldInfo, kGeoTags.size()> fields{};
  std::array<std::uint16_t, kGeoTags.size()> tags{};
  for (std::size_t i = 0; i < kGeoTags.size(); ++i) {
    tags[i] = kGeoTags[i].tag;
    fields[i] = {kGeoTags[i].tag,
                 TIFF_VARIABLE2,
                 TIFF_VARIABLE2,
                 static_cast<TIFFDataType>(kGeoTags[i].type),
                 FIELD_CUSTOM,
                 1,
                 1,
                 const_cast<char*>(kGeoTags[i].name)};
  }
  TIFFMergeFieldInfo(tiff, fields.data(), static_cast<std::uint32_t>(fields.size()));
  for (const ExifEntry& entry : tag_entries(in_memory(directory), 0, tags)) {
    TIFFSetField(tiff, entry.tag, entry.count, entry.value.data());
  }
}

void write_imagej(TIFF* tiff, ByteSpan directory) {
  constexpr std::array<std::uint16_t, 1> kDescription = {TIFFTAG_IMAGEDESCRIPTION};
  for (const ExifEntry& text : tag_entries(in_memory(directory), 0, kDescription)) {
    TIFFSetField(tiff, TIFFTAG_IMAGEDESCRIPTION, reinterpret_cast<const char*>(text.value.data()));
  }
  for (const ExifEntry& entry : tag_entries(in_memory(directory), 0, kResolutionTags)) {
    if (entry.type == TIFF_RATIONAL && entry.value.size() == 8 && u32le_at(entry.value, 4) != 0) {
      TIFFSetField(tiff, entry.tag, double{1} * u32le_at(entry.value, 0) / u32le_at(entry.value, 4));
    } else if (entry.type == TIFF_SHORT && entry.value.size() == 2) {
      TIFFSetField(tiff, entry.tag, static_cast<int>(u16le_at(entry.value, 0)));
    }
  }
}

// --- EXIF and IPTC --------------------------------------------------------------------------------------------------

/// Reads the EXIF and GPS directories, and the text tags of the current directory.
void read_exif(const TiffFile& file, Metadata& metadata, std::vector<std::string>& details) {
  const auto orientation = file.number<std::uint16_t>(TIFFTAG_ORIENTATION, ORIENTATION_TOPLEFT);
  std::optional<ExifDirectories> directories = read_exif_directories(file.content(), TIFFCurrentDirOffset(file.tiff()));
  if (!directories) {
    details.emplace_back("its EXIF data is damaged and is left out");
    directories.emplace();
  }
  if (std::erase_if(directories->image, is_for_programs) > 0 && metadata.imagej.empty()) {
    metadata.not_kept.emplace_back("the image description for programs");
  }
  if (directories->has_maker_note) {
    metadata.not_kept.emplace_back("the maker note");
  }
  if (directories->has_other_tags) {
    metadata.not_kept.emplace_back("other tags");
  }
  metadata.exif = exif_data(*directories, orientation);
}

/// Reads IPTC data from the tag for them, or from Photoshop's tag. Programs store the data as bytes or as 32-bit
/// numbers. Some programs swap the bytes of these numbers.
void read_iptc(const TiffFile& file, Metadata& metadata, std::vector<std::string>& details) {
  const auto value_of = [&](std::uint16_t tag) {
    return tag_bytes(file.content(), TIFFCurrentDirOffset(file.tiff()), tag);
  };
  std::vector<std::byte> own = value_of(TIFFTAG_RICHTIFFIPTC);
  if (!is_iptc(own) && own.size() % 4 == 0) {
    for (auto number = own.begin(); number != own.end(); number += 4) {
      std::reverse(number, number + 4);
    }
  }
  const std::vector<std::byte> photoshop = value_of(TIFFTAG_PHOTOSHOP);
  const PhotoshopResources resources = photoshop_resources(photoshop);
  const ByteSpan iptc = is_iptc(own) ? iptc_without_padding(own) : resources.iptc;
  if (is_iptc(iptc)) {
    metadata.iptc = copy_of_bytes(iptc);
  } else if (!own.empty() || !iptc.empty()) {
    details.emplace_back("its IPTC data is damaged and is left out");
  }
  if (resources.has_more_than_iptc()) {
    metadata.not_kept.emplace_back("Photoshop data other than IPTC");
  }
}

void write_exif(TIFF* tiff, const ExifDirectories& directories, const ExifOffsets& offsets) {
  for (const ExifEntry& entry : directories.image) {
    const std::string text(reinterpret_cast<const char*>(entry.value.data()), entry.value.size());
    TIFFSetField(tiff, entry.tag, text.c_str());
  }
  if (offsets.exif > 0) {
    TIFFSetField(tiff, TIFFTAG_EXIFIFD, static_cast<toff_t>(offsets.exif));
  }
  if (offsets.gps > 0) {
    TIFFSetField(tiff, TIFFTAG_GPSIFD, static_cast<toff_t>(offsets.gps));
  }
}

/// Keeps the parts that TIFF can hold. Of damaged data, keeps only the orientation.
void fit_exif(std::vector<std::byte>& exif, MetadataFilter& filter) {
  if (exif.empty()) {
    return;
  }
  const int orientation = exif_orientation(exif);
  const std::optional<ExifDirectories> directories = read_exif_directories(in_memory(exif));
  if (!directories) {
    filter.say("the EXIF data", "a part of it is damaged or larger than 1 MB");
    exif = exif_data({}, orientation);
    return;
  }
  constexpr std::string_view kMoved = "its file offsets would be wrong in TIFF";
  if (directories->has_maker_note) {
    filter.say("the maker note", kMoved);
  }
  if (directories->has_next) {
    filter.say("the EXIF thumbnail", "in TIFF it would be read as a page");
  }
  if (directories->has_other_tags) {
    filter.say("other tags of the EXIF data", "gpuimg does not write them to TIFF");
  }
  exif = exif_data(*directories, orientation);
}

/// Writes the tag with the type that libtiff expects: bytes, or 32-bit numbers in older versions.
void write_iptc(TIFF* tiff, std::vector<std::byte> iptc) {
  const TIFFField* field = TIFFFieldWithTag(tiff, TIFFTAG_RICHTIFFIPTC);
  if (!iptc.empty() && field != nullptr) {
    const auto width = static_cast<std::size_t>(std::max(TIFFDataWidth(TIFFFieldDataType(field)), 1));
    const std::size_t count = (iptc.size() + width - 1) / width;
    iptc.resize(count * width);
    TIFFSetField(tiff, TIFFTAG_RICHTIFFIPTC, static_cast<std::uint32_t>(count), iptc.data());
  }
}

}  // namespace

Metadata read_tiff_metadata(const TiffFile& file, std::vector<std::string>& details) {
  Metadata metadata;
  const ByteSpan profile = bytes_of_tag(file, TIFFTAG_ICCPROFILE);
  metadata.icc = copy_of_bytes(icc_profile_in(profile));
  if (metadata.icc.empty() && !profile.empty()) {
    details.emplace_back("its ICC profile is damaged and is left out");
  }
  const ByteSpan xmp = bytes_of_tag(file, TIFFTAG_XMLPACKET);
  if (is_xmp(xmp)) {
    metadata.xmp = copy_of_bytes(xmp);
  } else if (!xmp.empty()) {
    details.emplace_back("its XMP is damaged and is left out");
  }
  metadata.geotiff = read_geotiff(file);
  metadata.imagej = read_imagej(file);
  read_exif(file, metadata, details);
  read_iptc(file, metadata, details);
  metadata.density = density_of(file);
  return metadata;
}

ExifOffsets begin_tiff_metadata(std::vector<std::byte>& file, const Metadata& metadata, bool is_big) {
  const auto directories = read_exif_directories(in_memory(metadata.exif));
  return directories ? append_exif_directories(file, *directories, is_big) : ExifOffsets{};
}

void write_tiff_metadata(TIFF* tiff, const Metadata& metadata, const ExifOffsets& offsets) {
  const auto set_bytes = [&](ttag_t tag, const std::vector<std::byte>& bytes) {
    if (!bytes.empty()) {
      TIFFSetField(tiff, tag, static_cast<std::uint32_t>(bytes.size()), bytes.data());
    }
  };
  set_bytes(TIFFTAG_ICCPROFILE, metadata.icc);
  set_bytes(TIFFTAG_XMLPACKET, metadata.xmp);
  TIFFSetField(tiff, TIFFTAG_ORIENTATION, exif_orientation(metadata.exif));
  if (const auto directories = read_exif_directories(in_memory(metadata.exif))) {
    write_exif(tiff, *directories, offsets);
  }
  write_iptc(tiff, metadata.iptc);
  if (metadata.density) {
    const PixelDensity density = density_for_tiff(*metadata.density);
    TIFFSetField(tiff, TIFFTAG_XRESOLUTION, density.x.value());
    TIFFSetField(tiff, TIFFTAG_YRESOLUTION, density.y.value());
    TIFFSetField(tiff, TIFFTAG_RESOLUTIONUNIT,
                 density.unit == DensityUnit::none   ? RESUNIT_NONE
                 : density.unit == DensityUnit::inch ? RESUNIT_INCH
                                                     : RESUNIT_CENTIMETER);
  }
  write_geotiff(tiff, metadata.geotiff);
  write_imagej(tiff, metadata.imagej);  // after the density, because it replaces the resolution
}

void fit_tiff_metadata(Metadata& metadata, MetadataFilter& filter) {
  fit_exif(metadata.exif, filter);
  if (!metadata.xmp_extension.empty()) {
    blank_xmp_extension(metadata.xmp);
  }
  filter.drop(metadata.xmp_extension, "the extended XMP", "TIFF has no place for it");
  filter.drop_png_chunks(metadata, "TIFF has no place for it");
}

}  // namespace gpuimg::codecs::tiff
