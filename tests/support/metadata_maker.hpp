// Metadata of every kind, and images written with it.
#pragma once

#include <string>

#include "codecs/image_writer.hpp"
#include "codecs/metadata/metadata.hpp"
#include "support/icc_maker.hpp"
#include "support/jpeg_maker.hpp"

namespace gpuimg::test {

inline bool is_color(PixelFormat format) { return format.color_channels() == 3; }

/// XMP with a title of `size` bytes.
inline FileBytes xmp_packet(std::size_t size = 5) {
  std::string text = "<x:xmpmeta><rdf:Description tiff:Orientation=\"1\" dc:title=\"";
  text.append(size, 't');
  text += "\"/></x:xmpmeta>";
  return bytes_of(text);
}

/// Two datasets: a keyword and an author (by-line).
inline FileBytes iptc_data() { return bytes_of(std::string_view("\x1C\2\x19\0\5alpha\x1C\2\x50\0\4Anna", 19)); }

/// A color profile and every other kind of metadata.
inline codecs::Metadata full_metadata(PixelFormat format, std::size_t icc_size = 0) {
  codecs::Metadata metadata;
  metadata.icc = make_icc({.color_space = is_color(format) ? "RGB " : "GRAY", .size = icc_size});
  metadata.exif = exif_with(1, true);
  metadata.cicp = {std::byte{9}, std::byte{16}, std::byte{0}, std::byte{1}};
  metadata.gama = 55555;
  metadata.chrm = {1, 5, 3, 4, 5, 6, 70000, 30000};
  metadata.density = codecs::PixelDensity{11811, 2835, codecs::DensityUnit::meter};
  metadata.xmp = xmp_packet();
  metadata.iptc = iptc_data();
  return metadata;
}

/// EXIF data with text and numbers of several types; GPS, a maker note and a link to a thumbnail are optional.
struct ExifChoices {
  bool is_big_endian = false;
  int orientation = 1;
  bool has_maker_note = false;
  bool has_thumbnail = false;
};
FileBytes rich_exif(const ExifChoices& choices = {});

/// Writes an image as save_image does.
inline FileBytes written(const Image& image, codecs::FileFormat type, const codecs::Metadata& metadata) {
  codecs::WriteOptions options;
  options.metadata = codecs::carried_metadata(metadata, type, image.format()).metadata;
  return codecs::encode_image(image.view(), type, "t", options);
}

}  // namespace gpuimg::test
