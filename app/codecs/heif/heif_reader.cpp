// The entry points of HEIF: declarations, metadata, and the checks before libheif decodes. Metadata items are copied
// unchanged, but only if their content has the expected format. ISO/IEC 23008-12, annex A, for EXIF.
#include "codecs/formats.hpp"

#include <fmt/format.h>
#include <libheif/heif.h>

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "codecs/byte_fields.hpp"
#include "codecs/heif/heif_boxes.hpp"
#include "codecs/heif/heif_file.hpp"
#include "codecs/heif/libheif.hpp"
#include "codecs/metadata/exif.hpp"
#include "codecs/metadata/icc.hpp"
#include "codecs/metadata/metadata.hpp"
#include "codecs/metadata/xmp.hpp"
#include "codecs/rejections.hpp"
#include "text/printable_name.hpp"

namespace gpuimg::codecs::heif {
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

/// The color space that the file declares by numbers (nclx), unless it is sRGB or unspecified. The decoded pixels are
/// full-range RGB.
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

/// Returns an empty vector if the item cannot be read.
std::vector<std::byte> item_bytes(const HeifFile& file, heif_item_id id) {
  const std::size_t size = file.library().image_handle_get_metadata_size(file.image(), id);
  std::vector<std::byte> bytes(size <= kMaxItemBytes ? size : 0);
  if (!bytes.empty() &&
      file.library().image_handle_get_metadata(file.image(), id, bytes.data()).code != heif_error_Ok) {
    bytes.clear();
  }
  return bytes;
}

/// The EXIF data in an item. A number at the beginning of the item gives the offset of the TIFF structure.
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
      details.emplace_back("its EXIF data is damaged and is left out");
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

/// The metadata of the primary image. A color space declared by numbers becomes cICP. Adds a clause to `details` for
/// each damaged part.
Metadata read_metadata(const HeifFile& file, std::vector<std::string>& details) {
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

/// Limits sizes, because otherwise a few bytes could require any amount of memory: equal blocks take few bits, and
/// cropping or false boxes can hide most of an image.
void check_sizes(const HeifFile& file, const ReadOptions& options) {
  constexpr std::uint64_t kMaxPixelsPerByte = 1024;  // WebP has the same limit
  check_size(file.name(), file.width(), file.height(), options.max_pixels);
  allow_sparse_hevc(options.max_sparse_pixels);
  const auto check_coded = [&](std::uint64_t width, std::uint64_t height) {
    check_size(file.name(), width, height, options.max_pixels);
    check_coverage(file.name(), width * height, kMaxPixelsPerByte * file.bytes().size(), options);
  };
  for (const auto& [id, item] : file.items().items) {
    for (const Av1Sequence& sequence : item.sequences) {
      check_coded(sequence.width, sequence.height);
    }
  }
  check_coded(file.coded_width(), file.coded_height());
}

void add_notes(const HeifFile& file, std::vector<std::string>& notes) {
  if (file.images() > 1) {
    notes.emplace_back(fmt::format("HEIF of {} images: primary image only", file.images()));
  } else if (file.is_sequence()) {
    notes.emplace_back("HEIF sequence: primary image only");
  }
  if (file.is_premultiplied()) {
    notes.emplace_back("HEIF: its colors are stored multiplied by alpha; they are divided by it");
  }
  if (!file.lost_alpha().empty()) {
    notes.emplace_back("HEIF: " + file.lost_alpha());
  }
}

}  // namespace

bool looks_like_heif(ByteSpan bytes, std::string_view /*name*/) {
  constexpr std::size_t kSignatureEnd = 12;
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()), std::min(bytes.size(), kSignatureEnd));
  const bool is_cut = text.size() >= 8 && text.size() < kSignatureEnd && text.substr(4).starts_with("ftyp");
  return is_cut || has_heif_brand(bytes);
}

DecodedImage read_heif(ByteSpan bytes, const std::string& name, const ReadOptions& options) {
  const HeifFile file(bytes, name);
  check_sizes(file, options);
  DecodedImage decoded;
  decoded.is_upright = true;
  decoded.scaled_from = file.scaled_from();
  decoded.metadata = read_metadata(file, decoded.details);
  decoded.image = decoded_image(file, options);
  add_notes(file, decoded.notes);
  return decoded;
}

DeclaredImage declared_heif(ByteSpan beginning, const std::string& name) {
  const HeifFile file(beginning, name);
  DeclaredImage declared;
  declared.width = file.width();
  declared.height = file.height();
  declared.is_upright = true;
  declared.color = file.items().is_gray(file.items().primary) ? "gray" : "YCbCr";
  declared.bits = file.bits();
  declared.decoded = file.format();
  declared.scaled_from = file.scaled_from();
  declared.bytes_per_pixel = declared.decoded.bytes_per_pixel();
  declared.decoder_bytes_per_pixel = 3 * declared.bytes_per_pixel;  // as coded, converted, and rotated
  declared.facts = {{"brand", std::string(file.brand())}, {"images", static_cast<std::uint64_t>(file.images())}};
  return declared;
}

Metadata heif_header_metadata(ByteSpan beginning, const std::string& name, std::vector<std::string>& details) {
  return read_metadata(HeifFile(beginning, name), details);
}

}  // namespace gpuimg::codecs::heif
