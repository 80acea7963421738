// Reads the header as libjpeg-turbo does, and interprets it for plans and `gpuimg info` by libjpeg's rules for color
// spaces and by its quality scale. A file is described for a device only if libjpeg-turbo would not warn about its
// header.
#include "codecs/jpeg/jpeg_header.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <string_view>

#include "codecs/jpeg/jpeg.hpp"
#include "codecs/jpeg/jpeg_pipeline.hpp"
#include "codecs/metadata/ifd.hpp"
#include "codecs/rejections.hpp"

namespace gpuimg::codecs::jpeg {
namespace {

using namespace std::string_view_literals;

void check_process(std::uint32_t marker, std::uint32_t precision, const std::string& name) {
  if (marker == 0xC3 || marker == 0xCB) {
    reject_unsupported(name, "lossless JPEG");
  }
  if (marker != 0xC0 && marker != 0xC1 && marker != 0xC2 && marker != 0xC9 && marker != 0xCA) {
    reject_unsupported(name, "hierarchical JPEG");
  }
  if (precision != 8) {
    reject_unsupported(name, fmt::format("{}-bit JPEG", precision));
  }
}

void read_frame(const JpegSegment& segment, JpegHeader& header, const std::string& name) {
  const std::optional<JpegFrame> frame = jpeg_frame(segment);
  if (!frame) {
    reject_damaged(name, "its frame header is too short");
  }
  check_process(frame->marker, frame->bits, name);
  if (frame->component_count != 1 && frame->component_count != 3 && frame->component_count != 4) {
    reject_unsupported(name, fmt::format("JPEG of {} channels", frame->component_count));
  }
  header.frame = *frame;
}

/// Reads quantization tables. If a table is defined twice, the last definition counts. Ignores tables that are cut off:
/// libjpeg-turbo reports them.
void read_tables(const JpegSegment& segment, JpegHeader& header) {
  if (segment.marker == jpeg_marker::kStepTables) {
    ByteSpan payload = segment.payload;
    while (const std::optional<JpegStepTable> table = take_jpeg_steps(payload)) {
      header.steps.at(table->slot) = table->steps;
    }
  } else if (segment.marker == jpeg_marker::kRestartInterval && segment.payload.size() >= 2) {
    header.restart_interval = u16be_at(segment.payload, 0);
  }
}

/// The bytes after `signature` in the segment; empty if it does not begin with `signature`.
ByteSpan after_signature(std::string_view signature, ByteSpan segment) {
  const auto bytes = std::as_bytes(std::span(signature));
  const bool begins = segment.size() >= bytes.size() && std::equal(bytes.begin(), bytes.end(), segment.begin());
  return begins ? segment.subspan(bytes.size()) : ByteSpan{};
}

bool set_if_empty(ByteSpan& to, ByteSpan data) {
  const bool takes = to.empty() && !data.empty();
  if (takes) {
    to = data;
  }
  return takes;
}

bool add_part(std::vector<ByteSpan>& to, ByteSpan part, std::size_t min_bytes) {
  constexpr std::size_t kMaxParts = 256;
  const bool takes = part.size() >= min_bytes && to.size() < kMaxParts;
  if (takes) {
    to.push_back(part);
  }
  return takes;
}

/// The number of pictures in the index of a Multi-Picture Format file (CIPA DC-007, tag B001); 0 if the index is
/// damaged.
std::uint32_t mpf_pictures(ByteSpan index) {
  constexpr std::uint16_t kCountTag = 0xB001;
  std::uint32_t pictures = 0;
  const IfdLayout layout{.is_big_endian = !index.empty() && u8_at(index, 0) != 'I'};
  if (const std::optional<IfdDirectory> directory = first_ifd(index, layout)) {
    directory->visit_entries(index, [&](const IfdEntry& entry) {
      pictures = entry.tag == kCountTag ? static_cast<std::uint32_t>(layout.number(entry.value)) : 0;
      return entry.tag != kCountTag;
    });
  }
  return pictures;
}

/// Stores a segment if the header has a member for it. Returns true if it stores the segment or if libjpeg-turbo reads
/// the segment.
bool take_application_data(ByteSpan segment, std::uint32_t marker, JpegHeader& header) {
  switch (marker) {
    case jpeg_marker::kApp0: return set_if_empty(header.jfif, after_signature("JFIF\0"sv, segment));
    case jpeg_marker::kApp1:
      return set_if_empty(header.exif, after_signature("Exif\0\0"sv, segment)) ||
             set_if_empty(header.xmp, after_signature(kJpegXmpSignature, segment)) ||
             add_part(header.xmp_extension_parts, after_signature(kJpegXmpExtensionSignature, segment), 40);
    case jpeg_marker::kApp2:
      header.pictures = std::max(header.pictures, mpf_pictures(after_signature("MPF\0"sv, segment)));
      return add_part(header.icc_parts, after_signature("ICC_PROFILE\0"sv, segment), 2);
    case jpeg_marker::kApp13:
      return add_part(header.photoshop_parts, after_signature(kJpegPhotoshopSignature, segment), 1);
    case jpeg_marker::kApp14:
      (void)set_if_empty(header.adobe, after_signature("Adobe"sv, segment));
      return !after_signature("Adobe"sv, segment).empty();
    default: return false;
  }
}

void read_application_data(const JpegSegment& segment, JpegHeader& header) {
  if (segment.is_application_data() && !take_application_data(segment.payload, segment.marker, header)) {
    header.other_segments |= 1U << (segment.marker - jpeg_marker::kApp0);
  } else if (segment.marker == jpeg_marker::kComment) {
    header.other_segments |= 1U << 16U;
  }
}

/// Throws if libjpeg-turbo would reject the segment. Accepts comments and application data of an impossible length:
/// libjpeg-turbo treats them as empty.
void check_segment(const JpegSegment& segment, const std::string& name) {
  const bool is_ignored = segment.is_application_data() || segment.marker == jpeg_marker::kComment;
  const bool has_tables = segment.marker == jpeg_marker::kHuffmanTables || segment.marker == jpeg_marker::kStepTables;
  const std::size_t least = is_ignored ? 0U : 2U;
  if (segment.length < least && !segment.is_cut_off) {
    reject_damaged(name, "a marker segment has an invalid length");
  }
  if (segment.is_cut_off) {
    reject_truncated(name);
  }
  if (segment.payload.empty() && has_tables) {
    reject_damaged(name, "a segment of tables is empty");  // libjpeg-turbo would treat following tables as stray bytes
  }
}

/// True if no pixel can be computed before later scans have been read. Does not check scan headers: libjpeg-turbo
/// reports damage in them.
bool keeps_coefficients(const JpegSegment& scan, const JpegFrame& frame, ByteSpan bytes, const std::string& name) {
  const std::size_t count_at = scan.begin + 4;
  require_bytes(bytes, count_at + 1, name);
  const bool is_whole = u8_at(bytes, count_at) >= frame.component_count;
  return frame.is_progressive() || !is_whole;
}

constexpr std::size_t kSteps = 64;

// in row order, as T.81 prints them
constexpr std::array<std::uint8_t, kSteps> kLuma = {16, 11, 10, 16, 24,  40,  51,  61,   //
                                                    12, 12, 14, 19, 26,  58,  60,  55,   //
                                                    14, 13, 16, 24, 40,  57,  69,  56,   //
                                                    14, 17, 22, 29, 51,  87,  80,  62,   //
                                                    18, 22, 37, 56, 68,  109, 103, 77,   //
                                                    24, 35, 55, 64, 81,  104, 113, 92,   //
                                                    49, 64, 78, 87, 103, 121, 120, 101,  //
                                                    72, 92, 95, 98, 112, 100, 103, 99};
constexpr std::array<std::uint8_t, kSteps> kChroma = {17, 18, 24, 47, 99, 99, 99, 99,  //
                                                      18, 21, 26, 66, 99, 99, 99, 99,  //
                                                      24, 26, 56, 99, 99, 99, 99, 99,  //
                                                      47, 66, 99, 99, 99, 99, 99, 99,  //
                                                      99, 99, 99, 99, 99, 99, 99, 99,  //
                                                      99, 99, 99, 99, 99, 99, 99, 99,  //
                                                      99, 99, 99, 99, 99, 99, 99, 99,  //
                                                      99, 99, 99, 99, 99, 99, 99, 99};

/// Computes a step as libjpeg's jpeg_quality_scaling and jpeg_add_quant_table do for baseline tables.
int scaled(int step, int quality) {
  const int percent = quality < 50 ? 5000 / quality : 200 - 2 * quality;
  return std::clamp((step * percent + 50) / 100, 1, 255);
}

bool is_scaled(const JpegSteps& steps, const std::array<std::uint8_t, kSteps>& example, int quality) {
  for (std::size_t i = 0; i < kSteps; ++i) {
    if (steps[i] != scaled(example[kJpegZigzag[i]], quality)) {
      return false;
    }
  }
  return true;
}

/// The quality (1 to 100) for which libjpeg writes exactly these tables; nullopt if there is none. `chroma` is null for
/// gray.
std::optional<int> jpeg_quality(const JpegSteps& luma, const JpegSteps* chroma) {
  for (int quality = 100; quality >= 1; --quality) {
    if (is_scaled(luma, kLuma, quality) && (chroma == nullptr || is_scaled(*chroma, kChroma, quality))) {
      return quality;
    }
  }
  return std::nullopt;
}

using Component = JpegFrame::Component;

/// Throws Error{decode} if components are missing or impossible.
std::span<const Component> components_of(const JpegFrame& frame, const std::string& name) {
  if (frame.is_too_short) {
    reject_damaged(name, "its frame header is too short");
  }
  const auto components = std::span(frame.components).first(frame.component_count);
  for (const auto& [id, horizontal, vertical, table] : components) {
    if (std::min(horizontal, vertical) < 1 || std::max(horizontal, vertical) > 4 || table >= JpegStepTable::kSlots) {
      reject_damaged(name, "a component has an invalid sampling factor or table");
    }
  }
  return components;
}

/// The transform byte of Adobe's APP14; nullopt if there is none.
std::optional<std::uint32_t> adobe_transform(const JpegHeader& header) {
  constexpr std::size_t kTransformAt = 6;
  return header.adobe.size() > kTransformAt ? std::optional(u8_at(header.adobe, kTransformAt)) : std::nullopt;
}

std::string_view color_of(const JpegHeader& header, std::span<const Component> components) {
  const std::optional<std::uint32_t> transform = adobe_transform(header);
  if (components.size() == 1) {
    return "gray";
  }
  if (components.size() == 4) {
    return transform == 2U ? "YCCK" : "CMYK";
  }
  if (!header.jfif.empty()) {
    return "YCbCr";
  }
  const bool is_named_rgb = components[0].id == 'R' && components[1].id == 'G' && components[2].id == 'B';
  return (transform ? *transform == 0 : is_named_rgb) ? "RGB" : "YCbCr";
}

/// A name such as "4:2:0" if the second and third component have the same sampling; otherwise all factors: "2x2 1x2
/// 1x1".
std::string sampling_of(std::span<const Component> components) {
  struct Name {
    std::uint32_t width;
    std::uint32_t height;
    std::string_view name;
  };
  constexpr std::array<Name, 6> kNames = {
      {{1, 1, "4:4:4"}, {2, 1, "4:2:2"}, {1, 2, "4:4:0"}, {2, 2, "4:2:0"}, {4, 1, "4:1:1"}, {4, 2, "4:1:0"}}};
  const Component& luma = components[0];
  const Component& chroma = components[1];
  const bool is_alike = chroma.horizontal_sampling == components[2].horizontal_sampling &&
                        chroma.vertical_sampling == components[2].vertical_sampling;
  const auto* known = std::find_if(kNames.begin(), kNames.end(), [&](const Name& one) {
    return chroma.horizontal_sampling * one.width == luma.horizontal_sampling &&
           chroma.vertical_sampling * one.height == luma.vertical_sampling;
  });
  if (is_alike && known != kNames.end()) {
    return std::string(known->name);
  }
  std::string all;
  for (const Component& component : components) {
    all += fmt::format("{}{}x{}", all.empty() ? "" : " ", component.horizontal_sampling, component.vertical_sampling);
  }
  return all;
}

std::optional<int> quality_of(const JpegHeader& header, std::span<const Component> components) {
  const std::optional<JpegSteps>& luma = header.steps.at(components[0].step_table);
  if (!luma || components.size() == 1) {
    return luma ? jpeg_quality(*luma, nullptr) : std::nullopt;
  }
  const std::optional<JpegSteps>& chroma = header.steps.at(components[1].step_table);
  const bool is_usual = chroma && components[2].step_table == components[1].step_table;
  return is_usual ? jpeg_quality(*luma, &*chroma) : std::nullopt;
}

/// Bytes of 16-bit coefficients per pixel, rounded up.
std::uint64_t coefficient_bytes(std::span<const Component> components) {
  std::uint64_t horizontal = 1;
  std::uint64_t vertical = 1;
  std::uint64_t coefficients = 0;
  for (const Component& component : components) {
    horizontal = std::max<std::uint64_t>(horizontal, component.horizontal_sampling);
    vertical = std::max<std::uint64_t>(vertical, component.vertical_sampling);
    coefficients += std::uint64_t{component.horizontal_sampling} * component.vertical_sampling;
  }
  const std::uint64_t whole = horizontal * vertical;
  return (sizeof(std::int16_t) * coefficients + whole - 1) / whole;
}

constexpr std::size_t kTables = JpegHuffmanSlots::kCount;
static_assert(kTables == JpegStepTable::kSlots);
constexpr std::uint32_t kMaxSide = kMaxJpegSide;
constexpr double kDecodingMs = 15.0;  // measured: docs/performance.md, "Starts"

using HuffmanSlots = std::array<std::optional<JpegHuffmanTable>, kTables>;
using StepTable = std::array<std::uint16_t, 64>;  // in row order

/// The Huffman tables of one class (DC or AC) that the scan uses, numbered in the order of their first use.
class UsedTables {
 public:
  explicit UsedTables(std::array<JpegHuffmanTable, 2>& to) : to_(to) { numbers_.fill(-1); }

  /// The number of the table in `slot`. Returns nullopt if the table is undefined, or if the scan already uses two
  /// other tables.
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

/// Converts segments to an EncodedJpeg. Each member function returns false if libjpeg-turbo must read the file.
class JpegParser {
 public:
  explicit JpegParser(bool reads_scan) : reads_scan_(reads_scan) {}

  bool read_segment(const JpegSegment& segment);
  /// Reads the first scan's header and the coded bytes after it.
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

  bool reads_scan_;  // false: only the frame is read
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
    if (i == 0 && count == 3) {  // the factors of a single component have no effect: its MCU is one block
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
  // The two segments that decide the color space have minimum sizes in libjpeg.
  const auto begins = [&](std::string_view signature, std::size_t least) {
    return payload.size() >= least && std::memcmp(payload.data(), signature.data(), signature.size()) == 0;
  };
  if (marker == jpeg_marker::kApp0 && begins("JFIF\0"sv, 14)) {
    has_jfif_ = true;
    return u8_at(payload, 5) == 1;  // libjpeg warns about other versions
  }
  if (marker == jpeg_marker::kApp14 && begins("Adobe"sv, 12)) {
    adobe_transform_ = u8_at(payload, 11);
  }
  return true;
}

/// True if the three components are certainly YCbCr by libjpeg's rules.
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

JpegHeader read_jpeg_header(ByteSpan bytes, const std::string& name) {
  JpegHeader header;
  bool has_frame = false;
  JpegSegments segments(bytes);
  for (;;) {
    const std::optional<JpegSegment> segment = segments.next();
    if (!segment) {
      reject_truncated(name);
    }
    if (segment->marker == jpeg_marker::kStartOfScan) {
      header.keeps_coefficients = keeps_coefficients(*segment, header.frame, bytes, name);
      break;
    }
    if (segment->marker == jpeg_marker::kEndOfImage) {
      break;
    }
    if (segment->stands_alone()) {
      continue;
    }
    check_segment(*segment, name);
    if (segment->is_frame() && !has_frame) {
      read_frame(*segment, header, name);
      has_frame = true;
    }
    read_tables(*segment, header);
    read_application_data(*segment, header);
  }
  if (!has_frame) {
    reject_damaged(name, "it holds no image");
  }
  return header;
}

/// Declares the memory of decoding in parts, for a file of one scan: coefficients, and pixels that wait for the parts
/// above them.
void declare_parts(const JpegHeader& header, std::span<const Component> components, DeclaredImage& declared) {
  std::uint64_t vertical = 1;
  for (const Component& component : components) {
    vertical = std::max<std::uint64_t>(vertical, component.vertical_sampling);
  }
  const std::uint64_t row_pixels = std::uint64_t{header.frame.width} * 8 * vertical;
  const std::uint64_t coefficients = row_pixels * coefficient_bytes(components);
  const std::uint64_t all_rows = (header.frame.height + 8 * vertical - 1) / (8 * vertical);
  const std::uint64_t rows = std::min(
      std::max<std::uint64_t>(kJpegPartRows, kJpegPartBytes / std::max<std::uint64_t>(coefficients, 1)), all_rows);
  if (rows > 0 && rows < all_rows) {
    declared.most_parts = kMaxJpegPartThreads + 1;
    declared.part_bytes = (rows + 2) * coefficients + rows * row_pixels * declared.bytes_per_pixel;
  }
}

DeclaredImage declared_jpeg(ByteSpan beginning, const std::string& name) {
  const JpegHeader header = read_jpeg_header(beginning, name);
  const std::span<const Component> components = components_of(header.frame, name);
  DeclaredImage declared;
  declared.width = header.frame.width;
  declared.height = header.frame.height;
  declared.color = color_of(header, components);
  declared.decoded = {Sample::u8, components.size() == 1 ? 1 : 3};
  declared.bytes_per_pixel = declared.decoded.bytes_per_pixel();
  // A file with several scans has all coefficients in memory before the first row is complete.
  declared.decoder_bytes_per_pixel = header.keeps_coefficients ? coefficient_bytes(components) : 0;
  if (!header.keeps_coefficients) {
    declare_parts(header, components, declared);
  }
  declared.suits_backends = describe_jpeg(beginning).has_value();
  declared.decoding_ms = declared.suits_backends ? kDecodingMs : 0.0;
  declared.facts = {{"process", header.frame.is_progressive()
                                    ? std::string("progressive")
                                    : std::string(header.frame.is_baseline() ? "baseline" : "extended sequential")},
                    {"arithmetic", header.frame.is_arithmetic()}};
  if (components.size() > 1) {
    declared.facts.push_back({"sampling", sampling_of(components)});
  }
  if (const std::optional<int> quality = quality_of(header, components)) {
    declared.facts.push_back({"quality", static_cast<std::uint64_t>(*quality)});
  }
  declared.facts.push_back({"restart_interval", std::uint64_t{header.restart_interval}});
  return declared;
}

Metadata jpeg_header_metadata(ByteSpan beginning, const std::string& name, std::vector<std::string>& details) {
  return read_jpeg_metadata(read_jpeg_header(beginning, name), details);
}

std::optional<EncodedJpeg> describe_jpeg(ByteSpan bytes) noexcept { return describe(bytes, true); }
std::optional<EncodedJpeg> describe_jpeg_frame(ByteSpan bytes) noexcept { return describe(bytes, false); }

}  // namespace gpuimg::codecs::jpeg
