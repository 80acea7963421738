// Sets up a scan as libjpeg does (jdinput.c, jdphuff.c), and walks its MCUs.
#include "codecs/jpeg/jpeg_scan_codes.hpp"

#include <algorithm>
#include <optional>
#include <span>
#include <utility>

#include "codecs/jpeg/jpeg_huffman_slots.hpp"

namespace gpuimg::codecs {

namespace {

constexpr std::uint32_t kHuffmanTables = 0xC4;
constexpr std::uint32_t kRestartInterval = 0xDD;
constexpr unsigned kMaxCoefficientBits = 15;  // and a sign

/// What segments before a scan define for it.
struct Tables {
  JpegHuffmanSlots huffman;
  std::size_t restart_interval = 0;

  /// `segments`: each is complete, as read_jpeg_script has checked.
  bool read(ByteSpan segments) {
    while (!segments.empty()) {
      const std::uint32_t marker = u8_at(segments, 1);
      const std::size_t length = u16be_at(segments, 2);
      const ByteSpan segment = segments.subspan(4, length - 2);
      segments = segments.subspan(2 + length);
      if (marker == kHuffmanTables && !huffman.read(segment)) {
        return false;
      }
      if (marker == kRestartInterval) {
        if (segment.size() != 2) {
          return false;
        }
        restart_interval = u16be_at(segment, 0);
      }
    }
    return true;
  }
};

std::optional<Tables> tables_of(const JpegScript& script, std::size_t scan) {
  constexpr std::size_t kStartOfImage = 2;
  Tables tables;
  bool is_sound = tables.read(script.header.subspan(kStartOfImage));
  for (std::size_t i = 0; i <= scan && is_sound; ++i) {
    is_sound = tables.read(script.scans[i].tables);
  }
  return is_sound ? std::optional(tables) : std::nullopt;
}

DecodeJpegBlocks* decoder_of(const JpegScan& scan, bool is_progressive) {
  if (!is_progressive) {
    return decode_jpeg_whole_blocks;
  }
  if (scan.first == 0) {
    return scan.is_refining ? decode_jpeg_dc_bit : decode_jpeg_dc;
  }
  return scan.is_refining ? decode_jpeg_ac_bit : decode_jpeg_ac;
}

/// The tables of a component. Returns false if libjpeg would refuse one that the scan needs.
bool set_part(JpegScanState& state, std::size_t number, const JpegScan& scan, const JpegHuffmanSlots& slots) {
  const auto [component, dc, ac] = scan.parts[number];
  JpegScanState::Part& part = state.parts[number];
  const bool needs_dc = scan.first == 0 && !scan.is_refining;
  const bool needs_ac = scan.last != 0;
  return (!needs_dc || (dc < slots.dc.size() && slots.dc[dc] && part.dc.set_dc(*slots.dc[dc]))) &&
         (!needs_ac ||
          (ac < slots.ac.size() && slots.ac[ac] && part.ac.set_ac(*slots.ac[ac], state.shift, state.max_value_bits)));
}

}  // namespace

JpegScanCodes::JpegScanCodes(const JpegScript& script, std::size_t scan, JpegCodeBits codes,
                             const jpeg_decompress_struct& info, std::uint32_t cleared)
    : scan_(script.scans[scan]), info_(info), cleared_(cleared), state_(std::move(codes)) {
  state_.first = scan_.first;
  state_.last = scan_.last;
  state_.shift = scan_.low;
  state_.max_value_bits = scan_.is_refining ? 1 : kMaxCoefficientBits - scan_.low;
  const std::optional<Tables> tables = tables_of(script, scan);
  if (!tables || !is_possible()) {
    return;
  }
  state_.parts.resize(scan_.parts.size());
  for (std::size_t i = 0; i < scan_.parts.size(); ++i) {
    if (!set_part(state_, i, scan_, tables->huffman)) {
      return;
    }
  }
  until_restart_ = restart_interval_ = tables->restart_interval;
  decode_blocks_ = decoder_of(scan_, script.is_progressive);
}

/// libjpeg's limits.
bool JpegScanCodes::is_possible() const {
  constexpr std::uint32_t kMaxLow = 13;
  int blocks = 0;
  for (const JpegScan::Part& part : scan_.parts) {
    const jpeg_component_info& of = component(part.component);
    blocks += of.h_samp_factor * of.v_samp_factor;
  }
  return scan_.low <= kMaxLow && (scan_.parts.size() == 1 || blocks <= D_MAX_BLOCKS_IN_MCU);
}

const jpeg_component_info& JpegScanCodes::component(std::size_t number) const {
  return std::span(info_.comp_info, static_cast<std::size_t>(info_.num_components))[number];
}

bool JpegScanCodes::decode_to(int end, JpegCoefficientRows& rows) {
  for (; decode_blocks_ != nullptr && next_row_ < end; ++next_row_) {
    for (const JpegScan::Part& part : scan_.parts) {
      if ((cleared_ >> part.component & 1U) != 0) {
        rows.clear(static_cast<int>(part.component), next_row_);
      }
    }
    if (!(scan_.parts.size() == 1 ? decode_rows_of_blocks(rows) : decode(row_of_mcus(rows)))) {
      return false;
    }
  }
  const bool is_last = end == static_cast<int>(info_.total_iMCU_rows);
  return decode_blocks_ != nullptr && (!is_last || (state_.end_run == 0 && state_.in.ends_all(state_.cursor)));
}

/// Of a scan of one component an MCU is one block, and the image has no more of them than it needs.
bool JpegScanCodes::decode_rows_of_blocks(JpegCoefficientRows& rows) {
  const auto number = static_cast<int>(scan_.parts.front().component);
  const jpeg_component_info& of = component(scan_.parts.front().component);
  const auto height = static_cast<int>(of.height_in_blocks);
  const int count = std::min(of.v_samp_factor, height - next_row_ * of.v_samp_factor);
  const JBLOCKARRAY blocks = rows.row(number, next_row_);
  JpegBlockRow row{.places = {{.first = nullptr, .nonzero = nullptr}}, .mcus = of.width_in_blocks};
  for (int i = 0; i < count; ++i) {
    row.places.front().first = blocks[i];
    row.places.front().nonzero =
        rows.nonzero(number, next_row_).data() + static_cast<std::size_t>(i) * rows.blocks_per_row(number);
    if (!decode(row)) {
      return false;
    }
  }
  return true;
}

JpegBlockRow JpegScanCodes::row_of_mcus(JpegCoefficientRows& rows) {
  JpegBlockRow row;
  const auto width = static_cast<std::size_t>(info_.max_h_samp_factor) * DCTSIZE;
  row.mcus = (info_.image_width + width - 1) / width;
  for (std::size_t part = 0; part < scan_.parts.size(); ++part) {
    const std::size_t number = scan_.parts[part].component;
    const jpeg_component_info& of = component(number);
    const JBLOCKARRAY blocks = rows.row(static_cast<int>(number), next_row_);
    for (int y = 0; y < of.v_samp_factor; ++y) {
      for (int x = 0; x < of.h_samp_factor; ++x) {
        row.places.push_back({part, blocks[y] + x, static_cast<std::size_t>(of.h_samp_factor), nullptr});
      }
    }
  }
  return row;
}

bool JpegScanCodes::decode(const JpegBlockRow& row) {
  for (std::size_t mcu = 0; mcu < row.mcus;) {
    if (restart_interval_ != 0 && until_restart_ == 0 && !restart()) {
      return false;
    }
    const std::size_t left = row.mcus - mcu;
    const std::size_t count = restart_interval_ == 0 ? left : std::min(left, until_restart_);
    if (!decode_blocks_(state_, row, mcu, mcu + count)) {
      return false;
    }
    until_restart_ -= restart_interval_ == 0 ? 0 : count;
    mcu += count;
  }
  return true;
}

bool JpegScanCodes::restart() {
  constexpr unsigned kNumbers = 8;
  for (JpegScanState::Part& part : state_.parts) {
    part.last_dc = 0;
  }
  until_restart_ = restart_interval_;
  return state_.end_run == 0 && state_.in.ends(state_.cursor) &&
         state_.in.restart(state_.cursor, restarts_++ % kNumbers);
}

}  // namespace gpuimg::codecs
