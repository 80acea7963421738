// Chunks are taken as they are if they are what they claim to be. Writing puts all chunks in the order of the standard.
#include "codecs/webp/webp_metadata.hpp"

#include <fmt/format.h>

#include <array>
#include <string_view>

#include "codecs/joined_bytes.hpp"
#include "codecs/metadata/exif_orientation.hpp"
#include "codecs/metadata/icc_profile.hpp"
#include "codecs/metadata/metadata_filter.hpp"
#include "codecs/metadata/xmp_packet.hpp"

namespace gpuimg::codecs {
namespace {

constexpr std::size_t kRiffHeader = 12;

std::vector<std::byte> copy_of_bytes(ByteSpan bytes) { return {bytes.begin(), bytes.end()}; }

/// Without the mark that EXIF data have in JPEG, and wrongly in some WebP.
ByteSpan without_mark(ByteSpan exif) {
  constexpr std::string_view kMark("Exif\0\0", 6);
  const std::string_view text(reinterpret_cast<const char*>(exif.data()), exif.size());
  return text.starts_with(kMark) ? exif.subspan(kMark.size()) : exif;
}

std::array<std::byte, 4> u32le(std::uint32_t value) {
  return {static_cast<std::byte>(value), static_cast<std::byte>(value >> 8), static_cast<std::byte>(value >> 16),
          static_cast<std::byte>(value >> 24)};
}

void add(std::vector<std::byte>& to, ByteSpan bytes) { to.insert(to.end(), bytes.begin(), bytes.end()); }

void add_chunk(std::vector<std::byte>& to, std::string_view type, ByteSpan payload) {
  if (payload.empty()) {
    return;
  }
  add(to, letters(type));
  add(to, u32le(static_cast<std::uint32_t>(payload.size())));
  add(to, payload);
  if (payload.size() % 2 == 1) {
    to.push_back(std::byte{0});
  }
}

/// VP8X: which chunks there are, and the size of the canvas.
std::array<std::byte, 10> extended_header(const WebpFile& file, const Metadata& metadata) {
  const std::uint32_t flags = (metadata.icc.empty() ? 0U : 0x20U) | (file.frame.has_alpha ? 0x10U : 0U) |
                              (metadata.exif.empty() ? 0U : 0x08U) | (metadata.xmp.empty() ? 0U : 0x04U);
  std::array<std::byte, 10> header{static_cast<std::byte>(flags)};
  for (std::size_t i = 0; i < 3; ++i) {
    header[4 + i] = static_cast<std::byte>((file.width - 1) >> (8 * i));
    header[7 + i] = static_cast<std::byte>((file.height - 1) >> (8 * i));
  }
  return header;
}

}  // namespace

Metadata read_webp_metadata(const WebpFile& file, std::vector<std::string>& details) {
  Metadata metadata;
  metadata.icc = copy_of_bytes(icc_profile_in(file.icc));
  if (metadata.icc.empty() && !file.icc.empty()) {
    details.emplace_back("its ICC profile is damaged and is left out");
  }
  if (const ByteSpan exif = without_mark(file.exif); is_exif(exif)) {
    metadata.exif = copy_of_bytes(exif);
  } else if (!file.exif.empty()) {
    details.emplace_back("its EXIF data are damaged and are left out");
  }
  if (is_xmp(file.xmp)) {
    metadata.xmp = copy_of_bytes(file.xmp);
  } else if (!file.xmp.empty()) {
    details.emplace_back("its XMP is damaged and is left out");
  }
  if (file.has_damaged_end) {
    details.emplace_back("a chunk after its image is damaged; what follows is left out");
  }
  for (const std::string& type : file.other_chunks) {
    metadata.not_kept.push_back(fmt::format("the {} chunk", type));
  }
  return metadata;
}

void fit_webp_metadata(Metadata& metadata, MetadataFilter& filter) {
  constexpr std::string_view kNoPlace = "WebP has no place for it";
  if (!metadata.icc.empty() && icc_color_space(metadata.icc) == kIccGray) {
    filter.drop(metadata.icc, "the ICC profile", "it is for gray, which WebP stores as RGB");
  }
  if (!metadata.xmp_extension.empty()) {
    blank_xmp_extension(metadata.xmp);
  }
  filter.drop(metadata.xmp_extension, "the extended XMP", kNoPlace);
  filter.drop(metadata.density, "the pixel density", kNoPlace);
  filter.drop(metadata.iptc, "the IPTC data", kNoPlace);
  filter.drop_png_chunks(metadata, kNoPlace);
}

void write_with_metadata(ByteSpan encoded, const Metadata& metadata, const ByteSink& sink) {
  if (metadata.icc.empty() && metadata.exif.empty() && metadata.xmp.empty()) {
    return sink(encoded);
  }
  const WebpFile file = whole_webp(encoded, "output");
  const ByteSpan image = file.frame.data;
  std::vector<std::byte> front = copy_of_bytes(encoded.first(kRiffHeader));
  add_chunk(front, "VP8X", extended_header(file, metadata));
  add_chunk(front, "ICCP", metadata.icc);
  std::vector<std::byte> back(image.size() % 2);
  add_chunk(back, "EXIF", metadata.exif);
  add_chunk(back, "XMP ", metadata.xmp);
  const auto size = u32le(static_cast<std::uint32_t>(front.size() + image.size() + back.size() - 8));
  std::copy(size.begin(), size.end(), front.begin() + 4);
  sink(front);
  sink(image);
  sink(back);
}

}  // namespace gpuimg::codecs
