// Walks the marker segments up to the first scan, as libjpeg-turbo does.
#include "codecs/jpeg/jpeg_segments.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <string_view>

#include "codecs/byte_fields.hpp"
#include "codecs/refusals.hpp"

namespace gpuimg::codecs {
namespace {

using namespace std::string_view_literals;

constexpr std::uint32_t kStartOfScan = 0xDA;
constexpr std::uint32_t kEndOfImage = 0xD9;
constexpr std::uint32_t kHuffman = 0xC4;
constexpr std::uint32_t kQuantization = 0xDB;
constexpr std::uint32_t kRestartInterval = 0xDD;
constexpr std::uint32_t kApp0 = 0xE0;
constexpr std::uint32_t kApp1 = 0xE1;
constexpr std::uint32_t kApp2 = 0xE2;
constexpr std::uint32_t kApp13 = 0xED;
constexpr std::uint32_t kApp14 = 0xEE;
constexpr std::uint32_t kApp15 = 0xEF;
constexpr std::uint32_t kComment = 0xFE;

bool stands_alone(std::uint32_t marker) { return marker == 0x01 || (marker >= 0xD0 && marker <= 0xD8); }

bool is_frame(std::uint32_t marker) {
  return marker >= 0xC0 && marker <= 0xCF && marker != 0xC4 && marker != 0xC8 && marker != 0xCC;
}

void check_process(std::uint32_t marker, std::uint32_t precision, const std::string& name) {
  if (marker == 0xC3 || marker == 0xCB) {
    refuse_unsupported(name, "lossless JPEG");
  }
  if (marker != 0xC0 && marker != 0xC1 && marker != 0xC2 && marker != 0xC9 && marker != 0xCA) {
    refuse_unsupported(name, "hierarchical JPEG");
  }
  if (precision != 8) {
    refuse_unsupported(name, fmt::format("{}-bit JPEG", precision));
  }
}

void read_frame(ByteSpan segment, std::uint32_t marker, JpegHeader& header, const std::string& name) {
  constexpr std::size_t kFrameBytes = 6;
  if (segment.size() < kFrameBytes) {
    refuse_damaged(name, "its frame header is too short");
  }
  check_process(marker, u8_at(segment, 0), name);
  header.height = u16be_at(segment, 1);
  header.width = u16be_at(segment, 3);
  header.components = u8_at(segment, 5);
  if (header.components != 1 && header.components != 3 && header.components != 4) {
    refuse_unsupported(name, fmt::format("JPEG of {} channels", header.components));
  }
  header.is_baseline = marker == 0xC0;
  header.is_progressive = marker == 0xC2 || marker == 0xCA;
  header.is_arithmetic = marker >= 0xC9;
  header.frame = segment;
}

/// One segment may define several tables; the last definition counts. Ignores what is cut off: libjpeg-turbo judges it.
void read_quantization(ByteSpan segment, JpegHeader& header) {
  constexpr std::size_t kSteps = 64;
  while (!segment.empty()) {
    const std::uint32_t id = u8_at(segment, 0) & 15U;
    const std::size_t bytes = u8_at(segment, 0) >> 4U != 0 ? 2 * kSteps : kSteps;
    if (id >= header.quantization.size() || segment.size() - 1 < bytes) {
      return;
    }
    header.quantization[id] = segment.subspan(1, bytes);
    segment = segment.subspan(1 + bytes);
  }
}

void read_tables(ByteSpan segment, std::uint32_t marker, JpegHeader& header) {
  if (marker == kQuantization) {
    read_quantization(segment, header);
  } else if (marker == kRestartInterval && segment.size() >= 2) {
    header.restart_interval = u16be_at(segment, 0);
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

/// The number of pictures that the index of a Multi-Picture Format lists (CIPA DC-007, tag B001); 0 if it is damaged.
std::uint32_t mpf_pictures(ByteSpan index) {
  constexpr std::size_t kHeaderBytes = 8;
  constexpr std::size_t kEntryBytes = 12;
  if (index.size() < kHeaderBytes) {
    return 0;
  }
  const bool is_little = u8_at(index, 0) == 'I';
  const auto u16 = [&](std::size_t at) { return is_little ? u16le_at(index, at) : u16be_at(index, at); };
  const auto u32 = [&](std::size_t at) { return is_little ? u32le_at(index, at) : u32be_at(index, at); };
  const std::size_t entries = u32(4);
  for (std::size_t i = 0; entries + 2 <= index.size() && i < u16(entries); ++i) {
    const std::size_t entry = entries + 2 + i * kEntryBytes;
    if (entry + kEntryBytes > index.size()) {
      return 0;
    }
    if (u16(entry) == 0xB001) {
      return u32(entry + 8);
    }
  }
  return 0;
}

/// True if the header has a member for the segment, or libjpeg-turbo reads it.
bool is_known_application_data(ByteSpan segment, std::uint32_t marker, JpegHeader& header) {
  switch (marker) {
    case kApp0: return set_if_empty(header.jfif, after_signature("JFIF\0"sv, segment));
    case kApp1:
      return set_if_empty(header.exif, after_signature("Exif\0\0"sv, segment)) ||
             set_if_empty(header.xmp, after_signature(kJpegXmpSignature, segment)) ||
             add_part(header.xmp_extension_parts, after_signature(kJpegXmpExtensionSignature, segment), 40);
    case kApp2:
      header.pictures = std::max(header.pictures, mpf_pictures(after_signature("MPF\0"sv, segment)));
      return add_part(header.icc_parts, after_signature("ICC_PROFILE\0"sv, segment), 2);
    case kApp13: return add_part(header.photoshop_parts, after_signature(kJpegPhotoshopSignature, segment), 1);
    case kApp14:
      (void)set_if_empty(header.adobe, after_signature("Adobe"sv, segment));
      return !after_signature("Adobe"sv, segment).empty();
    default: return false;
  }
}

void read_application_data(ByteSpan segment, std::uint32_t marker, JpegHeader& header) {
  const bool is_application_data = marker >= kApp0 && marker <= kApp15;
  if (is_application_data && !is_known_application_data(segment, marker, header)) {
    header.other_segments |= 1U << (marker - kApp0);
  } else if (marker == kComment) {
    header.other_segments |= 1U << 16U;
  }
}

/// Returns the first marker at or after `offset` and moves `offset` past it. Like libjpeg-turbo, skips bytes that are
/// not markers; libjpeg-turbo warns about them.
std::uint32_t next_marker(ByteSpan bytes, std::size_t& offset, const std::string& name) {
  for (;;) {
    while (offset < bytes.size() && u8_at(bytes, offset) != 0xFF) {
      ++offset;
    }
    while (offset < bytes.size() && u8_at(bytes, offset) == 0xFF) {
      ++offset;
    }
    if (offset == bytes.size()) {
      refuse_truncated(name);
    }
    const std::uint32_t marker = u8_at(bytes, offset++);
    if (marker != 0) {
      return marker;
    }
  }
}

}  // namespace

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

JpegHeader read_jpeg_header(std::span<const std::byte> bytes, const std::string& name) {
  JpegHeader header;
  bool has_frame = false;
  std::size_t offset = 2;
  for (;;) {
    const std::uint32_t marker = next_marker(bytes, offset, name);
    if (stands_alone(marker)) {
      continue;
    }
    if (marker == kStartOfScan) {
      // In a scan of some components, the coefficients wait for the other scans.
      if (bytes.size() - offset <= 2) {
        refuse_truncated(name);
      }
      const bool is_whole = u8_at(bytes, offset + 2) >= header.components;
      header.keeps_coefficients = header.is_progressive || !is_whole;
      break;
    }
    if (marker == kEndOfImage) {
      break;
    }
    if (bytes.size() - offset < 2) {
      refuse_truncated(name);
    }
    const bool is_ignored = (marker >= kApp0 && marker <= kApp15) || marker == kComment;
    // libjpeg-turbo takes a comment or application data of an impossible length as empty.
    const std::size_t length = std::max(u16be_at(bytes, offset), is_ignored ? 2U : 0U);
    if (length < 2) {
      refuse_damaged(name, "a marker segment has an impossible length");
    }
    if (bytes.size() - offset < length) {
      refuse_truncated(name);
    }
    const ByteSpan segment = bytes.subspan(offset + 2, length - 2);
    if (segment.empty() && (marker == kHuffman || marker == kQuantization)) {
      refuse_damaged(name, "a segment of tables is empty");  // libjpeg-turbo takes the tables for bytes in between
    }
    if (is_frame(marker) && !has_frame) {
      read_frame(segment, marker, header, name);
      has_frame = true;
    }
    read_tables(segment, marker, header);
    read_application_data(segment, marker, header);
    offset += length;
  }
  if (!has_frame) {
    refuse_damaged(name, "it holds no image");
  }
  return header;
}

}  // namespace gpuimg::codecs
