// Items are taken as they are if they are what they claim to be. ISO/IEC 23008-12, annex A, for EXIF.
#include "codecs/heif/heif_metadata.hpp"

#include <fmt/format.h>

#include <array>
#include <optional>
#include <string_view>

#include "codecs/metadata/exif.hpp"
#include "codecs/metadata/icc.hpp"
#include "codecs/metadata/xmp.hpp"
#include "text/printable_name.hpp"

namespace gpuimg::codecs {
namespace {

constexpr std::size_t kMaxItemBytes = std::size_t{64} << 20;

std::vector<std::byte> icc_of(const HeifFile& file, std::vector<std::string>& details) {
  const std::size_t size = file.library().image_handle_get_raw_color_profile_size(file.image());
  if (size == 0 || size > kMaxItemBytes) {
    return {};
  }
  std::vector<std::byte> profile(size);
  const heif_error error = file.library().image_handle_get_raw_color_profile(file.image(), profile.data());
  const ByteSpan icc = error.code == heif_error_Ok ? icc_profile_in(profile) : ByteSpan{};
  if (icc.empty()) {
    details.emplace_back("its ICC profile is damaged and is left out");
  }
  return {icc.begin(), icc.end()};
}

/// Colors declared by numbers (nclx), unless they are those of sRGB or unspecified. The pixels are full-range RGB.
std::optional<std::array<std::byte, 4>> cicp_of(const HeifFile& file) {
  constexpr int kSrgbPrimaries = 1;
  constexpr int kSrgbTransfer = 13;
  constexpr int kUnspecified = 2;
  heif_color_profile_nclx* nclx = nullptr;
  const heif_error error = file.library().image_handle_get_nclx_color_profile(file.image(), &nclx);
  const HeifOwner<heif_color_profile_nclx> owner(nclx);
  if (error.code != heif_error_Ok || nclx == nullptr) {
    return std::nullopt;
  }
  const int primaries = nclx->color_primaries;
  const int transfer = nclx->transfer_characteristics;
  const bool is_known = primaries > 0 && primaries < 256 && transfer > 0 && transfer < 256 &&
                        primaries != kUnspecified && transfer != kUnspecified;
  if (!is_known || (primaries == kSrgbPrimaries && transfer == kSrgbTransfer)) {
    return std::nullopt;
  }
  return std::array{static_cast<std::byte>(primaries), static_cast<std::byte>(transfer), std::byte{0}, std::byte{1}};
}

/// Empty if it cannot be read.
std::vector<std::byte> item_bytes(const HeifFile& file, heif_item_id id) {
  const std::size_t size = file.library().image_handle_get_metadata_size(file.image(), id);
  std::vector<std::byte> bytes(size <= kMaxItemBytes ? size : 0);
  if (!bytes.empty() &&
      file.library().image_handle_get_metadata(file.image(), id, bytes.data()).code != heif_error_Ok) {
    bytes.clear();
  }
  return bytes;
}

/// After a number that says where the TIFF structure begins.
ByteSpan exif_in(ByteSpan item) {
  constexpr std::size_t kNumber = 4;
  const std::size_t begin = item.size() >= kNumber ? kNumber + u32be_at(item, 0) : item.size();
  const ByteSpan exif = begin < item.size() ? item.subspan(begin) : ByteSpan{};
  return is_exif(exif) ? exif : ByteSpan{};
}

void take_item(const HeifFile& file, heif_item_id id, Metadata& metadata, std::vector<std::string>& details) {
  const auto text = [](const char* from) { return std::string_view(from != nullptr ? from : ""); };
  const std::string_view type = text(file.library().image_handle_get_metadata_type(file.image(), id));
  const std::string_view content = text(file.library().image_handle_get_metadata_content_type(file.image(), id));
  const bool is_packet = type == "mime" && content == "application/rdf+xml";
  if (type == "Exif" && metadata.exif.empty()) {
    const std::vector<std::byte> item = item_bytes(file, id);
    const ByteSpan exif = exif_in(item);
    metadata.exif.assign(exif.begin(), exif.end());
    if (exif.empty()) {
      details.emplace_back("its EXIF data are damaged and are left out");
    }
  } else if (is_packet && metadata.xmp.empty()) {
    metadata.xmp = item_bytes(file, id);
    if (!is_xmp(metadata.xmp)) {
      metadata.xmp.clear();
      details.emplace_back("its XMP is damaged and is left out");
    }
  } else {
    metadata.not_kept.push_back(fmt::format("the {} item", printable_name(type)));
  }
}

}  // namespace

Metadata read_heif_metadata(const HeifFile& file, std::vector<std::string>& details) {
  Metadata metadata;
  metadata.icc = icc_of(file, details);
  if (metadata.icc.empty()) {
    metadata.cicp = cicp_of(file);
  }
  constexpr int kMaxItems = 16;
  heif_item_id ids[kMaxItems] = {};
  const int count = file.library().image_handle_get_list_of_metadata_block_IDs(file.image(), nullptr, ids, kMaxItems);
  for (int i = 0; i < count; ++i) {
    take_item(file, ids[i], metadata, details);
  }
  return metadata;
}

}  // namespace gpuimg::codecs
