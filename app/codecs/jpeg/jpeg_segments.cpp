// Finds segments and reads their fields. The judges decide what the numbers mean.
#include "codecs/jpeg/jpeg_segments.hpp"

#include <algorithm>
#include <cstring>

namespace gpuimg::codecs {

bool JpegSegment::stands_alone() const { return marker == 0x01 || (marker >= 0xD0 && marker <= 0xD9); }

bool JpegSegment::is_frame() const {
  return marker >= 0xC0 && marker <= 0xCF && marker != jpeg_marker::kHuffmanTables && marker != 0xC8 && marker != 0xCC;
}

std::optional<JpegSegment> JpegSegments::next() {
  const std::size_t from = next_;
  JpegSegment segment;
  while (segment.marker == 0) {  // 0xFF and 0 are no marker
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

}  // namespace gpuimg::codecs
