// Judges the segments of a JPEG file as strictly as libjpeg-turbo or more so.
#include "codecs/jpeg/jpeg_description.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <string_view>

#include "codecs/jpeg/jpeg_segments.hpp"

namespace gpuimg::codecs {

namespace {

using namespace std::string_view_literals;

constexpr std::size_t kTables = JpegHuffmanSlots::kCount;
static_assert(kTables == JpegStepTable::kSlots);
constexpr std::uint32_t kMaxSide = 65500;  // libjpeg's

using HuffmanSlots = std::array<std::optional<JpegHuffmanTable>, kTables>;
using StepTable = std::array<std::uint16_t, 64>;  // in row order

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

  bool read_segment(const JpegSegment& segment);
  /// The first scan's header, and the bytes after it.
  bool read_scan(const JpegSegment& segment, ByteSpan coded);
  [[nodiscard]] EncodedJpeg& description() { return jpeg_; }

 private:
  bool read_frame(const JpegSegment& segment);
  bool read_steps(ByteSpan payload);
  bool read_restart_interval(ByteSpan payload);
  bool read_application_data(std::uint32_t marker, ByteSpan payload);
  bool read_scan_components(const JpegScanHeader& scan);
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

bool JpegParser::read_segment(const JpegSegment& segment) {
  switch (segment.marker) {
    case 0xC0:
    case 0xC1: return read_frame(segment);
    case 0xC2: return !reads_scan_ && read_frame(segment);
    case jpeg_marker::kHuffmanTables: return huffman_.read(segment.payload);
    case jpeg_marker::kStepTables: return read_steps(segment.payload);
    case jpeg_marker::kRestartInterval: return read_restart_interval(segment.payload);
    case jpeg_marker::kComment: return true;
    default: return segment.is_application_data() && read_application_data(segment.marker, segment.payload);
  }
}

bool JpegParser::read_frame(const JpegSegment& segment) {
  const std::optional<JpegFrame> frame = jpeg_frame(segment);
  if (has_frame_ || !frame || frame->bits != 8) {
    return false;
  }
  has_frame_ = true;
  const std::size_t count = frame->component_count;
  if (frame->width == 0 || frame->height == 0 || frame->width > kMaxSide || frame->height > kMaxSide ||
      (count != 1 && count != 3) || !frame->is_exact) {
    return false;
  }
  jpeg_.width = static_cast<int>(frame->width);
  jpeg_.height = static_cast<int>(frame->height);
  jpeg_.component_count = static_cast<int>(count);
  for (std::size_t i = 0; i < count; ++i) {
    const auto& [id, horizontal, vertical, steps] = frame->components[i];
    ids_[i] = id;
    step_slots_[i] = steps;
    const std::uint32_t most = i == 0 ? 2 : 1;
    if (horizontal < 1 || vertical < 1 || horizontal > most || vertical > most || steps >= kTables ||
        std::find(ids_.begin(), ids_.begin() + i, id) != ids_.begin() + i) {
      return false;
    }
    if (i == 0 && count == 3) {  // the only component has one block per MCU, whatever its sampling
      jpeg_.horizontal_sampling = static_cast<int>(horizontal);
      jpeg_.vertical_sampling = static_cast<int>(vertical);
    }
  }
  return true;
}

bool JpegParser::read_steps(ByteSpan payload) {
  while (!payload.empty()) {
    const std::optional<JpegStepTable> table = take_jpeg_steps(payload);
    if (!table || table->precision > 1 || *std::max_element(table->steps.begin(), table->steps.end()) > kMaxJpegStep) {
      return false;
    }
    StepTable& steps = steps_[table->slot].emplace();
    for (std::size_t i = 0; i < steps.size(); ++i) {
      steps[kJpegZigzag[i]] = table->steps[i];
    }
  }
  return true;
}

bool JpegParser::read_restart_interval(ByteSpan payload) {
  if (payload.size() != 2) {
    return false;
  }
  jpeg_.restart_interval = static_cast<int>(u16be_at(payload, 0));
  return true;
}

bool JpegParser::read_application_data(std::uint32_t marker, ByteSpan payload) {
  // libjpeg's least sizes of the two segments that decide on the color space.
  const auto begins = [&](std::string_view signature, std::size_t least) {
    return payload.size() >= least && std::memcmp(payload.data(), signature.data(), signature.size()) == 0;
  };
  if (marker == 0xE0 && begins("JFIF\0"sv, 14)) {
    has_jfif_ = true;
    return u8_at(payload, 5) == 1;  // of another version libjpeg warns
  }
  if (marker == 0xEE && begins("Adobe"sv, 12)) {
    adobe_transform_ = u8_at(payload, 11);
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

bool JpegParser::read_scan(const JpegSegment& segment, ByteSpan coded) {
  if (!has_frame_ || (jpeg_.component_count == 3 && !is_ycc()) || !set_steps()) {
    return false;
  }
  if (!reads_scan_) {
    jpeg_.restart_interval = 0;
    return true;
  }
  jpeg_.scan = coded;
  const std::optional<JpegScanHeader> scan = jpeg_scan_header(segment);
  return scan && read_scan_components(*scan);
}

bool JpegParser::read_scan_components(const JpegScanHeader& scan) {
  const auto count = static_cast<std::size_t>(jpeg_.component_count);
  if (scan.component_count != count) {
    return false;
  }
  UsedTables dc(jpeg_.dc_tables);
  UsedTables ac(jpeg_.ac_tables);
  for (std::size_t i = 0; i < count; ++i) {
    const std::optional<int> dc_table = dc.number_of(huffman_.dc, scan.components[i].dc_table);
    const std::optional<int> ac_table = ac.number_of(huffman_.ac, scan.components[i].ac_table);
    if (scan.components[i].id != ids_[i] || !dc_table || !ac_table) {
      return false;
    }
    jpeg_.components[i].dc_table = *dc_table;
    jpeg_.components[i].ac_table = *ac_table;
  }
  return scan.first == 0 && scan.last == 63 && scan.high == 0 && scan.low == 0;
}

std::optional<EncodedJpeg> describe(ByteSpan bytes, bool reads_scan) {
  constexpr std::uint32_t kStartOfImage = 0xFFD8;
  if (bytes.size() < 2 || u16be_at(bytes, 0) != kStartOfImage) {
    return std::nullopt;
  }
  JpegParser parser(reads_scan);
  JpegSegments segments(bytes);
  while (const std::optional<JpegSegment> segment = segments.next()) {
    if (!segment->is_plain()) {
      return std::nullopt;
    }
    if (segment->marker == jpeg_marker::kStartOfScan) {
      return parser.read_scan(*segment, bytes.subspan(segments.offset())) ? std::optional(parser.description())
                                                                          : std::nullopt;
    }
    if (!parser.read_segment(*segment)) {
      return std::nullopt;
    }
  }
  return std::nullopt;
}

}  // namespace

std::optional<EncodedJpeg> describe_jpeg(ByteSpan bytes) noexcept { return describe(bytes, true); }
std::optional<EncodedJpeg> describe_jpeg_frame(ByteSpan bytes) noexcept { return describe(bytes, false); }

}  // namespace gpuimg::codecs
