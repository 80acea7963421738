// Parses the segments of a JPEG file (ITU-T T.81, annex B) as strictly as libjpeg-turbo or more so.
#include "codecs/jpeg/jpeg_description.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <string_view>

#include "codecs/jpeg/jpeg_segments.hpp"

namespace gpuimg::codecs {

namespace {

using namespace std::string_view_literals;

constexpr std::size_t kTables = JpegHuffmanSlots::kCount;  // of steps, too
constexpr std::uint32_t kMaxSide = 65500;                  // libjpeg's

using HuffmanSlots = std::array<std::optional<JpegHuffmanTable>, kTables>;
using StepTable = std::array<std::uint16_t, 64>;

/// The Huffman tables of one kind that the scan uses, numbered in the order of their first use.
class UsedTables {
 public:
  explicit UsedTables(std::array<JpegHuffmanTable, 2>& to) : to_(to) { numbers_.fill(-1); }

  /// The number of the table in `slot`; nullopt if it is undefined, or is the third.
  std::optional<int> number_of(const HuffmanSlots& slots, std::size_t slot) {
    if (slot >= kTables || !slots[slot]) {
      return std::nullopt;
    }
    if (numbers_[slot] < 0) {
      if (count_ == static_cast<int>(to_.size())) {
        return std::nullopt;
      }
      to_[static_cast<std::size_t>(count_)] = *slots[slot];
      numbers_[slot] = count_++;
    }
    return numbers_[slot];
  }

 private:
  std::array<JpegHuffmanTable, 2>& to_;
  std::array<int, kTables> numbers_{};
  int count_ = 0;
};

/// Reads segments into an EncodedJpeg. Each member returns false if libjpeg-turbo must read the file.
class JpegParser {
 public:
  explicit JpegParser(bool reads_scan) : reads_scan_(reads_scan) {}

  bool read_segment(std::uint32_t marker, ByteSpan segment);
  /// The first scan's header, and the bytes after it.
  bool read_scan(ByteSpan segment, ByteSpan coded);
  [[nodiscard]] EncodedJpeg& description() { return jpeg_; }

 private:
  bool read_frame(ByteSpan segment);
  bool read_steps(ByteSpan segment);
  bool read_restart_interval(ByteSpan segment);
  bool read_application_data(std::uint32_t marker, ByteSpan segment);
  bool read_scan_components(ByteSpan segment);
  bool set_steps();
  [[nodiscard]] bool is_ycc() const;

  bool reads_scan_;  // else only the frame is wanted
  EncodedJpeg jpeg_;
  bool has_frame_ = false;
  std::array<std::uint32_t, 3> ids_{};
  std::array<std::size_t, 3> step_slots_{};
  std::array<std::optional<StepTable>, kTables> steps_;
  JpegHuffmanSlots huffman_;
  bool has_jfif_ = false;
  std::optional<std::uint32_t> adobe_transform_;
};

bool JpegParser::read_segment(std::uint32_t marker, ByteSpan segment) {
  switch (marker) {
    case 0xC0:
    case 0xC1: return read_frame(segment);
    case 0xC2: return !reads_scan_ && read_frame(segment);
    case 0xC4: return huffman_.read(segment);
    case 0xDB: return read_steps(segment);
    case 0xDD: return read_restart_interval(segment);
    case 0xFE: return true;
    default: return marker >= 0xE0 && marker <= 0xEF && read_application_data(marker, segment);
  }
}

bool JpegParser::read_frame(ByteSpan segment) {
  constexpr std::size_t kHead = 6;
  constexpr std::size_t kEach = 3;
  if (has_frame_ || segment.size() < kHead || u8_at(segment, 0) != 8) {
    return false;
  }
  has_frame_ = true;
  const std::uint32_t height = u16be_at(segment, 1);
  const std::uint32_t width = u16be_at(segment, 3);
  const std::size_t count = u8_at(segment, 5);
  if (width == 0 || height == 0 || width > kMaxSide || height > kMaxSide || (count != 1 && count != 3) ||
      segment.size() != kHead + kEach * count) {
    return false;
  }
  jpeg_.width = static_cast<int>(width);
  jpeg_.height = static_cast<int>(height);
  jpeg_.component_count = static_cast<int>(count);
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t at = kHead + kEach * i;
    const std::uint32_t horizontal = u8_at(segment, at + 1) >> 4;
    const std::uint32_t vertical = u8_at(segment, at + 1) & 15;
    ids_[i] = u8_at(segment, at);
    step_slots_[i] = u8_at(segment, at + 2);
    const std::uint32_t most = i == 0 ? 2 : 1;
    if (horizontal < 1 || vertical < 1 || horizontal > most || vertical > most || step_slots_[i] >= kTables ||
        std::find(ids_.begin(), ids_.begin() + i, ids_[i]) != ids_.begin() + i) {
      return false;
    }
    if (i == 0 && count == 3) {  // the only component has one block per MCU, whatever its sampling
      jpeg_.horizontal_sampling = static_cast<int>(horizontal);
      jpeg_.vertical_sampling = static_cast<int>(vertical);
    }
  }
  return true;
}

bool JpegParser::read_steps(ByteSpan segment) {
  while (!segment.empty()) {
    const std::size_t slot = u8_at(segment, 0) & 15;
    const std::size_t bytes = (u8_at(segment, 0) >> 4) + 1;
    if (slot >= kTables || bytes > 2 || segment.size() < 1 + 64 * bytes) {
      return false;
    }
    StepTable& steps = steps_[slot].emplace();
    for (std::size_t i = 0; i < steps.size(); ++i) {
      steps[kJpegZigzag[i]] =
          static_cast<std::uint16_t>(bytes == 1 ? u8_at(segment, 1 + i) : u16be_at(segment, 1 + 2 * i));
    }
    if (*std::max_element(steps.begin(), steps.end()) > kMaxJpegStep) {
      return false;
    }
    segment = segment.subspan(1 + 64 * bytes);
  }
  return true;
}

bool JpegParser::read_restart_interval(ByteSpan segment) {
  if (segment.size() != 2) {
    return false;
  }
  jpeg_.restart_interval = static_cast<int>(u16be_at(segment, 0));
  return true;
}

bool JpegParser::read_application_data(std::uint32_t marker, ByteSpan segment) {
  // libjpeg's least sizes of the two segments that decide on the color space.
  const auto begins = [&](std::string_view signature, std::size_t least) {
    return segment.size() >= least && std::memcmp(segment.data(), signature.data(), signature.size()) == 0;
  };
  if (marker == 0xE0 && begins("JFIF\0"sv, 14)) {
    has_jfif_ = true;
    return u8_at(segment, 5) == 1;  // of another version libjpeg warns
  }
  if (marker == 0xEE && begins("Adobe"sv, 12)) {
    adobe_transform_ = u8_at(segment, 11);
  }
  return true;
}

/// libjpeg's choice for three components, where it is certain.
bool JpegParser::is_ycc() const {
  return has_jfif_ || (adobe_transform_ ? *adobe_transform_ == 1 : ids_ == std::array<std::uint32_t, 3>{1, 2, 3});
}

bool JpegParser::set_steps() {
  const auto count = static_cast<std::size_t>(jpeg_.component_count);
  for (std::size_t i = 0; i < count; ++i) {
    const std::optional<StepTable>& steps = steps_[step_slots_[i]];
    if (!steps) {
      return false;
    }
    jpeg_.components[i].steps = *steps;
  }
  return true;
}

bool JpegParser::read_scan(ByteSpan segment, ByteSpan coded) {
  if (!has_frame_ || (jpeg_.component_count == 3 && !is_ycc()) || !set_steps()) {
    return false;
  }
  if (!reads_scan_) {
    jpeg_.restart_interval = 0;
    return true;
  }
  jpeg_.scan = coded;
  return read_scan_components(segment);
}

bool JpegParser::read_scan_components(ByteSpan segment) {
  const auto count = static_cast<std::size_t>(jpeg_.component_count);
  if (segment.size() != 4 + 2 * count || u8_at(segment, 0) != count) {
    return false;
  }
  UsedTables dc(jpeg_.dc_tables);
  UsedTables ac(jpeg_.ac_tables);
  for (std::size_t i = 0; i < count; ++i) {
    const std::uint32_t slots = u8_at(segment, 2 + 2 * i);
    const std::optional<int> dc_table = dc.number_of(huffman_.dc, slots >> 4);
    const std::optional<int> ac_table = ac.number_of(huffman_.ac, slots & 15);
    if (u8_at(segment, 1 + 2 * i) != ids_[i] || !dc_table || !ac_table) {
      return false;
    }
    jpeg_.components[i].dc_table = *dc_table;
    jpeg_.components[i].ac_table = *ac_table;
  }
  const std::size_t spectrum = 1 + 2 * count;
  return u8_at(segment, spectrum) == 0 && u8_at(segment, spectrum + 1) == 63 && u8_at(segment, spectrum + 2) == 0;
}

std::optional<EncodedJpeg> describe(ByteSpan bytes, bool reads_scan) {
  constexpr std::uint32_t kStartOfImage = 0xFFD8;
  constexpr std::uint32_t kStartOfScan = 0xDA;
  if (bytes.size() < 2 || u16be_at(bytes, 0) != kStartOfImage) {
    return std::nullopt;
  }
  JpegParser parser(reads_scan);
  for (std::size_t offset = 2; bytes.size() - offset >= 4;) {
    const std::uint32_t marker = u8_at(bytes, offset + 1);
    const std::size_t length = u16be_at(bytes, offset + 2);
    if (u8_at(bytes, offset) != 0xFF || length < 2 || bytes.size() - offset - 2 < length) {
      return std::nullopt;
    }
    const ByteSpan segment = bytes.subspan(offset + 4, length - 2);
    offset += 2 + length;
    if (marker == kStartOfScan) {
      return parser.read_scan(segment, bytes.subspan(offset)) ? std::optional(parser.description()) : std::nullopt;
    }
    if (!parser.read_segment(marker, segment)) {
      return std::nullopt;
    }
  }
  return std::nullopt;
}

}  // namespace

std::optional<EncodedJpeg> describe_jpeg(ByteSpan bytes) noexcept { return describe(bytes, true); }
std::optional<EncodedJpeg> describe_jpeg_frame(ByteSpan bytes) noexcept { return describe(bytes, false); }

}  // namespace gpuimg::codecs
