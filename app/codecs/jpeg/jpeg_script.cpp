// Walks all markers of a JPEG file, more strictly than libjpeg, and follows which bits of the coefficients are known.
#include "codecs/jpeg/jpeg_script.hpp"

#include <algorithm>
#include <array>
#include <cstring>

namespace gpuimg::codecs {

namespace {

constexpr std::uint32_t kHuffmanTables = 0xC4;
constexpr std::uint32_t kRestartInterval = 0xDD;
constexpr std::uint32_t kEndOfImage = 0xD9;
constexpr std::uint32_t kStartOfScan = 0xDA;

class ScriptReader {
 public:
  explicit ScriptReader(ByteSpan bytes) : bytes_(bytes) {}

  std::optional<JpegScript> read_only_scan() {
    while (bytes_.size() - at_ >= 2 && script_.scans.empty()) {
      if (u8_at(bytes_, at_) != 0xFF || !read_segment(u8_at(bytes_, at_ + 1))) {
        return std::nullopt;
      }
    }
    const bool has_all = !script_.scans.empty() && script_.scans.front().parts.size() == count_;
    return has_all && !script_.is_progressive ? std::optional(std::move(script_)) : std::nullopt;
  }

  std::optional<JpegScript> read() {
    while (bytes_.size() - at_ >= 2) {
      const std::uint32_t marker = u8_at(bytes_, at_ + 1);
      if (u8_at(bytes_, at_) != 0xFF || !(marker == kEndOfImage || read_segment(marker))) {
        return std::nullopt;
      }
      if (marker == kEndOfImage) {
        return is_complete() ? std::optional(std::move(script_)) : std::nullopt;
      }
    }
    return std::nullopt;
  }

 private:
  static constexpr std::size_t kMaxComponents = 4;
  static constexpr int kUnknown = -1;  // else the number of low bits that are still unknown

  struct Component {
    std::uint32_t id = 0;
    std::array<int, 64> unknown_bits{};
  };

  /// The segment at at_, and the coded bytes after it.
  bool read_segment(std::uint32_t marker) {
    const bool stands_alone = marker < 0xC0 || (marker >= 0xD0 && marker <= 0xD9);
    const bool has_length = !stands_alone && bytes_.size() - at_ >= 4;
    const std::size_t length = has_length ? u16be_at(bytes_, at_ + 2) : 0;
    if (length < 2 || bytes_.size() - at_ - 2 < length) {
      return false;
    }
    const ByteSpan segment = bytes_.subspan(at_ + 4, length - 2);
    const std::size_t start = at_;
    at_ += 2 + length;
    if (marker == kStartOfScan) {
      return read_scan(start, segment);
    }
    if (!script_.scans.empty()) {
      return marker == kHuffmanTables || marker == kRestartInterval;
    }
    const bool is_frame = marker >= 0xC0 && marker <= 0xCF && marker != kHuffmanTables;
    return !is_frame || read_frame(marker, segment);
  }

  bool read_frame(std::uint32_t marker, ByteSpan segment) {
    constexpr std::size_t kHead = 6;
    constexpr std::size_t kEach = 3;
    if (count_ != 0 || marker > 0xC2 || segment.size() < kHead) {
      return false;
    }
    script_.is_progressive = marker == 0xC2;
    count_ = u8_at(segment, kHead - 1);
    if (count_ == 0 || count_ > kMaxComponents || segment.size() != kHead + kEach * count_) {
      return false;
    }
    for (std::size_t i = 0; i < count_; ++i) {
      const std::uint32_t id = u8_at(segment, kHead + kEach * i);
      if (find(id, i) != i) {
        return false;
      }
      components_[i].id = id;
      components_[i].unknown_bits.fill(kUnknown);
    }
    return true;
  }

  bool read_scan(std::size_t start, ByteSpan segment) {
    constexpr std::size_t kMaxScans = 64;
    JpegScan scan;
    if (count_ == 0 || script_.scans.size() == kMaxScans || !read_parameters(segment, scan)) {
      return false;
    }
    if (script_.scans.empty()) {
      script_.header = bytes_.first(start);
    } else {
      scan.tables = bytes_.subspan(end_, start - end_);
    }
    const std::size_t codes = at_;
    at_ = end_ = end_of_coded_bytes(at_);
    scan.coded = bytes_.subspan(start, end_ - start);
    scan.codes = bytes_.subspan(codes, end_ - codes);
    script_.scans.push_back(scan);
    return true;
  }

  bool read_parameters(ByteSpan segment, JpegScan& scan) {
    const std::size_t count = segment.empty() ? 0 : u8_at(segment, 0);
    if (count == 0 || segment.size() != 4 + 2 * count) {
      return false;
    }
    const std::size_t spectrum = 1 + 2 * count;
    scan.first = u8_at(segment, spectrum);
    scan.last = u8_at(segment, spectrum + 1);
    const int high = static_cast<int>(u8_at(segment, spectrum + 2) >> 4);
    const int low = static_cast<int>(u8_at(segment, spectrum + 2) & 15);
    const bool is_possible = script_.is_progressive ? (scan.first == 0 ? scan.last == 0 : count == 1) && scan.last < 64
                                                    : scan.first == 0 && scan.last == 63 && (high | low) == 0;
    if (!is_possible || scan.first > scan.last) {
      return false;
    }
    for (std::size_t i = 0; i < count; ++i) {
      if (!add_component(u8_at(segment, 1 + 2 * i), scan, high, low)) {
        return false;
      }
      const std::uint32_t tables = u8_at(segment, 2 + 2 * i);
      scan.parts.back().dc_table = tables >> 4;
      scan.parts.back().ac_table = tables & 15;
    }
    scan.low = static_cast<std::uint32_t>(low);
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

  /// The next marker that does not belong to coded bytes, or the end of the file.
  [[nodiscard]] std::size_t end_of_coded_bytes(std::size_t from) const {
    while (from < bytes_.size()) {
      const void* const found = std::memchr(bytes_.data() + from, 0xFF, bytes_.size() - from);
      if (found == nullptr) {
        break;
      }
      from = static_cast<std::size_t>(static_cast<const std::byte*>(found) - bytes_.data());
      const std::uint32_t next = from + 1 < bytes_.size() ? u8_at(bytes_, from + 1) : 0;
      const bool is_restart = next >= 0xD0 && next <= 0xD7;
      if (next != 0 && !is_restart) {
        return from;
      }
      from += 2;
    }
    return bytes_.size();
  }

  [[nodiscard]] bool is_complete() const {
    const auto end = components_.begin() + static_cast<std::ptrdiff_t>(count_);
    return script_.scans.size() > 1 && std::all_of(components_.begin(), end, [](const Component& component) {
             return std::all_of(component.unknown_bits.begin(), component.unknown_bits.end(),
                                [](int unknown) { return unknown == 0; });
           });
  }

  ByteSpan bytes_;
  std::size_t at_ = 2;   // after SOI
  std::size_t end_ = 0;  // of the preceding scan
  std::size_t count_ = 0;
  std::array<Component, kMaxComponents> components_{};
  JpegScript script_;
};

}  // namespace

std::optional<JpegScript> read_jpeg_only_scan(ByteSpan bytes) { return ScriptReader(bytes).read_only_scan(); }

std::optional<JpegScript> read_jpeg_script(ByteSpan bytes) { return ScriptReader(bytes).read(); }

}  // namespace gpuimg::codecs
