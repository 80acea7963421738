// Reads the boxes of a HEIF file without libheif, because libheif would decode the remains of a truncated file, and AV1
// decoders trust the sizes in their data. Finds out how the images are cropped and rotated, and which image is the
// alpha channel.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "codecs/byte_fields.hpp"

namespace gpuimg::codecs::heif {

/// Throws TruncatedFile if a box extends past the end of the file, and Error{decode} if a box has an impossible size.
/// `name` is printable.
void check_boxes(ByteSpan file, const std::string& name);

/// True if the box of brands at the beginning names a HEIF brand.
bool has_heif_brand(ByteSpan file);

/// The visible part of a coded image, and its orientation: the combined effect of rotations, mirrorings and crops.
struct Framing {
  std::uint64_t left = 0;  ///< position of the part in the coded image
  std::uint64_t top = 0;
  std::uint64_t width = 0;
  std::uint64_t height = 0;
  bool mirrors_x = false;  ///< applied first, left to right; then mirrors_y, top to bottom; then transposes
  bool mirrors_y = false;
  bool transposes = false;

  [[nodiscard]] std::uint64_t shown_width() const { return transposes ? height : width; }
  [[nodiscard]] std::uint64_t shown_height() const { return transposes ? width : height; }
  /// The EXIF orientation with the same effect on the part.
  [[nodiscard]] int orientation() const;

  bool operator==(const Framing&) const = default;
};

struct ItemProperty {
  std::string_view type;  ///< 4 letters; like the next members, it refers to bytes of the file
  ByteSpan content;
  ByteSpan link;  ///< the bytes that assign the property to the item
};

/// The header in AV1 data. AV1 decoders use its values, even if the boxes state others.
struct Av1Sequence {
  std::uint64_t width = 0;
  std::uint64_t height = 0;
  bool is_gray = false;
  bool is_full_range = true;  ///< the levels use the full range
};

struct HeifItem {
  std::string_view type;                 ///< 4 letters: "av01"
  std::vector<ItemProperty> properties;  ///< in the order in which they apply
  std::vector<Av1Sequence> sequences;    ///< the first in the AV1 data, and the largest later one

  /// Returns null if the item does not have the property.
  [[nodiscard]] const ItemProperty* property(std::string_view type) const;
  /// The framing, for a coded image of this size. Returns nullopt if a crop is invalid or leaves no pixels.
  [[nodiscard]] std::optional<Framing> framing(std::uint64_t width, std::uint64_t height) const;
};

struct ItemReference {
  std::string_view type;  ///< 4 letters: "auxl"
  std::uint64_t from = 0;
  std::vector<std::uint64_t> to;
};

/// The items that the boxes of a file describe. Refers to the file's bytes.
struct HeifItems {
  std::uint64_t primary = 0;
  std::map<std::uint64_t, HeifItem> items;
  std::vector<ItemReference> references;
  bool share_too_much = false;  ///< items share so much data that reading all would take long; some are not read

  [[nodiscard]] const HeifItem& item(std::uint64_t id) const;  ///< empty if it does not exist
  /// The item with the alpha channel of the primary item; 0 if there is none.
  [[nodiscard]] std::uint64_t alpha() const;
  /// The item itself and all items from which its image is assembled, such as the tiles of a grid.
  [[nodiscard]] std::set<std::uint64_t> parts_of(std::uint64_t id) const;
  /// True if an image has one channel, or is a grid of such images.
  [[nodiscard]] bool is_gray(std::uint64_t id) const;
  /// The range that a gray image or its parts declare by numbers (nclx): true for the full range of levels, false for
  /// levels 16 to 235 (of 8 bits), as in video.
  [[nodiscard]] std::optional<bool> declared_full_range(std::uint64_t id) const;
  /// The range that the AV1 data declares; true for other data.
  [[nodiscard]] bool is_coded_full_range(std::uint64_t id) const;
};

HeifItems items_of(ByteSpan file);

/// True for properties that crop, rotate or mirror.
bool is_transformation(const ItemProperty& property);

/// Names a feature of a valid file that an older libheif does not support, such as "HEIF in the compact form of a mini
/// box". Empty if the file has no such feature.
std::string uncommon_kind(ByteSpan file);

}  // namespace gpuimg::codecs::heif
