// Removes the zero after each byte 0xFF, finds the markers, builds the code tables as libjpeg does (jdhuff.c), and runs
// the loops of jpeg_block_codes.cpp row by row.
#include "codecs/jpeg/jpeg_scan_codes.hpp"

#include <algorithm>
#include <numeric>
#include <optional>
#include <span>
#include <utility>

#include "codecs/jpeg/jpeg_segments.hpp"

namespace gpuimg::codecs::jpeg {
namespace {

constexpr std::size_t kBytes = 1 << 13;
constexpr std::size_t kLoadedBytes = 1 << 15;

/// The cursor loads 8 bytes, up to 7 of them ahead of time.
constexpr std::size_t kReserve = JpegCodeBits::kMaxBlockBytes + 2 * sizeof(std::uint64_t);

constexpr unsigned kMaxCoefficientBits = 15;  // plus a sign

/// Tables and intervals defined by the segments before a scan.
struct Tables {
  JpegHuffmanSlots huffman;
  std::size_t restart_interval = 0;

  /// The segments must not be cut off; read_jpeg_script has checked this.
  bool read(JpegSegments segments) {
    while (const std::optional<JpegSegment> segment = segments.next()) {
      if (segment->marker == jpeg_marker::kHuffmanTables && !huffman.read(segment->payload)) {
        return false;
      }
      if (segment->marker == jpeg_marker::kRestartInterval) {
        if (segment->payload.size() != 2) {
          return false;
        }
        restart_interval = u16be_at(segment->payload, 0);
      }
    }
    return true;
  }
};

std::optional<Tables> tables_of(const JpegScript& script, std::size_t scan) {
  Tables tables;
  bool is_sound = tables.read(JpegSegments(script.header));
  for (std::size_t i = 0; i <= scan && is_sound; ++i) {
    is_sound = tables.read(JpegSegments(script.scans[i].tables, 0));
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

/// Sets the tables of a component. Returns false if the scan needs a table that libjpeg would reject.
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

JpegCodeBits::JpegCodeBits(ByteSpan coded) : coded_(coded), buffer_(kBytes + 2 * kReserve), end_(buffer_.data()) {}

JpegCodeBits::JpegCodeBits(const RandomAccess& file, std::uint64_t begin) : JpegCodeBits(ByteSpan{}) {
  file_ = &file;
  offset_ = begin;
  loaded_.resize(kLoadedBytes);
}

bool JpegCodeBits::fill(JpegBitCursor& cursor) {
  if (is_at_marker_) {
    return false;
  }
  const std::uint8_t* const from = cursor.at == nullptr ? end_ : cursor.at;
  const std::size_t left = static_cast<std::size_t>(end_ - from);
  std::memmove(buffer_.data(), from, left);
  end_ = buffer_.data() + left;
  unstuff();
  cursor.at = buffer_.data();
  std::memset(end_, 0, kReserve);
  safe_ = is_at_marker_ ? end_ + sizeof(std::uint64_t) : end_ - kReserve;
  return true;
}

/// Fills the buffer up to the next marker, or until only kReserve bytes are free.
void JpegCodeBits::unstuff() {
  std::uint8_t* const limit = buffer_.data() + buffer_.size() - kReserve;
  while (end_ < limit && !is_at_marker_) {
    load_marker();
    const std::byte* const from = coded_.data() + next_;
    const std::size_t most = std::min(static_cast<std::size_t>(limit - end_), coded_.size() - next_);
    const void* const found = most == 0 ? nullptr : std::memchr(from, 0xFF, most);
    const std::size_t count =
        found == nullptr ? most : static_cast<std::size_t>(static_cast<const std::byte*>(found) - from);
    std::memcpy(end_, from, count);
    end_ += count;
    next_ += count;
    if (found != nullptr) {
      is_at_marker_ = !load_marker() || u8_at(coded_, next_ + 1) != 0;
      *end_ = 0xFF;
      end_ += is_at_marker_ ? 0 : 1;
      next_ += is_at_marker_ ? 0 : 2;
    } else if (!load_marker() && next_ == coded_.size()) {
      is_at_marker_ = true;
    }
  }
}

/// Loads at least two bytes. Returns false if fewer are left.
bool JpegCodeBits::load_marker() {
  const std::size_t left = coded_.size() - next_;
  if (left >= 2 || file_ == nullptr) {
    return left >= 2;
  }
  if (left == 1) {
    loaded_[0] = coded_[next_];
  }
  const std::size_t count = file_->read(offset_, std::span(loaded_).subspan(left));
  offset_ += count;
  coded_ = std::span(loaded_).first(left + count);
  next_ = 0;
  return coded_.size() >= 2;
}

bool JpegCodeBits::read_segment_end(JpegBitCursor& cursor) {
  if (!is_at_marker_) {
    fill(cursor);
  }
  const std::ptrdiff_t left = (end_ - cursor.at) * 8 + static_cast<std::ptrdiff_t>(cursor.count);
  return is_at_marker_ && left >= 0 && left < 8;
}

bool JpegCodeBits::read_scan_end(JpegBitCursor& cursor) {
  if (!read_segment_end(cursor)) {
    return false;
  }
  return file_ == nullptr ? next_ == coded_.size()
                          : load_marker() && u8_at(coded_, next_ + 1) == jpeg_marker::kEndOfImage;
}

std::optional<std::size_t> JpegCodeBits::offset_of(const JpegBitCursor& cursor) const {
  const std::ptrdiff_t left = (end_ - cursor.at) * 8 + static_cast<std::ptrdiff_t>(cursor.count);
  if (cursor.at == nullptr || left < 0) {
    return std::nullopt;
  }
  std::size_t offset = next_;
  for (std::ptrdiff_t bytes = left / 8; bytes > 0; --bytes) {
    const bool is_stuffed = offset >= 2 && u8_at(coded_, offset - 1) == 0 && u8_at(coded_, offset - 2) == 0xFF;
    offset -= is_stuffed ? 2 : 1;
  }
  return offset;
}

bool JpegCodeBits::restart(JpegBitCursor& cursor, unsigned number) {
  if (coded_.size() - next_ < 2 || u8_at(coded_, next_ + 1) != jpeg_marker::kFirstRestart + number) {
    return false;
  }
  next_ += 2;
  is_at_marker_ = false;
  end_ = buffer_.data();
  cursor = {};
  return fill(cursor);
}

/// `entry_of(symbol, bits, rest, rest_bits)` returns the entry for a code of `bits` bits. `rest` holds the bits of the
/// index that follow the code.
template <class Entry>
bool JpegCodeTable::set(const JpegHuffmanTable& from, Entry entry_of) {
  symbols_ = from.symbols;
  entries_.fill({0, JpegCodeEntry::kLong, 0});
  unsigned code = 0;
  unsigned index = 0;
  for (unsigned length = 1; length <= kMaxLength; ++length) {
    index_[length] = index - code;
    const unsigned count = from.codes_of_length[length - 1];
    if (index + count > symbols_.size()) {
      return false;
    }
    for (unsigned i = 0; i < count && length <= kBits && (code + i) >> length == 0; ++i) {
      const unsigned rest_bits = kBits - length;
      for (unsigned rest = 0; rest < 1U << rest_bits; ++rest) {
        entries_[(code + i) << rest_bits | rest] = entry_of(symbols_[index + i], length, rest, rest_bits);
      }
    }
    index += count;
    code += count;
    if (count != 0 && code >> length != 0) {  // no code may consist only of ones
      return false;
    }
    end_[length] = code;
    code <<= 1;
  }
  return true;
}

bool JpegCodeTable::set_dc(const JpegHuffmanTable& from) {
  constexpr unsigned kMaxValueBits = 15;
  const auto entry_of = [](unsigned symbol, unsigned bits, unsigned rest, unsigned rest_bits) {
    const bool fits = symbol <= rest_bits;
    const int value = fits ? jpeg_value(rest >> (rest_bits - symbol), symbol) : static_cast<int>(symbol);
    return JpegCodeEntry(value, fits ? 0 : JpegCodeEntry::kSymbol, fits ? bits + symbol : bits);
  };
  const unsigned count = std::accumulate(from.codes_of_length.begin(), from.codes_of_length.end(), 0U);
  return set(from, entry_of) && std::all_of(symbols_.begin(), symbols_.begin() + count,
                                            [](unsigned symbol) { return symbol <= kMaxValueBits; });
}

bool JpegCodeTable::set_ac(const JpegHuffmanTable& from, unsigned shift, unsigned max_value_bits) {
  const auto entry_of = [&](unsigned symbol, unsigned bits, unsigned rest, unsigned rest_bits) {
    const unsigned run = symbol >> 4;
    const unsigned value_bits = symbol & 15;
    const JpegCodeEntry as_symbol(static_cast<int>(symbol), JpegCodeEntry::kSymbol, bits);
    if (value_bits == 0) {
      const bool fits = run < 15 && run <= rest_bits;
      const auto blocks = [&] { return static_cast<int>((1U << run) + (rest >> (rest_bits - run))); };
      return fits ? JpegCodeEntry(blocks(), JpegCodeEntry::kEndOfBand, bits + run) : as_symbol;
    }
    if (value_bits > rest_bits || value_bits > max_value_bits) {
      return as_symbol;
    }
    const int value = jpeg_value(rest >> (rest_bits - value_bits), value_bits) * (1 << shift);
    return JpegCodeEntry(value, run, bits + value_bits);
  };
  return set(from, entry_of);
}

JpegCodeTable::Symbol JpegCodeTable::long_code(unsigned window) const {
  for (unsigned length = kBits + 1; length <= kMaxLength; ++length) {
    const unsigned code = window >> (kMaxLength - length);
    if (code < end_[length]) {
      return {symbols_[index_[length] + code], length};
    }
  }
  return {};
}

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

/// Applies libjpeg's limits.
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
  return decode_blocks_ != nullptr && (!is_last || (state_.end_run == 0 && state_.in.read_scan_end(state_.cursor)));
}

std::optional<std::size_t> JpegScanCodes::end_of_codes() const {
  const bool has_all = next_row_ == static_cast<int>(info_.total_iMCU_rows) && state_.end_run == 0;
  return has_all ? state_.in.offset_of(state_.cursor) : std::nullopt;
}

/// In a scan of one component, an MCU is one block, and blocks beyond the image's edges are not coded.
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
  return state_.end_run == 0 && state_.in.read_segment_end(state_.cursor) &&
         state_.in.restart(state_.cursor, restarts_++ % kNumbers);
}

}  // namespace gpuimg::codecs::jpeg
