// Tags with bytes are taken as they are if they are what they claim to be.
#include "codecs/tiff/tiff_metadata.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <string_view>

#include "codecs/metadata/exif.hpp"
#include "codecs/metadata/icc.hpp"
#include "codecs/metadata/iptc.hpp"
#include "codecs/metadata/metadata.hpp"
#include "codecs/metadata/xmp.hpp"

namespace gpuimg::codecs::tiff {
namespace {

std::vector<std::byte> copy_of_bytes(ByteSpan bytes) { return {bytes.begin(), bytes.end()}; }

/// The bytes of a tag, which TIFFGetField counts in bytes.
ByteSpan bytes_of_tag(const TiffFile& file, ttag_t tag) {
  std::uint32_t count = 0;
  const void* data = nullptr;
  const bool has = TIFFGetField(file.tiff(), tag, &count, &data) == 1 && data != nullptr;
  return has ? ByteSpan{static_cast<const std::byte*>(data), count} : ByteSpan{};
}

std::optional<PixelDensity> density_of(const TiffFile& file) {
  float x = 0;
  float y = 0;
  if (TIFFGetField(file.tiff(), TIFFTAG_XRESOLUTION, &x) != 1 ||
      TIFFGetField(file.tiff(), TIFFTAG_YRESOLUTION, &y) != 1) {
    return std::nullopt;
  }
  constexpr float kMax = 1e6F;
  const auto unit = file.number<std::uint16_t>(TIFFTAG_RESOLUTIONUNIT, RESUNIT_INCH);
  if (!(x >= 1 && x <= kMax && y >= 1 && y <= kMax) || unit == RESUNIT_NONE) {
    return std::nullopt;
  }
  return PixelDensity{static_cast<std::uint32_t>(std::lround(x)), static_cast<std::uint32_t>(std::lround(y)),
                      unit == RESUNIT_CENTIMETER ? DensityUnit::centimeter : DensityUnit::inch};
}

/// True for a description that programs write for themselves: it tells of the dimensions of this file's data.
bool is_for_programs(const ExifEntry& entry) {
  const std::string_view text(reinterpret_cast<const char*>(entry.value.data()), entry.value.size());
  return entry.tag == TIFFTAG_IMAGEDESCRIPTION &&
         (text.starts_with("ImageJ=") || text.starts_with('<') || text.starts_with('{'));
}

/// The directories of EXIF and GPS, and the texts of this one.
void read_exif(const TiffFile& file, Metadata& metadata, std::vector<std::string>& details) {
  const auto orientation = file.number<std::uint16_t>(TIFFTAG_ORIENTATION, ORIENTATION_TOPLEFT);
  std::optional<ExifDirectories> directories = read_exif_directories(file.content(), TIFFCurrentDirOffset(file.tiff()));
  if (!directories) {
    details.emplace_back("its EXIF data are damaged and are left out");
    directories.emplace();
  }
  if (std::erase_if(directories->image, is_for_programs) > 0) {
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

/// IPTC data are in a tag of their own, or in Photoshop's. Programs store them as bytes, or as numbers of 32 bits,
/// which some swap.
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

/// Leaves what TIFF can hold, or of damaged data the orientation.
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
  constexpr std::string_view kMoved = "what it refers to has another place in TIFF";
  if (directories->has_maker_note) {
    filter.say("the maker note", kMoved);
  }
  if (directories->has_next) {
    filter.say("the EXIF thumbnail", "TIFF would take it for a page");
  }
  if (directories->has_other_tags) {
    filter.say("other tags of the EXIF data", "gpuimg does not write them to TIFF");
  }
  exif = exif_data(*directories, orientation);
}

/// In the tag's type: bytes, in older libtiff numbers of 32 bits.
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
  if (metadata.density && metadata.density->unit != DensityUnit::none) {
    const bool is_metric = metadata.density->unit != DensityUnit::inch;
    const double scale = metadata.density->unit == DensityUnit::meter ? 0.01 : 1;
    TIFFSetField(tiff, TIFFTAG_XRESOLUTION, metadata.density->x * scale);
    TIFFSetField(tiff, TIFFTAG_YRESOLUTION, metadata.density->y * scale);
    TIFFSetField(tiff, TIFFTAG_RESOLUTIONUNIT, is_metric ? RESUNIT_CENTIMETER : RESUNIT_INCH);
  }
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
