// Skips from section to section; of the layers, only their number counts.
#include "codecs/psd/psd_header.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "codecs/refusals.hpp"

namespace gpuimg::codecs {
namespace {

constexpr std::size_t kHeaderBytes = 26;

/// Big-endian fields one after the other.
class PsdFields {
 public:
  PsdFields(ByteSpan bytes, std::size_t offset, const std::string& name)
      : bytes_(bytes), offset_(std::min(offset, bytes.size())), name_(name) {}

  [[nodiscard]] std::size_t offset() const { return offset_; }

  ByteSpan take(std::uint64_t count) {
    if (count > bytes_.size() - offset_) {
      refuse_truncated(name_);
    }
    const ByteSpan taken = bytes_.subspan(offset_, static_cast<std::size_t>(count));
    offset_ += taken.size();
    return taken;
  }
  /// A length of 4 bytes, or of 8.
  std::uint64_t length(bool is_long) {
    const std::uint64_t high = is_long ? u32be_at(take(4), 0) : 0;
    return high << 32 | u32be_at(take(4), 0);
  }

 private:
  ByteSpan bytes_;
  std::size_t offset_;
  const std::string& name_;
};

void check_mode(std::uint32_t mode, std::uint32_t bits, const std::string& name) {
  constexpr std::array<std::string_view, 10> kNames = {"bitmap", "grayscale", "indexed",      "RGB",     "CMYK",
                                                       "?",      "?",         "multichannel", "duotone", "Lab"};
  constexpr std::array kRead = {PsdMode::bitmap, PsdMode::gray, PsdMode::indexed,
                                PsdMode::rgb,    PsdMode::cmyk, PsdMode::duotone};
  const auto is_mode = [&](PsdMode known) { return static_cast<std::uint32_t>(known) == mode; };
  if (std::none_of(kRead.begin(), kRead.end(), is_mode)) {
    const std::string_view known = mode < kNames.size() ? kNames[mode] : "?";
    refuse_unsupported(name, fmt::format("PSD with {}", known == "?" ? "an unknown mode" : known));
  }
  const bool takes_8 = mode != static_cast<std::uint32_t>(PsdMode::bitmap);
  const bool takes_16 = takes_8 && mode != static_cast<std::uint32_t>(PsdMode::indexed);
  if (bits != 1 && bits != 8 && bits != 16) {
    refuse_unsupported(name, fmt::format("{}-bit PSD", bits));
  }
  if ((bits == 1 && takes_8) || (bits == 8 && !takes_8) || (bits == 16 && !takes_16)) {
    refuse_damaged(name, fmt::format("it declares {} pixels of {} bits", kNames[mode], bits));
  }
}

/// The keys of tagged blocks whose length takes 8 bytes in a PSB.
bool has_long_length(std::string_view key) {
  constexpr std::array<std::string_view, 13> kKeys = {"LMsk", "Lr16", "Lr32", "Layr", "Mt16", "Mt32", "Mtrn",
                                                      "Alph", "FMsk", "lnk2", "FEid", "FXid", "PxSD"};
  return std::find(kKeys.begin(), kKeys.end(), key) != kKeys.end();
}

std::string_view text_of(ByteSpan bytes) { return {reinterpret_cast<const char*>(bytes.data()), bytes.size()}; }

/// A negative number of layers says that the merged image has transparency.
bool is_negative(ByteSpan layers) { return layers.size() >= 2 && (u8_at(layers, 0) & 0x80U) != 0; }

/// Files of 16 bits keep their layers in a tagged block. Throws TruncatedFile where the blocks do not fit the section.
bool blocks_say_transparent(ByteSpan section, std::size_t offset, bool is_large, const std::string& name) {
  PsdFields blocks(section, offset, name);
  while (section.size() - blocks.offset() >= 12) {
    const std::string_view signature = text_of(blocks.take(4));
    const std::string_view key = text_of(blocks.take(4));
    if (signature != "8BIM" && signature != "8B64") {
      return false;
    }
    const ByteSpan data = blocks.take(blocks.length(is_large && has_long_length(key)));
    if (key == "Lr16" || key == "Layr" || key == "Mt16" || key == "Mtrn") {
      return key[0] == 'M' || is_negative(data);
    }
    const std::size_t padding = (4 - data.size() % 4) % 4;
    blocks.take(std::min(padding, section.size() - blocks.offset()));
  }
  return false;
}

/// `section` holds layers and masks. Damage inside it does not matter to the merged image.
bool says_transparent(ByteSpan section, bool is_large, const std::string& name) {
  try {
    PsdFields fields(section, 0, name);
    const ByteSpan layers = fields.take(fields.length(is_large));
    if (!layers.empty()) {
      return is_negative(layers);
    }
    fields.take(fields.length(false));  // the mask of all layers
    return blocks_say_transparent(section, fields.offset(), is_large, name);
  } catch (const TruncatedFile&) {
    return false;
  }
}

}  // namespace

PsdHeader read_psd_header(ByteSpan bytes, const std::string& name) {
  require_bytes(bytes, kHeaderBytes, name);
  constexpr std::uint32_t kSmall = 1;
  constexpr std::uint32_t kLarge = 2;
  const std::uint32_t version = u16be_at(bytes, 4);
  if (version != kSmall && version != kLarge) {
    refuse_unsupported(name, fmt::format("PSD of version {}", version));
  }
  PsdHeader header;
  header.is_large = version == kLarge;
  header.channels = u16be_at(bytes, 12);
  header.height = u32be_at(bytes, 14);
  header.width = u32be_at(bytes, 18);
  header.bits = u16be_at(bytes, 22);
  check_mode(u16be_at(bytes, 24), header.bits, name);
  header.mode = static_cast<PsdMode>(u16be_at(bytes, 24));
  if (header.channels < header.color_planes()) {
    refuse_damaged(name, fmt::format("it declares {} channels", header.channels));
  }
  return header;
}

ByteSpan psd_resources(ByteSpan bytes, const std::string& name) {
  PsdFields fields(bytes, kHeaderBytes, name);
  fields.take(fields.length(false));  // colors
  return fields.take(fields.length(false));
}

PsdSections read_psd_sections(ByteSpan bytes, const PsdHeader& header, const std::string& name) {
  PsdFields fields(bytes, kHeaderBytes, name);
  PsdSections sections;
  sections.colors = fields.take(fields.length(false));
  sections.resources = fields.take(fields.length(false));
  const ByteSpan layers = fields.take(fields.length(header.is_large));
  sections.has_transparency =
      header.channels > header.color_planes() && says_transparent(layers, header.is_large, name);
  sections.image = fields.offset();
  return sections;
}

}  // namespace gpuimg::codecs
