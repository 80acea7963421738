// Parses the box format: ISO/IEC 14496-12, 4.2 and 8.11. Parses headers of AV1 data: AV1 bitstream specification, 5.5.
#include "codecs/heif/heif_boxes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "codecs/rejections.hpp"
#include "text/printable_name.hpp"

namespace gpuimg::codecs::heif {
namespace {

std::uint64_t u64be_at(ByteSpan bytes, std::size_t offset) {
  return std::uint64_t{u32be_at(bytes, offset)} << 32 | u32be_at(bytes, offset + 4);
}

/// Reads big-endian numbers. Bits past the end read as 0.
class Bits {
 public:
  explicit Bits(ByteSpan bytes) : bytes_(bytes) {}

  std::uint64_t take(std::uint64_t count) {
    std::uint64_t value = 0;
    for (; count > 0 && at_ < 8 * bytes_.size(); --count, ++at_) {
      value = value << 1 | (u8_at(bytes_, at_ / 8) >> (7 - at_ % 8) & 1);
    }
    return count > 0 ? 0 : value;
  }
  std::uint64_t take_bytes(std::uint64_t count) { return take(8 * count); }
  bool take_flag() { return take(1) != 0; }

  /// Requires a position at a byte boundary.
  [[nodiscard]] ByteSpan rest() const { return bytes_.subspan(at_ / 8); }
  void skip_bytes(std::uint64_t count) {
    at_ += 8 * static_cast<std::size_t>(std::min<std::uint64_t>(count, rest().size()));
  }
  [[nodiscard]] bool is_at_end() const { return at_ >= 8 * bytes_.size(); }

 private:
  ByteSpan bytes_;
  std::size_t at_ = 0;  // position in bits
};

std::string_view text_of(ByteSpan bytes) { return {reinterpret_cast<const char*>(bytes.data()), bytes.size()}; }

/// Calls visit(type, content) for each box.
template <class Visit>
void visit_boxes(ByteSpan all, Visit visit) {
  for (Bits bits(all); !bits.is_at_end();) {
    constexpr std::uint64_t kHeader = 8;
    const ByteSpan header = bits.rest();
    const std::uint64_t short_size = bits.take_bytes(4);
    bits.skip_bytes(4);
    const std::uint64_t size = short_size == 1   ? bits.take_bytes(8) - kHeader
                               : short_size == 0 ? bits.rest().size() + kHeader
                                                 : short_size;
    const std::uint64_t content = std::min<std::uint64_t>(size >= kHeader ? size - kHeader : 0, bits.rest().size());
    if (header.size() >= kHeader) {
      visit(text_of(header.subspan(4, 4)), bits.rest().first(static_cast<std::size_t>(content)));
    }
    bits.skip_bytes(content);
  }
}

/// The contents of the boxes of one type.
std::vector<ByteSpan> boxes_of(std::string_view type, ByteSpan all) {
  std::vector<ByteSpan> found;
  visit_boxes(all, [&](std::string_view this_type, ByteSpan content) {
    if (this_type == type) {
      found.push_back(content);
    }
  });
  return found;
}

ByteSpan first_of(const std::vector<ByteSpan>& boxes) { return boxes.empty() ? ByteSpan{} : boxes.front(); }

/// The first box of this type inside the box that describes the items.
ByteSpan box_of_items(std::string_view type, ByteSpan file) {
  constexpr std::size_t kVersion = 4;
  const ByteSpan meta = first_of(boxes_of("meta", file));
  return first_of(boxes_of(type, meta.subspan(std::min(kVersion, meta.size()))));
}

/// Calls visit(item, type) for each item.
template <class Visit>
void visit_item_types(ByteSpan infos, Visit visit) {
  Bits bits(infos);
  const std::uint64_t version = bits.take_bytes(4) >> 24;
  bits.skip_bytes(version == 0 ? 2 : 4);
  for (const ByteSpan info : boxes_of("infe", bits.rest())) {
    Bits fields(info);
    const std::uint64_t number_bytes = fields.take_bytes(4) >> 24 >= 3 ? 4 : 2;
    const std::uint64_t number = fields.take_bytes(number_bytes);
    fields.skip_bytes(2);
    visit(number, text_of(fields.rest().first(std::min<std::size_t>(4, fields.rest().size()))));
  }
}

/// The location of an item's data: in the file, in the box idat, or in another item.
enum class DataPlace : std::uint8_t { file, inside, item };

/// Upper limit for the data of all items together. Items can share data, such as equal tiles of a grid; without a
/// limit, reading them all could take long.
std::uint64_t most_item_bytes(ByteSpan file) {
  constexpr std::uint64_t kOfSmallFiles = std::uint64_t{64} << 20;
  return kOfSmallFiles + 4 * std::uint64_t{file.size()};
}

/// Calls visit(item, place, data) for each item whose data is in the file; `data` is valid only during the call. Stops
/// and returns false when all items together exceed most_item_bytes().
template <class Visit>
bool visit_item_data(ByteSpan file, Visit visit) {
  const ByteSpan inside = box_of_items("idat", file);
  Bits bits(box_of_items("iloc", file));
  const std::uint64_t version = bits.take_bytes(4) >> 24;
  const std::uint64_t offset_bytes = bits.take(4);
  const std::uint64_t length_bytes = bits.take(4);
  const std::uint64_t base_bytes = bits.take(4);
  const std::uint64_t index_bytes = bits.take(4) * (version > 0 ? 1 : 0);
  const std::uint64_t number_bytes = version < 2 ? 2 : 4;
  std::vector<std::byte> data;
  std::uint64_t left_bytes = most_item_bytes(file);
  for (std::uint64_t left = bits.take_bytes(number_bytes); left > 0 && !bits.is_at_end(); --left) {
    const std::uint64_t number = bits.take_bytes(number_bytes);
    const auto place = static_cast<DataPlace>(version > 0 ? std::min<std::uint64_t>(bits.take_bytes(2) & 0xF, 2) : 0);
    const ByteSpan from = place == DataPlace::inside ? inside : file;
    bits.skip_bytes(2);
    const std::uint64_t base = bits.take_bytes(base_bytes);
    data.clear();
    ByteSpan whole_data;
    const std::uint64_t extents = bits.take_bytes(2);
    for (std::uint64_t extent = 0; extent < extents && !bits.is_at_end(); ++extent) {
      bits.skip_bytes(index_bytes);
      const std::uint64_t offset = std::min<std::uint64_t>(base + bits.take_bytes(offset_bytes), from.size());
      const std::uint64_t length = bits.take_bytes(length_bytes);
      const std::uint64_t rest = from.size() - offset;
      const ByteSpan part = from.subspan(static_cast<std::size_t>(offset),
                                         static_cast<std::size_t>(length == 0 ? rest : std::min(length, rest)));
      if (part.size() > left_bytes) {
        return false;
      }
      left_bytes -= part.size();
      if (extents == 1) {
        whole_data = part;
      } else if (data.size() + part.size() <= file.size()) {  // otherwise, overlapping extents could take any amount of
                                                              // memory
        data.insert(data.end(), part.begin(), part.end());
      }
    }
    visit(number, place, extents == 1 ? whole_data : ByteSpan(data));
  }
  return true;
}

// --- AV1 ------------------------------------------------------------------------------------------------------------

void skip_timing(Bits& bits) {
  bits.take(64);
  if (bits.take_flag()) {
    std::uint64_t zeros = 0;
    while (!bits.is_at_end() && !bits.take_flag()) {
      ++zeros;
    }
    bits.take(zeros);
  }
}

void skip_operating_points(Bits& bits) {
  std::uint64_t delay_bits = 0;
  const bool has_timing = bits.take_flag();
  if (has_timing) {
    skip_timing(bits);
  }
  const bool has_decoder_model = has_timing && bits.take_flag();
  if (has_decoder_model) {
    delay_bits = bits.take(5) + 1;
    bits.take(32 + 5 + 5);
  }
  const bool has_display_delay = bits.take_flag();
  for (std::uint64_t left = bits.take(5) + 1; left > 0; --left) {
    bits.take(12);
    constexpr std::uint64_t kLastWithoutTier = 7;
    if (bits.take(5) > kLastWithoutTier) {
      bits.take(1);
    }
    if (has_decoder_model && bits.take_flag()) {
      bits.take(delay_bits);
      bits.take(delay_bits);
      bits.take(1);
    }
    if (has_display_delay && bits.take_flag()) {
      bits.take(4);
    }
  }
}

void skip_tools(Bits& bits) {
  bits.take(4);  // compound prediction, warped motion, filters
  const bool has_order = bits.take_flag();
  bits.take(has_order ? 2 : 0);
  const bool chooses_screen_content = bits.take_flag();
  const bool may_have_screen_content = chooses_screen_content || bits.take_flag();
  if (may_have_screen_content && !bits.take_flag()) {
    bits.take(1);
  }
  bits.take(has_order ? 3 : 0);
}

void read_colors(Bits& bits, std::uint64_t profile, Av1Sequence& sequence) {
  constexpr std::uint64_t kIdentityOfSrgb = 0x010D00;  // primaries, transfer and matrix
  const bool is_deep = bits.take_flag();
  bits.take(profile == 2 && is_deep ? 1 : 0);
  sequence.is_gray = profile != 1 && bits.take_flag();
  const bool has_colors = bits.take_flag();
  const std::uint64_t colors = has_colors ? bits.take(24) : 0;
  sequence.is_full_range = (colors == kIdentityOfSrgb && !sequence.is_gray) || bits.take_flag();
}

Av1Sequence sequence_in(ByteSpan header) {
  Bits bits(header);
  const std::uint64_t profile = bits.take(3);
  bits.take(1);
  const bool is_reduced = bits.take_flag();
  if (is_reduced) {
    bits.take(5);
  } else {
    skip_operating_points(bits);
  }
  const std::uint64_t width_bits = bits.take(4) + 1;
  const std::uint64_t height_bits = bits.take(4) + 1;
  Av1Sequence sequence;
  sequence.width = bits.take(width_bits) + 1;
  sequence.height = bits.take(height_bits) + 1;
  if (!is_reduced && bits.take_flag()) {
    bits.take(4 + 3);
  }
  bits.take(3);  // large blocks, filters
  if (!is_reduced) {
    skip_tools(bits);
  }
  bits.take(3);  // filters
  read_colors(bits, profile, sequence);
  return sequence;
}

/// Keeps the first sequence, and the largest of the later ones.
void add_sequence(const Av1Sequence& sequence, std::vector<Av1Sequence>& sequences) {
  const auto pixels = [](const Av1Sequence& of) { return of.width * of.height; };
  if (sequences.size() < 2) {
    sequences.push_back(sequence);
  } else if (pixels(sequence) > pixels(sequences.back())) {
    sequences.back() = sequence;
  }
}

void add_sequences(ByteSpan data, std::vector<Av1Sequence>& sequences) {
  constexpr std::uint64_t kSequenceHeader = 1;
  for (Bits bits(data); !bits.is_at_end();) {
    bits.take(1);
    const std::uint64_t type = bits.take(4);
    const bool is_extended = bits.take_flag();
    const bool has_size = bits.take_flag();
    bits.take(1);
    bits.skip_bytes(is_extended ? 1 : 0);
    std::uint64_t size = has_size ? 0 : bits.rest().size();
    for (int shift = 0; has_size && shift < 56; shift += 7) {
      const std::uint64_t part = bits.take_bytes(1);
      size |= (part & 0x7F) << shift;
      if (part < 0x80) {
        break;
      }
    }
    size = std::min<std::uint64_t>(size, bits.rest().size());
    if (type == kSequenceHeader) {
      add_sequence(sequence_in(bits.rest().first(static_cast<std::size_t>(size))), sequences);
    }
    bits.skip_bytes(size);
  }
}

// --- Items ----------------------------------------------------------------------------------------------------------

void add_properties(ByteSpan file, HeifItems& to) {
  const ByteSpan box = box_of_items("iprp", file);
  std::vector<ItemProperty> all;
  visit_boxes(first_of(boxes_of("ipco", box)), [&](std::string_view type, ByteSpan content) {
    all.push_back({type, content, {}});
  });
  for (const ByteSpan links : boxes_of("ipma", box)) {
    Bits bits(links);
    const std::uint64_t header = bits.take_bytes(4);
    const std::uint64_t number_bytes = header >> 24 == 0 ? 2 : 4;
    const std::size_t link_bytes = (header & 1) == 0 ? 1 : 2;
    for (std::uint64_t left = bits.take_bytes(4); left > 0 && !bits.is_at_end(); --left) {
      HeifItem& item = to.items[bits.take_bytes(number_bytes)];
      for (std::uint64_t count = bits.take_bytes(1); count > 0 && bits.rest().size() >= link_bytes; --count) {
        const ByteSpan link = bits.rest().first(link_bytes);
        bits.take(1);  // whether the property is essential
        const std::uint64_t index = bits.take(8 * link_bytes - 1);
        if (index > 0 && index <= all.size()) {
          item.properties.push_back({all[index - 1].type, all[index - 1].content, link});
        }
      }
    }
  }
}

void add_references(ByteSpan box, HeifItems& to) {
  Bits bits(box);
  const std::uint64_t number_bytes = bits.take_bytes(4) >> 24 == 0 ? 2 : 4;
  visit_boxes(bits.rest(), [&](std::string_view type, ByteSpan content) {
    Bits numbers(content);
    ItemReference reference{type, numbers.take_bytes(number_bytes), {}};
    for (std::uint64_t left = numbers.take_bytes(2); left > 0 && !numbers.is_at_end(); --left) {
      reference.to.push_back(numbers.take_bytes(number_bytes));
    }
    to.references.push_back(std::move(reference));
  });
}

bool is_alpha(const HeifItem& item) {
  const ItemProperty* kind = item.property("auxC");
  constexpr std::size_t kVersion = 4;
  if (kind == nullptr || kind->content.size() < kVersion) {
    return false;
  }
  const std::string_view text = text_of(kind->content.subspan(kVersion));
  const std::string_view name = text.substr(0, text.find('\0'));
  return name == "urn:mpeg:mpegB:cicp:systems:auxiliary:alpha" || name == "urn:mpeg:hevc:2015:auxid:1" ||
         name == "urn:mpeg:avc:2015:auxid:1";
}

/// True if the item is coded with one channel.
bool is_coded_gray(const HeifItem& item) {
  const ItemProperty* hevc = item.type == "hvc1" ? item.property("hvcC") : nullptr;
  constexpr std::size_t kChroma = 16;
  const bool is_gray_hevc =
      hevc != nullptr && hevc->content.size() > kChroma && (u8_at(hevc->content, kChroma) & 3) == 0;
  return is_gray_hevc || (!item.sequences.empty() && item.sequences.front().is_gray);
}

/// The range that the item's own color numbers (nclx) declare; nullopt if it has none.
std::optional<bool> full_range_of(const HeifItem& item) {
  constexpr std::size_t kFlag = 10;
  for (const ItemProperty& property : item.properties) {
    if (property.type == "colr" && property.content.size() > kFlag && text_of(property.content.first(4)) == "nclx") {
      return u8_at(property.content, kFlag) >> 7 != 0;
    }
  }
  return std::nullopt;
}

// --- Transformations: ISO/IEC 23008-12, 6.5.9 to 6.5.12 --------------------------------------------------------------

void mirror_left_to_right(Framing& framing) {
  bool& mirrors = framing.transposes ? framing.mirrors_y : framing.mirrors_x;
  mirrors = !mirrors;
}

void mirror_top_to_bottom(Framing& framing) {
  bool& mirrors = framing.transposes ? framing.mirrors_x : framing.mirrors_y;
  mirrors = !mirrors;
}

void turn_left(Framing& framing) {
  mirror_left_to_right(framing);
  framing.transposes = !framing.transposes;
}

struct Range {
  std::uint64_t begin = 0;
  std::uint64_t size = 0;
};

/// Computes one dimension of a crop from its length and its offset from the center; both are fractions. Rounds and
/// clips as libheif does. If the crop begins at half a pixel, `rounds_up` selects the rounding.
std::optional<Range> cropped(ByteSpan length, ByteSpan offset, std::uint64_t size, bool rounds_up) {
  constexpr std::int64_t kMaxDivisor = 1 << 14;
  const auto number = std::int64_t{u32be_at(length, 0)};
  const auto divisor = std::int64_t{u32be_at(length, 4)};
  const auto offset_number = std::int64_t{static_cast<std::int32_t>(u32be_at(offset, 0))};
  const auto offset_divisor = std::int64_t{u32be_at(offset, 4)};
  const auto full = static_cast<std::int64_t>(size);
  if (divisor < 1 || divisor > kMaxDivisor || offset_divisor < 1 || offset_divisor > kMaxDivisor ||
      full > std::int64_t{1} << 31) {
    return std::nullopt;
  }
  const std::int64_t twice = 2 * offset_number * divisor + (full * divisor - number) * offset_divisor;
  const std::int64_t unit = 2 * offset_divisor * divisor;
  const std::int64_t shifted = twice + (rounds_up ? unit / 2 : 0);
  const std::int64_t begin = shifted >= 0 ? shifted / unit : -((unit - 1 - shifted) / unit);
  const std::int64_t end = begin + (number + divisor / 2) / divisor;
  const std::int64_t first = std::max<std::int64_t>(begin, 0);
  const std::int64_t last = std::min(end, full);
  return first < last
             ? std::optional(Range{static_cast<std::uint64_t>(first), static_cast<std::uint64_t>(last - first)})
             : std::nullopt;
}

/// Crops the visible part. Returns false if the crop is invalid.
bool crop(ByteSpan content, Framing& framing) {
  constexpr std::size_t kFraction = 8;
  if (content.size() < 4 * kFraction) {
    return false;
  }
  std::optional<Range> x = cropped(content, content.subspan(2 * kFraction), framing.shown_width(), false);
  std::optional<Range> y =
      cropped(content.subspan(kFraction), content.subspan(3 * kFraction), framing.shown_height(), true);
  if (!x || !y) {
    return false;
  }
  if (framing.transposes) {
    std::swap(x, y);
  }
  framing.left += framing.mirrors_x ? framing.width - x->begin - x->size : x->begin;
  framing.top += framing.mirrors_y ? framing.height - y->begin - y->size : y->begin;
  framing.width = x->size;
  framing.height = y->size;
  return true;
}

/// Applies a transformation. Returns false if it is invalid.
bool apply(const ItemProperty& property, Framing& framing) {
  const unsigned value = property.content.empty() ? 0 : u8_at(property.content, 0);
  if (property.type == "irot") {
    for (unsigned quarter = value & 3; quarter > 0; --quarter) {
      turn_left(framing);
    }
  } else if (property.type == "imir") {
    (value & 1) == 0 ? mirror_top_to_bottom(framing) : mirror_left_to_right(framing);
  } else if (property.type == "clap") {
    return crop(property.content, framing);
  }
  return true;
}

/// True if the box of items extends to the end of the file and does not state its size.
bool ends_in_meta(ByteSpan file) {
  bool found = false;
  visit_boxes(file, [&](std::string_view type, ByteSpan content) {
    constexpr std::ptrdiff_t kHeader = 8;
    const auto at = content.data() - file.data() - kHeader;
    found |= type == "meta" && at >= 0 && u32be_at(file, static_cast<std::size_t>(at)) == 0;
  });
  return found;
}

bool is_common_image(std::string_view type) {
  return type == "av01" || type == "hvc1" || type == "grid" || type == "iden" || type == "iovl";
}

}  // namespace

int Framing::orientation() const {
  constexpr std::array kOrientations = {1, 4, 2, 3, 5, 6, 8, 7};
  return kOrientations.at((transposes ? 4U : 0U) + (mirrors_x ? 2U : 0U) + (mirrors_y ? 1U : 0U));
}

const ItemProperty* HeifItem::property(std::string_view wanted) const {
  const auto found = std::find_if(properties.begin(), properties.end(),
                                  [&](const ItemProperty& property) { return property.type == wanted; });
  return found == properties.end() ? nullptr : &*found;
}

std::optional<Framing> HeifItem::framing(std::uint64_t width, std::uint64_t height) const {
  Framing framing;
  framing.width = width;
  framing.height = height;
  const bool is_valid = std::all_of(properties.begin(), properties.end(),
                                    [&](const ItemProperty& property) { return apply(property, framing); });
  return is_valid ? std::optional(framing) : std::nullopt;
}

const HeifItem& HeifItems::item(std::uint64_t id) const {
  static const HeifItem kNone;
  const auto found = items.find(id);
  return found == items.end() ? kNone : found->second;
}

std::uint64_t HeifItems::alpha() const {
  const auto found = std::find_if(references.begin(), references.end(), [&](const ItemReference& reference) {
    return reference.type == "auxl" && reference.to == std::vector{primary} && is_alpha(item(reference.from));
  });
  return found == references.end() ? 0 : found->from;
}

std::set<std::uint64_t> HeifItems::parts_of(std::uint64_t id) const {
  constexpr int kMaxDepth = 4;
  std::set<std::uint64_t> parts = {id};
  for (int depth = 0; depth < kMaxDepth; ++depth) {
    for (const ItemReference& reference : references) {
      if (reference.type == "dimg" && parts.contains(reference.from)) {
        parts.insert(reference.to.begin(), reference.to.end());
      }
    }
  }
  return parts;
}

bool HeifItems::is_gray(std::uint64_t id) const {
  bool is_coded = false;
  for (const std::uint64_t part : parts_of(id)) {
    const bool is_derived = item(part).type == "grid" || item(part).type == "iden";
    if (!is_derived && !is_coded_gray(item(part))) {
      return false;
    }
    is_coded |= !is_derived;
  }
  return is_coded;
}

std::optional<bool> HeifItems::declared_full_range(std::uint64_t id) const {
  for (const std::uint64_t part : parts_of(id)) {
    if (const std::optional<bool> declared = full_range_of(item(part))) {
      return declared;
    }
  }
  return std::nullopt;
}

bool HeifItems::is_coded_full_range(std::uint64_t id) const {
  const std::set<std::uint64_t> parts = parts_of(id);
  return std::all_of(parts.begin(), parts.end(), [&](std::uint64_t part) {
    const std::vector<Av1Sequence>& sequences = item(part).sequences;
    return std::all_of(sequences.begin(), sequences.end(), [](const Av1Sequence& each) { return each.is_full_range; });
  });
}

HeifItems items_of(ByteSpan file) {
  HeifItems items;
  Bits primary(box_of_items("pitm", file));
  const std::uint64_t version = primary.take_bytes(4) >> 24;
  items.primary = primary.take_bytes(version == 0 ? 2 : 4);
  visit_item_types(box_of_items("iinf", file),
                   [&](std::uint64_t id, std::string_view type) { items.items[id].type = type; });
  add_properties(file, items);
  add_references(box_of_items("iref", file), items);
  items.share_too_much = !visit_item_data(file, [&](std::uint64_t id, DataPlace /*place*/, ByteSpan data) {
    if (items.item(id).type == "av01") {
      add_sequences(data, items.items[id].sequences);
    }
  });
  return items;
}

bool is_transformation(const ItemProperty& property) {
  return property.type == "irot" || property.type == "imir" || property.type == "clap";
}

bool has_heif_brand(ByteSpan file) {
  constexpr std::array<std::string_view, 12> kBrands = {"avif", "avis", "heic", "heix", "heim", "heis",
                                                        "miaf", "mif1", "mif2", "mif3", "msf1", "vvic"};
  constexpr std::size_t kHeader = 8;
  if (file.size() < kHeader || text_of(file.subspan(4, 4)) != "ftyp") {
    return false;
  }
  const ByteSpan brands = first_of(boxes_of("ftyp", file.first(std::min<std::size_t>(file.size(), u32be_at(file, 0)))));
  for (std::size_t at = 0; at + 4 <= brands.size(); at += 4) {
    if (std::find(kBrands.begin(), kBrands.end(), text_of(brands.subspan(at, 4))) != kBrands.end()) {
      return true;
    }
  }
  return false;
}

std::string uncommon_kind(ByteSpan file) {
  const bool has_items = !boxes_of("meta", file).empty();
  if (!has_items && !boxes_of("mini", file).empty()) {
    return "HEIF in the compact form of a mini box";
  }
  if (!has_items && !boxes_of("moov", file).empty()) {
    return "HEIF that holds an animation without a still image";
  }
  if (ends_in_meta(file)) {
    return "HEIF whose meta box leaves out its length";
  }
  const HeifItems items = items_of(file);
  for (const std::uint64_t image : items.parts_of(items.primary)) {
    const std::string_view type = items.item(image).type;
    if (!type.empty() && !is_common_image(type)) {
      return fmt::format("HEIF with an image of the kind '{}'", printable_name(type));
    }
  }
  bool is_nested = false;
  visit_item_data(file, [&](std::uint64_t, DataPlace place, ByteSpan) { is_nested |= place == DataPlace::item; });
  return is_nested ? "HEIF whose items hold the data of other items" : "";
}

void check_boxes(ByteSpan bytes, const std::string& name) {
  constexpr std::size_t kHeader = 8;
  constexpr std::size_t kLongHeader = 16;
  for (std::size_t position = 0; position < bytes.size();) {
    require_bytes(bytes, position + kHeader, name);
    std::uint64_t size = u32be_at(bytes, position);
    if (size == 0) {
      return;  // the box extends to the end of the file
    }
    const bool is_long = size == 1;
    if (is_long) {
      require_bytes(bytes, position + kLongHeader, name);
      size = u64be_at(bytes, position + kHeader);
    }
    if (size < (is_long ? kLongHeader : kHeader)) {
      reject_damaged(name, fmt::format("the box at byte {} is too short", position));
    }
    if (size > bytes.size() - position) {
      reject_truncated(name);
    }
    position += static_cast<std::size_t>(size);
  }
}

}  // namespace gpuimg::codecs::heif
