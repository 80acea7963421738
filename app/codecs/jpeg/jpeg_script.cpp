// Judges all segments of a JPEG file, more strictly than libjpeg, and follows which bits of the coefficients are known.
#include "codecs/jpeg/jpeg_script.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "codecs/jpeg/jpeg_segments.hpp"

namespace gpuimg::codecs {

namespace {

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
  static constexpr int kUnknown = -1;  // else the number of low bits that are still unknown

  struct Component {
    std::uint32_t id = 0;
    std::array<int, 64> unknown_bits{};
  };

  /// With the coded bytes after the header of a scan.
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

  /// False if the scan has the component or one after it already (T.81, B.2.3; libjpeg refuses it), or if it is not the
  /// next scan for these coefficients.
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

  /// The first of `count` components with the identifier; `count` if there is none.
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
  std::size_t end_ = 0;  // of the preceding scan
  std::size_t count_ = 0;
  std::array<Component, JpegFrame::kMaxComponents> components_{};
  JpegScript script_;
};

}  // namespace

std::optional<JpegScript> read_jpeg_only_scan(ByteSpan bytes) { return ScriptReader(bytes).read_only_scan(); }

std::optional<JpegScript> read_jpeg_script(ByteSpan bytes) { return ScriptReader(bytes).read(); }

}  // namespace gpuimg::codecs
