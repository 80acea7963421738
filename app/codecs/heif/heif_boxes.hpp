// What the boxes of a HEIF file declare, read without libheif: libheif would decode what remains of a truncated file,
// and AV1 decoders trust the sizes in their data. Also how the images are cropped and turned, and which one is alpha.
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

/// True if the box of brands at the beginning names one of HEIF.
bool has_heif_brand(ByteSpan file);

/// Which part of a coded image is shown, and how it is turned: the combined effect of rotations, mirrorings and crops.
struct Framing {
  std::uint64_t left = 0;  ///< of the part, in the coded image
  std::uint64_t top = 0;
  std::uint64_t width = 0;
  std::uint64_t height = 0;
  bool mirrors_x = false;  ///< applied first, left to right; then mirrors_y, top to bottom; then transposes
  bool mirrors_y = false;
  bool transposes = false;

  [[nodiscard]] std::uint64_t shown_width() const { return transposes ? height : width; }
  [[nodiscard]] std::uint64_t shown_height() const { return transposes ? width : height; }
  /// The EXIF orientation that turns the part likewise.
  [[nodiscard]] int orientation() const;

  bool operator==(const Framing&) const = default;
};

struct ItemProperty {
  std::string_view type;  ///< 4 letters; this and the following are parts of the file
  ByteSpan content;
  ByteSpan link;  ///< gives the property to the item
};

/// What a header in AV1 data declares. AV1 decoders use it, whatever the boxes say.
struct Av1Sequence {
  std::uint64_t width = 0;
  std::uint64_t height = 0;
  bool is_gray = false;
  bool is_full_range = true;  ///< the levels use all values
};

struct HeifItem {
  std::string_view type;                 ///< 4 letters: "av01"
  std::vector<ItemProperty> properties;  ///< in the order in which they apply
  std::vector<Av1Sequence> sequences;    ///< the first and the largest further one in its AV1 data

  /// Null if there is none.
  [[nodiscard]] const ItemProperty* property(std::string_view type) const;
  /// The framing, if the item's coded image has this size. Returns nullopt if a crop is invalid or leaves nothing.
  [[nodiscard]] std::optional<Framing> framing(std::uint64_t width, std::uint64_t height) const;
};

struct ItemReference {
  std::string_view type;  ///< 4 letters: "auxl"
  std::uint64_t from = 0;
  std::vector<std::uint64_t> to;
};

/// The items of a file that its boxes describe. It refers to the file's bytes.
struct HeifItems {
  std::uint64_t primary = 0;
  std::map<std::uint64_t, HeifItem> items;
  std::vector<ItemReference> references;
  bool share_too_much = false;  ///< so many items share data that reading all would take long; some are not read

  [[nodiscard]] const HeifItem& item(std::uint64_t id) const;  ///< empty if there is none
  /// The item that is the alpha of the primary one; 0 if there is none.
  [[nodiscard]] std::uint64_t alpha() const;
  /// An item and all items that its image is made of, such as the tiles of a grid.
  [[nodiscard]] std::set<std::uint64_t> parts_of(std::uint64_t id) const;
  /// True if an image has one channel, or is a grid of such.
  [[nodiscard]] bool is_gray(std::uint64_t id) const;
  /// What a gray image or its parts declare by numbers (nclx): true if all levels are used, false if only those from 16
  /// to 235 (of 8 bits) are, as in video.
  [[nodiscard]] std::optional<bool> declared_full_range(std::uint64_t id) const;
  /// The same, from AV1 data; true for other data.
  [[nodiscard]] bool is_coded_full_range(std::uint64_t id) const;
};

HeifItems items_of(ByteSpan file);

/// The properties that crop and turn.
bool is_transformation(const ItemProperty& property);

/// A feature of a sound file that an older libheif does not know, such as "HEIF in the compact form of a mini box";
/// empty if none is found.
std::string uncommon_kind(ByteSpan file);

}  // namespace gpuimg::codecs::heif
