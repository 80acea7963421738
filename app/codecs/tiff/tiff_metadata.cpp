// Tags with bytes are taken as they are if they are what they claim to be.
#include "codecs/tiff/tiff_metadata.hpp"

#include <cmath>
#include <string_view>

#include "codecs/joined_bytes.hpp"
#include "codecs/metadata/exif_orientation.hpp"
#include "codecs/metadata/icc_profile.hpp"
#include "codecs/metadata/metadata_filter.hpp"
#include "codecs/metadata/xmp_packet.hpp"

namespace gpuimg::codecs {
namespace {

std::vector<std::byte> copy_of_bytes(ByteSpan bytes) { return {bytes.begin(), bytes.end()}; }

/// EXIF data of one tag.
std::vector<std::byte> exif_with_orientation(std::uint32_t orientation) {
  constexpr std::string_view kBeforeValue("MM\0*\0\0\0\x08\0\1\x01\x12\0\3\0\0\0\1", 18);
  return joined({letters(kBeforeValue), u32be(orientation << 16), u32be(0)});
}

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
  const auto orientation = file.number<std::uint16_t>(TIFFTAG_ORIENTATION, ORIENTATION_TOPLEFT);
  if (orientation > 1 && orientation <= 8) {
    metadata.exif = exif_with_orientation(orientation);
  }
  metadata.density = density_of(file);
  toff_t exif_directory = 0;
  if (TIFFGetField(file.tiff(), TIFFTAG_EXIFIFD, &exif_directory) == 1) {
    metadata.not_kept.emplace_back("the EXIF directory");
  }
  return metadata;
}

void write_tiff_metadata(TIFF* tiff, const Metadata& metadata) {
  const auto set_bytes = [&](ttag_t tag, const std::vector<std::byte>& bytes) {
    if (!bytes.empty()) {
      TIFFSetField(tiff, tag, static_cast<std::uint32_t>(bytes.size()), bytes.data());
    }
  };
  set_bytes(TIFFTAG_ICCPROFILE, metadata.icc);
  set_bytes(TIFFTAG_XMLPACKET, metadata.xmp);
  TIFFSetField(tiff, TIFFTAG_ORIENTATION, exif_orientation(metadata.exif));
  if (metadata.density && metadata.density->unit != DensityUnit::none) {
    const bool is_metric = metadata.density->unit != DensityUnit::inch;
    const double scale = metadata.density->unit == DensityUnit::meter ? 0.01 : 1;
    TIFFSetField(tiff, TIFFTAG_XRESOLUTION, metadata.density->x * scale);
    TIFFSetField(tiff, TIFFTAG_YRESOLUTION, metadata.density->y * scale);
    TIFFSetField(tiff, TIFFTAG_RESOLUTIONUNIT, is_metric ? RESUNIT_CENTIMETER : RESUNIT_INCH);
  }
}

void fit_tiff_metadata(Metadata& metadata, MetadataFilter& filter) {
  const int orientation = exif_orientation(metadata.exif);
  const std::vector<std::byte> kept = exif_with_orientation(static_cast<std::uint32_t>(orientation));
  if (metadata.exif != kept) {
    filter.drop(metadata.exif, "the EXIF data", "gpuimg writes only its orientation to TIFF");
  }
  metadata.exif = orientation != 1 ? kept : std::vector<std::byte>{};
  if (!metadata.xmp_extension.empty()) {
    blank_xmp_extension(metadata.xmp);
  }
  filter.drop(metadata.xmp_extension, "the extended XMP", "TIFF has no place for it");
  filter.drop(metadata.iptc, "the IPTC data", "gpuimg does not write it to TIFF");
  filter.drop_png_chunks(metadata, "TIFF has no place for it");
}

}  // namespace gpuimg::codecs
