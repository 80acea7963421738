// The box format: ISO/IEC 14496-12, 4.2 and 8.11. The sizes in AV1 data: AV1 bitstream specification, 5.5.
#include "codecs/heif/heif_boxes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string_view>

#include "codecs/refusals.hpp"

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

  /// At a byte.
  [[nodiscard]] ByteSpan rest() const { return bytes_.subspan(at_ / 8); }
  void skip_bytes(std::uint64_t count) {
    at_ += 8 * static_cast<std::size_t>(std::min<std::uint64_t>(count, rest().size()));
  }
  [[nodiscard]] bool is_at_end() const { return at_ >= 8 * bytes_.size(); }

 private:
  ByteSpan bytes_;
  std::size_t at_ = 0;  // in bits
};

/// Four letters as a number.
constexpr std::uint64_t type_of(std::string_view letters) {
  std::uint64_t type = 0;
  for (const char letter : letters) {
    type = type << 8 | static_cast<unsigned char>(letter);
  }
  return type;
}

/// The contents of the boxes of one type.
std::vector<ByteSpan> boxes_of(std::string_view type, ByteSpan all) {
  std::vector<ByteSpan> found;
  for (Bits bits(all); !bits.is_at_end();) {
    constexpr std::uint64_t kHeader = 8;
    const std::uint64_t short_size = bits.take_bytes(4);
    const std::uint64_t this_type = bits.take_bytes(4);
    const std::uint64_t size = short_size == 1   ? bits.take_bytes(8) - kHeader
                               : short_size == 0 ? bits.rest().size() + kHeader
                                                 : short_size;
    const std::uint64_t content = std::min<std::uint64_t>(size >= kHeader ? size - kHeader : 0, bits.rest().size());
    if (this_type == type_of(type)) {
      found.push_back(bits.rest().first(static_cast<std::size_t>(content)));
    }
    bits.skip_bytes(content);
  }
  return found;
}

ByteSpan first_of(const std::vector<ByteSpan>& boxes) { return boxes.empty() ? ByteSpan{} : boxes.front(); }

/// The types of items, by their numbers.
std::map<std::uint64_t, std::uint64_t> item_types(ByteSpan infos) {
  std::map<std::uint64_t, std::uint64_t> types;
  Bits bits(infos);
  const std::uint64_t version = bits.take_bytes(4) >> 24;
  bits.skip_bytes(version == 0 ? 2 : 4);
  for (const ByteSpan info : boxes_of("infe", bits.rest())) {
    Bits fields(info);
    const std::uint64_t number_bytes = fields.take_bytes(4) >> 24 >= 3 ? 4 : 2;
    const std::uint64_t number = fields.take_bytes(number_bytes);
    fields.skip_bytes(2);
    types[number] = fields.take_bytes(4);
  }
  return types;
}

/// The data of the items of AV1. `places` is the box that says where in `file`, or in `inside`, they are.
std::vector<std::vector<std::byte>> av1_data(ByteSpan file, ByteSpan infos, ByteSpan places, ByteSpan inside) {
  std::map<std::uint64_t, std::uint64_t> types = item_types(infos);
  std::vector<std::vector<std::byte>> found;
  Bits bits(places);
  const std::uint64_t version = bits.take_bytes(4) >> 24;
  const std::uint64_t offset_bytes = bits.take(4);
  const std::uint64_t length_bytes = bits.take(4);
  const std::uint64_t base_bytes = bits.take(4);
  const std::uint64_t index_bytes = bits.take(4) * (version > 0 ? 1 : 0);
  const std::uint64_t number_bytes = version < 2 ? 2 : 4;
  for (std::uint64_t left = bits.take_bytes(number_bytes); left > 0 && !bits.is_at_end(); --left) {
    const std::uint64_t number = bits.take_bytes(number_bytes);
    const ByteSpan from = version > 0 && (bits.take_bytes(2) & 0xF) == 1 ? inside : file;
    bits.skip_bytes(2);
    const std::uint64_t base = bits.take_bytes(base_bytes);
    std::vector<std::byte> data;
    for (std::uint64_t extents = bits.take_bytes(2); extents > 0 && !bits.is_at_end(); --extents) {
      bits.skip_bytes(index_bytes);
      const std::uint64_t offset = std::min<std::uint64_t>(base + bits.take_bytes(offset_bytes), from.size());
      const std::uint64_t length = bits.take_bytes(length_bytes);
      const std::uint64_t whole = from.size() - offset;
      const ByteSpan extent = from.subspan(static_cast<std::size_t>(offset),
                                           static_cast<std::size_t>(length == 0 ? whole : std::min(length, whole)));
      if (data.size() + extent.size() <= file.size()) {  // extents that overlap could take any memory
        data.insert(data.end(), extent.begin(), extent.end());
      }
    }
    if (types[number] == type_of("av01")) {
      found.push_back(std::move(data));
    }
  }
  return found;
}

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

CodedSize size_in(ByteSpan sequence_header) {
  Bits bits(sequence_header);
  bits.take(3 + 1);
  if (bits.take_flag()) {  // the header is reduced
    bits.take(5);
  } else {
    skip_operating_points(bits);
  }
  const std::uint64_t width_bits = bits.take(4) + 1;
  const std::uint64_t height_bits = bits.take(4) + 1;
  CodedSize size;
  size.width = bits.take(width_bits) + 1;
  size.height = bits.take(height_bits) + 1;
  return size;
}

void add_sizes(ByteSpan data, std::vector<CodedSize>& sizes) {
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
      sizes.push_back(size_in(bits.rest().first(static_cast<std::size_t>(size))));
    }
    bits.skip_bytes(size);
  }
}

}  // namespace

void check_boxes(ByteSpan bytes, const std::string& name) {
  constexpr std::size_t kHeader = 8;
  constexpr std::size_t kLongHeader = 16;
  for (std::size_t position = 0; position < bytes.size();) {
    require_bytes(bytes, position + kHeader, name);
    std::uint64_t size = u32be_at(bytes, position);
    if (size == 0) {
      return;  // to the end of the file
    }
    const bool is_long = size == 1;
    if (is_long) {
      require_bytes(bytes, position + kLongHeader, name);
      size = u64be_at(bytes, position + kHeader);
    }
    if (size < (is_long ? kLongHeader : kHeader)) {
      refuse_damaged(name, fmt::format("the box at byte {} is too short", position));
    }
    if (size > bytes.size() - position) {
      refuse_truncated(name);
    }
    position += static_cast<std::size_t>(size);
  }
}

std::vector<CodedSize> av1_sizes(ByteSpan file) {
  constexpr std::size_t kVersion = 4;
  const ByteSpan meta = first_of(boxes_of("meta", file));
  const ByteSpan content = meta.subspan(std::min(kVersion, meta.size()));
  const auto box = [&](std::string_view type) { return first_of(boxes_of(type, content)); };
  std::vector<CodedSize> sizes;
  for (const std::vector<std::byte>& data : av1_data(file, box("iinf"), box("iloc"), box("idat"))) {
    add_sizes(data, sizes);
  }
  return sizes;
}

}  // namespace gpuimg::codecs::heif
