// Finds segments and reads their fields. The callers listed in jpeg_segments.hpp interpret the values.
#include "codecs/jpeg/jpeg_segments.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

namespace gpuimg::codecs::jpeg {

bool JpegSegment::stands_alone() const { return marker == 0x01 || (marker >= 0xD0 && marker <= 0xD9); }

bool JpegSegment::is_frame() const {
  return marker >= 0xC0 && marker <= 0xCF && marker != jpeg_marker::kHuffmanTables && marker != 0xC8 && marker != 0xCC;
}

std::optional<JpegSegment> JpegSegments::next() {
  const std::size_t from = next_;
  JpegSegment segment;
  while (segment.marker == 0) {  // 0xFF and 0 are not markers
    while (next_ < bytes_.size() && u8_at(bytes_, next_) != 0xFF) {
      ++next_;
    }
    while (next_ < bytes_.size() && u8_at(bytes_, next_) == 0xFF) {
      ++next_;
    }
    if (next_ >= bytes_.size()) {
      return std::nullopt;
    }
    segment.marker = u8_at(bytes_, next_++);
  }
  segment.begin = next_ - 2;
  segment.skipped = segment.begin - from;
  if (segment.stands_alone()) {
    return segment;
  }
  const ByteSpan rest = bytes_.subspan(next_);
  segment.length = rest.size() < 2 ? 0 : u16be_at(rest, 0);
  const std::size_t size = std::max<std::size_t>(segment.length, 2);
  segment.is_cut_off = rest.size() < size;
  const std::size_t held = std::min(size, rest.size());
  segment.payload = rest.first(held).subspan(std::min<std::size_t>(held, 2));
  next_ += held;
  return segment;
}

void JpegSegments::skip_codes() {
  while (next_ < bytes_.size()) {
    const void* const found = std::memchr(bytes_.data() + next_, 0xFF, bytes_.size() - next_);
    if (found == nullptr) {
      break;
    }
    next_ = static_cast<std::size_t>(static_cast<const std::byte*>(found) - bytes_.data());
    const std::uint32_t marker = next_ + 1 < bytes_.size() ? u8_at(bytes_, next_ + 1) : 0;
    const bool is_restart = marker >= jpeg_marker::kFirstRestart && marker <= jpeg_marker::kLastRestart;
    if (marker != 0 && !is_restart) {
      return;
    }
    next_ += 2;
  }
  next_ = bytes_.size();
}

std::optional<JpegFrame> jpeg_frame(const JpegSegment& segment) {
  constexpr std::size_t kHead = 6;
  constexpr std::size_t kEach = 3;
  const ByteSpan bytes = segment.payload;
  if (bytes.size() < kHead) {
    return std::nullopt;
  }
  JpegFrame frame;
  frame.marker = segment.marker;
  frame.bits = u8_at(bytes, 0);
  frame.height = u16be_at(bytes, 1);
  frame.width = u16be_at(bytes, 3);
  frame.component_count = u8_at(bytes, 5);
  frame.is_too_short = bytes.size() < kHead + kEach * frame.component_count;
  frame.is_exact = bytes.size() == kHead + kEach * frame.component_count;
  const std::size_t held = std::min<std::size_t>(frame.component_count, (bytes.size() - kHead) / kEach);
  for (std::size_t i = 0; i < std::min(held, frame.components.size()); ++i) {
    const ByteSpan from = bytes.subspan(kHead + kEach * i);
    frame.components[i] = {u8_at(from, 0), u8_at(from, 1) >> 4, u8_at(from, 1) & 15U, u8_at(from, 2)};
  }
  return frame;
}

std::optional<JpegScanHeader> jpeg_scan_header(const JpegSegment& segment) {
  const ByteSpan bytes = segment.payload;
  JpegScanHeader scan;
  scan.component_count = bytes.empty() ? 0 : u8_at(bytes, 0);
  if (scan.component_count < 1 || scan.component_count > scan.components.size() ||
      bytes.size() != 4 + 2 * scan.component_count) {
    return std::nullopt;
  }
  for (std::size_t i = 0; i < scan.component_count; ++i) {
    const std::uint32_t tables = u8_at(bytes, 2 + 2 * i);
    scan.components[i] = {u8_at(bytes, 1 + 2 * i), tables >> 4, tables & 15U};
  }
  const ByteSpan end = bytes.last(3);
  scan.first = u8_at(end, 0);
  scan.last = u8_at(end, 1);
  scan.high = u8_at(end, 2) >> 4;
  scan.low = u8_at(end, 2) & 15U;
  return scan;
}

std::optional<JpegStepTable> take_jpeg_steps(ByteSpan& payload) {
  JpegStepTable table;
  if (payload.empty()) {
    return std::nullopt;
  }
  table.slot = u8_at(payload, 0) & 15U;
  table.precision = u8_at(payload, 0) >> 4;
  const std::size_t bytes = table.steps.size() * (table.precision == 0 ? 1 : 2);
  if (table.slot >= JpegStepTable::kSlots || payload.size() - 1 < bytes) {
    return std::nullopt;
  }
  for (std::size_t i = 0; i < table.steps.size(); ++i) {
    table.steps[i] =
        static_cast<std::uint16_t>(table.precision == 0 ? u8_at(payload, 1 + i) : u16be_at(payload, 1 + 2 * i));
  }
  payload = payload.subspan(1 + bytes);
  return table;
}

bool JpegHuffmanSlots::read(ByteSpan segment) {
  while (!segment.empty()) {
    JpegHuffmanTable table;
    const std::size_t head = 1 + table.codes_of_length.size();
    if (segment.size() < head || u8_at(segment, 0) >> 4 > 1 || (u8_at(segment, 0) & 15) >= kCount) {
      return false;
    }
    std::size_t symbols = 0;
    for (std::size_t i = 0; i < table.codes_of_length.size(); ++i) {
      table.codes_of_length[i] = static_cast<std::uint8_t>(u8_at(segment, 1 + i));
      symbols += table.codes_of_length[i];
    }
    if (symbols > table.symbols.size() || segment.size() < head + symbols) {
      return false;
    }
    std::memcpy(table.symbols.data(), segment.data() + head, symbols);
    (u8_at(segment, 0) >> 4 == 0 ? dc : ac)[u8_at(segment, 0) & 15] = table;
    segment = segment.subspan(head + symbols);
  }
  return true;
}

namespace {

/// Checks all segments of a file, more strictly than libjpeg, and tracks which bits of the coefficients are known.
class ScriptReader {
 public:
  explicit ScriptReader(ByteSpan bytes) : bytes_(bytes), segments_(bytes) {}

  std::optional<JpegScript> read_only_scan() {
    while (script_.scans.empty()) {
      const std::optional<JpegSegment> segment = segments_.next();
      if (!segment || !read_segment(*segment)) {
        return std::nullopt;
      }
    }
    const bool has_all = script_.scans.front().parts.size() == count_;
    return has_all && !script_.is_progressive ? std::optional(std::move(script_)) : std::nullopt;
  }

  std::optional<JpegScript> read() {
    while (const std::optional<JpegSegment> segment = segments_.next()) {
      if (segment->skipped == 0 && segment->marker == jpeg_marker::kEndOfImage) {
        return is_complete() ? std::optional(std::move(script_)) : std::nullopt;
      }
      if (!read_segment(*segment)) {
        return std::nullopt;
      }
    }
    return std::nullopt;
  }

 private:
  static constexpr int kUnknown = -1;  // other values are the number of low bits that are still unknown

  struct Component {
    std::uint32_t id = 0;
    std::array<int, 64> unknown_bits{};
  };

  /// Reads a segment. If it is the header of a scan, also reads the coded bytes after it.
  bool read_segment(const JpegSegment& segment) {
    constexpr std::uint32_t kFirstMarker = 0xC0;
    if (!segment.is_plain() || segment.marker < kFirstMarker) {
      return false;
    }
    if (segment.marker == jpeg_marker::kStartOfScan) {
      return read_scan(segment);
    }
    if (!script_.scans.empty()) {
      return segment.marker == jpeg_marker::kHuffmanTables || segment.marker == jpeg_marker::kRestartInterval;
    }
    const bool is_frame = segment.marker <= 0xCF && segment.marker != jpeg_marker::kHuffmanTables;
    return !is_frame || read_frame(segment);
  }

  bool read_frame(const JpegSegment& segment) {
    constexpr std::uint32_t kProgressive = 0xC2;
    const std::optional<JpegFrame> frame = jpeg_frame(segment);
    if (count_ != 0 || segment.marker > kProgressive || !frame || frame->component_count == 0 ||
        frame->component_count > components_.size() || !frame->is_exact) {
      return false;
    }
    script_.is_progressive = frame->is_progressive();
    count_ = frame->component_count;
    for (std::size_t i = 0; i < count_; ++i) {
      const std::uint32_t id = frame->components[i].id;
      if (find(id, i) != i) {
        return false;
      }
      components_[i].id = id;
      components_[i].unknown_bits.fill(kUnknown);
    }
    return true;
  }

  bool read_scan(const JpegSegment& segment) {
    constexpr std::size_t kMaxScans = 64;
    const std::optional<JpegScanHeader> header = jpeg_scan_header(segment);
    JpegScan scan;
    if (count_ == 0 || script_.scans.size() == kMaxScans || !header || !read_parameters(*header, scan)) {
      return false;
    }
    if (script_.scans.empty()) {
      script_.header = bytes_.first(segment.begin);
    } else {
      scan.tables = bytes_.subspan(end_, segment.begin - end_);
    }
    const std::size_t codes = segments_.offset();
    segments_.skip_codes();
    end_ = segments_.offset();
    scan.coded = bytes_.subspan(segment.begin, end_ - segment.begin);
    scan.codes = bytes_.subspan(codes, end_ - codes);
    script_.scans.push_back(scan);
    return true;
  }

  bool read_parameters(const JpegScanHeader& header, JpegScan& scan) {
    scan.first = header.first;
    scan.last = header.last;
    const int high = static_cast<int>(header.high);
    const int low = static_cast<int>(header.low);
    const bool is_possible = script_.is_progressive
                                 ? (scan.first == 0 ? scan.last == 0 : header.component_count == 1) && scan.last < 64
                                 : scan.first == 0 && scan.last == 63 && (high | low) == 0;
    if (!is_possible || scan.first > scan.last) {
      return false;
    }
    for (std::size_t i = 0; i < header.component_count; ++i) {
      const auto& [id, dc_table, ac_table] = header.components[i];
      if (!add_component(id, scan, high, low)) {
        return false;
      }
      scan.parts.back().dc_table = dc_table;
      scan.parts.back().ac_table = ac_table;
    }
    scan.low = header.low;
    scan.is_refining = high != 0;
    return true;
  }

  /// Returns false if the scan already has this component or a later one (T.81, B.2.3; libjpeg rejects such a scan), or
  /// if the scan does not code the next bits of these coefficients.
  bool add_component(std::uint32_t id, JpegScan& scan, int high, int low) {
    const std::size_t found = find(id, count_);
    const std::uint32_t bit = 1U << found;
    if (found == count_ || scan.components >= bit ||
        (scan.first != 0 && components_[found].unknown_bits[0] == kUnknown)) {
      return false;
    }
    scan.components |= bit;
    scan.parts.push_back({.component = found});
    for (std::size_t i = scan.first; i <= scan.last; ++i) {
      int& unknown = components_[found].unknown_bits[i];
      const bool is_next = unknown == kUnknown ? high == 0 : high == unknown && high != 0 && low == high - 1;
      if (!is_next) {
        return false;
      }
      unknown = low;
    }
    return true;
  }

  /// Index of the first of `count` components with this identifier; `count` if there is none.
  [[nodiscard]] std::size_t find(std::uint32_t id, std::size_t count) const {
    const auto end = components_.begin() + static_cast<std::ptrdiff_t>(count);
    const auto found = std::find_if(components_.begin(), end, [&](const Component& one) { return one.id == id; });
    return static_cast<std::size_t>(found - components_.begin());
  }

  [[nodiscard]] bool is_complete() const {
    const auto end = components_.begin() + static_cast<std::ptrdiff_t>(count_);
    return script_.scans.size() > 1 && std::all_of(components_.begin(), end, [](const Component& component) {
             return std::all_of(component.unknown_bits.begin(), component.unknown_bits.end(),
                                [](int unknown) { return unknown == 0; });
           });
  }

  ByteSpan bytes_;
  JpegSegments segments_;
  std::size_t end_ = 0;  // end of the preceding scan
  std::size_t count_ = 0;
  std::array<Component, JpegFrame::kMaxComponents> components_{};
  JpegScript script_;
};

}  // namespace

std::optional<JpegScript> read_jpeg_only_scan(ByteSpan bytes) { return ScriptReader(bytes).read_only_scan(); }

std::optional<JpegScript> read_jpeg_script(ByteSpan bytes) { return ScriptReader(bytes).read(); }

}  // namespace gpuimg::codecs::jpeg
