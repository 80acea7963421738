// Runs the steps of the device's encoder one after another. This code uses loops where the device's threads of a warp
// or block work together.
#include "support/png_encoder_twin.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <span>

#include "codecs/image_writer.hpp"
#include "codecs/stored_samples.hpp"
#include "png/checksums.hpp"
#include "png/deflate.hpp"
#include "png/row_filter.hpp"
#include "png/strips.hpp"
#include "support/encoded_bytes.hpp"

namespace gpuimg::test {

using namespace png;

namespace {

constexpr std::size_t kReadAhead = 512;
constexpr std::uint32_t kLanes = 32;

struct LoadWord {
  std::uint32_t operator()(const std::uint8_t* at) const {
    std::uint32_t word = 0;
    std::memcpy(&word, at, sizeof word);
    return word;
  }
};

struct PartCounts {
  std::array<std::uint32_t, kLiteralSymbols> literals{};
  std::array<std::uint32_t, kDistanceSymbols> distances{};
};

template <std::uint32_t kSymbols>
void choose_long_code(const std::array<std::uint32_t, kSymbols>& counts, std::uint32_t max_bits,
                      std::uint8_t* lengths) {
  HuffmanTree<kSymbols> tree;
  tree.leaves = 0;
  std::array<std::uint32_t, kSymbols> ranks{};
  for (std::uint32_t symbol = 0; symbol < kSymbols; ++symbol) {
    if (counts[symbol] != 0) {
      ranks[symbol] = rank_of(counts.data(), kSymbols, symbol);
      tree.weight[ranks[symbol]] = counts[symbol];
      ++tree.leaves;
    }
  }
  LengthCounts of_length{};
  if (tree.leaves > 1) {
    tree.join();
    for (std::uint32_t leaf = 0; leaf < tree.leaves; ++leaf) {
      ++of_length.of[std::min(tree.leaf_depth(leaf), max_bits)];
    }
    restore_prefix_code(of_length, max_bits);
  }
  for (std::uint32_t symbol = 0; symbol < kSymbols; ++symbol) {
    const std::uint32_t length = tree.leaves == 1 ? 1 : length_of_rank(of_length, max_bits, ranks[symbol]);
    lengths[symbol] = static_cast<std::uint8_t>(counts[symbol] == 0 ? 0 : length);
  }
}

class PngTwin {
 public:
  PngTwin(ConstView pixels, const PngDataFormat& format)
      : level_(format.level),
        layout_(layout_of(pixels.width, pixels.height, pixels.format)),
        pixel_bytes_(static_cast<std::uint32_t>(pixels.format.bytes_per_pixel())),
        is_16_bit_(pixels.format.sample == Sample::u16) {
    for (int y = 0; y < pixels.height; ++y) {
      const auto* row = pixels.row<std::uint8_t>(y);
      pixels_.insert(pixels_.end(), row, row + layout_.row_bytes);
    }
    pixels_.resize(pixels_.size() + 16);
  }

  std::vector<std::byte> run() {
    filter_rows();
    for (std::uint32_t part = 0; part < layout_.part_count(); ++part) {
      find_matches(layout_.part(part));
    }
    count_symbols();
    for (std::uint32_t block = 0; block < layout_.block_count(); ++block) {
      choose_codes(block);
    }
    place_chunks();
    for (std::uint32_t part = layout_.part_count(); part-- > 0;) {  // from last to first, because parts share words
      pack(part);
    }
    for (std::uint32_t strip = 0; strip < layout_.strips; ++strip) {
      checksum(chunks_[strip]);
    }
    return {bytes_.begin(), bytes_.begin() + static_cast<std::ptrdiff_t>(chunks_.back().end)};
  }

 private:
  void filter_rows();
  void find_matches(const PartPlace& part);
  void prime(const std::uint8_t* base, std::uint32_t begin);
  void search(const std::uint8_t* base, std::uint32_t strip, std::uint32_t begin, std::uint32_t end,
              std::uint32_t stop);
  void count_symbols();
  void choose_codes(std::uint32_t block);
  void place_chunks();
  void pack(std::uint32_t number);
  void store(const PartPlace& part, std::uint64_t bit);
  void checksum(const ChunkPlace& place);

  template <class Each>
  void read_symbols(const PartPlace& part, Each&& each) const;

  [[nodiscard]] const std::uint8_t* strip(std::uint32_t number) const {
    return filtered_.data() + number * layout_.strip_stride();
  }
  [[nodiscard]] std::uint64_t strip_slot(std::uint32_t number) const {
    return number * layout_.strip_stride() / kSlotBytes;
  }
  static std::uint64_t word_at(const std::uint8_t* at) {
    std::uint64_t word = 0;
    std::memcpy(&word, at, sizeof word);
    return word;
  }
  void put(std::uint64_t byte, std::uint32_t value) { bytes_.at(byte) = static_cast<std::byte>(value); }
  void add_bits(std::uint64_t word, std::uint32_t bits) {
    for (std::uint64_t i = 0; i < 4 && 4 * word + i < bytes_.size(); ++i) {
      bytes_[4 * word + i] |= static_cast<std::byte>(bits >> (8 * i));
    }
  }

  int level_;
  StripLayout layout_;
  std::uint32_t pixel_bytes_;
  bool is_16_bit_;
  std::vector<std::uint8_t> pixels_;
  std::vector<std::uint8_t> filtered_;
  AdlerSums adler_;
  std::array<std::uint16_t, 1U << kPartHashBits> positions_{};
  std::vector<Match> slots_;
  std::vector<PartCounts> counts_;
  std::vector<std::uint32_t> part_bits_;
  std::vector<BlockCodes> blocks_;
  std::vector<std::uint64_t> block_begins_;
  std::vector<ChunkPlace> chunks_;
  std::vector<std::byte> bytes_;
};

void PngTwin::filter_rows() {
  filtered_.assign(layout_.memory_bytes() + kReadAhead, 0xCD);
  const PngRows rows(pixels_.data(), layout_.row_bytes, pixel_bytes_, is_16_bit_, LoadWord());
  for (std::uint32_t row = 0; row < layout_.height; ++row) {
    std::array<std::uint64_t, kFilterCount> costs{};
    for (std::uint64_t stretch = pixel_bytes_; stretch < layout_.row_bytes; stretch += 2 * kCostStretchBytes) {
      for (std::uint64_t at = stretch; at < stretch + kCostStretchBytes && at < layout_.row_bytes; at += 4) {
        const Neighbors neighbors = rows.neighbors(row, static_cast<std::int64_t>(at));
        for (int filter = 0; filter < kFilterCount; ++filter) {
          costs.at(static_cast<std::size_t>(filter)) +=
              cost_of(first_bytes(residues(filter, neighbors), layout_.row_bytes - at));
        }
      }
    }
    const int filter = cheapest_filter(costs.data());
    std::uint8_t* const to = filtered_.data() + layout_.row_begin(row);
    AdlerSums sums;
    for (std::uint64_t at = 0; at <= layout_.row_bytes; at += 4) {
      std::uint32_t bytes = residues(filter, rows.neighbors(row, static_cast<std::int64_t>(at) - 1));
      if (at == 0) {
        bytes = (bytes & ~0xFFU) | static_cast<std::uint32_t>(filter);
      }
      bytes = first_bytes(bytes, layout_.row_bytes + 1 - at);
      std::memcpy(to + at, &bytes, std::min<std::uint64_t>(4, layout_.row_bytes + 1 - at));
      sums.add(bytes, layout_.row_bytes + 1 - at);
    }
    sums.reduce();
    sums.move_from_end((layout_.height - row - 1) * (layout_.row_bytes + 1));
    adler_.low += sums.low;
    adler_.high += sums.high;
  }
  slots_.assign(layout_.memory_bytes() / kSlotBytes, {});
}

void PngTwin::find_matches(const PartPlace& part) {
  if (part.begin >= part.end) {
    return;
  }
  const std::uint8_t* const base = strip(part.strip);
  std::uint32_t samples = 0;
  std::uint32_t nonzero = 0;
  for (std::uint32_t position = part.block_begin; position + 8 <= part.block_end; position += kSampleStep) {
    ++samples;
    nonzero += word_at(base + position) != 0 ? 1 : 0;
  }
  const bool is_whole = is_one_part(samples, nonzero);
  if (is_whole && part.begin != part.block_begin) {
    return;
  }
  const std::uint32_t end = is_whole ? part.block_end : part.end;
  const std::uint32_t stop = search_end(end, layout_.strip_bytes(part.strip));
  if (part.begin < stop) {
    prime(base, part.begin);
    search(base, part.strip, part.begin, end, stop);
  }
}

void PngTwin::prime(const std::uint8_t* base, std::uint32_t begin) {
  positions_.fill(static_cast<std::uint16_t>(oldest_position(begin)));
  for (std::uint32_t position = first_primed(begin); position + 8 <= begin; position += kPrimingStep) {
    positions_.at(hash_slot(word_at(base + position), kPartHashBits)) = static_cast<std::uint16_t>(position);
  }
}

/// Works like the kernel: each of the 30 attempts of an iteration uses the table of the previous iteration and the
/// positions of the attempts before it.
void PngTwin::search(const std::uint8_t* base, std::uint32_t strip, std::uint32_t begin, std::uint32_t end,
                     std::uint32_t stop) {
  struct Lane {
    std::uint32_t position;
    std::uint32_t slot;
    std::uint32_t earlier;
    bool takes_part;
    bool hits;
  };
  const SearchSettings settings = search_settings(level_);
  std::uint32_t coded_end = begin;
  std::uint32_t place = std::max(begin, kFirstPosition + 1);
  std::uint32_t misses = 0;
  bool notes = begin > 0;
  while (place < stop) {
    std::array<Lane, kLanes> lanes{};
    std::uint32_t first = kLanes;
    for (std::uint32_t i = 0; i < kLanes; ++i) {
      Lane& lane = lanes.at(i);
      const bool is_noting = i < 2;
      lane.position = is_noting ? place - (i == 0 ? kFarNoted : kNearNoted)
                                : attempt_position(place, misses, i - 2, settings.skip_bits);
      lane.takes_part = is_noting ? notes : lane.position < stop;
      if (!lane.takes_part) {
        continue;
      }
      const std::uint8_t* const at = base + lane.position;
      lane.slot = hash_slot(word_at(at), kPartHashBits);
      std::uint16_t noted = positions_.at(lane.slot);
      for (std::uint32_t lower = 0; lower < i; ++lower) {
        if (lanes.at(lower).takes_part && lanes.at(lower).slot == lane.slot) {
          noted = static_cast<std::uint16_t>(lanes.at(lower).position);
        }
      }
      const std::uint32_t before = distance_minus_one(lane.position, noted);
      if (!is_noting && before < kMaxMatchDistance) {
        lane.earlier = lane.position - 1 - before;
        lane.hits = std::equal(at, at + settings.min_length, base + lane.earlier);
        first = lane.hits ? std::min(first, i) : first;
      }
    }
    for (std::uint32_t i = 0; i < kLanes && i <= first; ++i) {
      if (lanes.at(i).takes_part) {
        positions_.at(lanes.at(i).slot) = static_cast<std::uint16_t>(lanes.at(i).position);
      }
    }
    if (first == kLanes) {
      place = attempt_position(place, misses, kLanes - 2, settings.skip_bits);
      misses += kLanes - 2;
      notes = false;
      continue;
    }
    const std::uint32_t found = lanes.at(first).position;
    const std::uint32_t earlier = lanes.at(first).earlier;
    const std::uint32_t most = std::min(kMaxMatchLength, end - found);
    std::uint32_t length = 0;
    while (length < most && base[found + length] == base[earlier + length]) {
      ++length;
    }
    const std::uint32_t room = std::min({found - coded_end, kMaxMatchLength - length, 8U});
    std::uint32_t back = 0;
    while (back < room && base[found - back - 1] == base[earlier - back - 1]) {
      ++back;
    }
    slots_.at(strip_slot(strip) + (found - back) / kSlotBytes) =
        Match::at(found - back, length + back, found - earlier - 1);
    place = coded_end = found + length;
    misses = 0;
    notes = true;
  }
}

template <class Each>
void PngTwin::read_symbols(const PartPlace& part, Each&& each) const {
  const Match* const slots = slots_.data() + strip_slot(part.strip);
  std::uint32_t covered_end = 0;
  for (std::uint32_t back = kSlotBytes; back <= 33 * kSlotBytes && part.begin >= part.block_begin + back;
       back += kSlotBytes) {
    const Match match = slots[(part.begin - back) / kSlotBytes];
    if (match.exists()) {
      covered_end = std::max(covered_end, part.begin - back + match.offset() + match.length());
    }
  }
  for (std::uint32_t begin = part.begin; begin < part.end; begin += kGroupBytes) {
    SymbolGroup group;
    group.begin = begin;
    group.count = std::min(part.end - begin, kGroupBytes);
    std::memcpy(group.bytes, strip(part.strip) + begin, kGroupBytes);
    group.matches[0] = slots[begin / kSlotBytes];
    if (group.count > kSlotBytes) {
      group.matches[1] = slots[begin / kSlotBytes + 1];
    }
    each(group, group.literals(covered_end));
    covered_end = std::max(covered_end, group.last_match_end());
  }
}

void PngTwin::count_symbols() {
  counts_.assign(layout_.part_count(), {});
  for (std::uint32_t number = 0; number < layout_.part_count(); ++number) {
    PartCounts& counts = counts_[number];
    read_symbols(layout_.part(number), [&](const SymbolGroup& group, std::uint32_t literals) {
      group.for_each(
          literals, [&](std::uint32_t byte) { ++counts.literals.at(byte); },
          [&](const Match& match) {
            ++counts.literals.at(coded_length(match.length()).symbol);
            ++counts.distances.at(coded_distance(match.distance()).symbol);
          });
    });
  }
  part_bits_.assign(layout_.part_count(), 0);
  blocks_.assign(layout_.block_count(), {});
  block_begins_.assign(layout_.block_count(), 0);
}

void PngTwin::choose_codes(std::uint32_t block) {
  const std::uint32_t strip = block / layout_.blocks_per_strip;
  const std::uint32_t within = block % layout_.blocks_per_strip;
  const std::uint32_t first_part = strip * layout_.parts_per_strip + within * kPartsPerBlock;
  const std::uint32_t parts = layout_.parts_of_block(within);
  const PartPlace place = layout_.part(first_part);
  if (place.block_begin >= place.block_end) {
    return;
  }
  PartCounts sum;
  sum.literals[kEndOfBlock] = 1;
  for (std::uint32_t part = first_part; part < first_part + parts; ++part) {
    for (std::uint32_t i = 0; i < kLiteralSymbols; ++i) {
      sum.literals.at(i) += counts_[part].literals.at(i);
    }
    for (std::uint32_t i = 0; i < kDistanceSymbols; ++i) {
      sum.distances.at(i) += counts_[part].distances.at(i);
    }
  }
  std::array<std::uint8_t, kFixedLiteralSymbols> literals{};
  std::array<std::uint8_t, kDistanceSymbols> distances{};
  choose_long_code<kLiteralSymbols>(sum.literals, kMaxLiteralCodeBits, literals.data());
  choose_long_code<kDistanceSymbols>(sum.distances, kMaxCodeBits, distances.data());
  const auto bits_of = [&](const PartCounts& counts, bool fixed) {
    std::uint32_t bits = 0;
    for (std::uint32_t i = 0; i < kLiteralSymbols; ++i) {
      const std::uint32_t length = fixed ? fixed_literal_length(i) : literals.at(i);
      bits += counts.literals.at(i) * (length + literal_extra_bits(i));
    }
    for (std::uint32_t i = 0; i < kDistanceSymbols; ++i) {
      bits += counts.distances.at(i) * ((fixed ? kFixedDistanceLength : distances.at(i)) + distance_extra_bits(i));
    }
    return bits;
  };
  const DynamicHeader header(literals.data(), distances.data());
  const std::uint32_t dynamic_bits = header.bits() + bits_of(sum, false);
  const std::uint32_t fixed_bits = bits_of(sum, true);
  BlockCodes& codes = blocks_[block];
  codes.type = choose_block_type(place.block_end - place.block_begin, dynamic_bits, fixed_bits);
  const bool is_fixed = codes.type == BlockType::fixed;
  const bool is_last = strip + 1 == layout_.strips && place.block_end == layout_.strip_bytes(strip);
  LowFirstPacker packer(0, [&](std::uint64_t index, std::uint32_t word) { codes.header[index] = word; });
  codes.header_bits = kBlockHeaderBits;
  packer.put(block_header(codes.type, is_last), kBlockHeaderBits);
  if (codes.type == BlockType::dynamic) {
    header.write([&](std::uint32_t bits, std::uint32_t count) { packer.put(bits, count); });
    codes.header_bits += header.bits();
  }
  packer.finish();
  codes.bits = codes.type == BlockType::stored ? 0 : codes.header_bits + bits_of(sum, is_fixed);
  for (std::uint32_t part = first_part; part < first_part + parts; ++part) {
    part_bits_[part] = bits_of(counts_[part], is_fixed);
  }
  if (is_fixed) {
    for (std::uint32_t i = 0; i < kFixedLiteralSymbols; ++i) {
      literals.at(i) = fixed_literal_length(i);
    }
    distances.fill(kFixedDistanceLength);
  }
  const auto assign = [](std::span<const std::uint8_t> lengths, std::span<SymbolCode> to) {
    LengthCounts of_length{};
    for (const std::uint8_t length : lengths) {
      of_length.of[length] += length == 0 ? 0 : 1;
    }
    for (std::uint32_t i = 0; i < to.size(); ++i) {
      const std::uint32_t code = lengths[i] == 0 ? 0 : canonical_code(lengths.data(), of_length, i);
      to[i] = SymbolCode::of(code, lengths[i]);
    }
  };
  assign(std::span(literals).first(is_fixed ? kFixedLiteralSymbols : kLiteralSymbols), codes.literals);
  assign(distances, codes.distances);
}

void PngTwin::place_chunks() {
  bytes_.assign(most_chunk_bytes(layout_), std::byte{0});
  const auto put_byte = [this](std::uint64_t byte, std::uint32_t value) { put(byte, value); };
  std::uint64_t begin = 0;
  for (std::uint32_t strip = 0; strip < layout_.strips; ++strip) {
    const bool is_last = strip + 1 == layout_.strips;
    const std::uint64_t first = 8 * (begin + chunk_data_begin(strip));
    const std::uint64_t end_bit =
        walk_blocks(layout_, blocks_.data(), strip, first,
                    [&](std::uint32_t block, std::uint64_t bit) { block_begins_[block] = bit; });
    const ChunkPlace chunk{begin, chunk_data_end(end_bit, is_last) + kChunkTailBytes};
    chunks_.push_back(chunk);
    write_chunk_head(chunk, strip, put_byte);
    const std::uint64_t last = chunk.end - kChunkTailBytes - 4;
    if (is_last) {
      write_big_endian(last, adler_.checksum(layout_.filtered_bytes()), put_byte);
    } else {
      write_stored_length(last, 0, put_byte);
    }
    begin = chunk.end;
  }
}

void PngTwin::store(const PartPlace& part, std::uint64_t bit) {
  const auto put_byte = [this](std::uint64_t byte, std::uint32_t value) { put(byte, value); };
  for (std::uint32_t at = part.begin; at < part.end; ++at) {
    const std::uint32_t i = at - part.block_begin;
    const std::uint64_t place = stored_byte_place(bit, i);
    put(place, strip(part.strip)[at]);
    if (i % kMaxStoredBytes == 0) {
      const std::uint32_t left = part.block_end - at;
      const std::uint32_t length = std::min(left, static_cast<std::uint32_t>(kMaxStoredBytes));
      write_stored_length(place - kStoredLengthBytes, length, put_byte);
      const bool is_last_block = part.strip + 1 == layout_.strips && part.block_end == layout_.strip_bytes(part.strip);
      if (is_last_block && length == left) {
        const std::uint64_t header_bit = i == 0 ? bit : 8 * (place - kStoredLengthBytes - 1);
        add_bits(header_bit / 32, 1U << (header_bit % 32));
      }
    }
  }
}

void PngTwin::pack(std::uint32_t number) {
  const PartPlace part = layout_.part(number);
  if (part.begin >= part.end) {
    return;
  }
  const BlockCodes& codes = blocks_[part.block];
  std::uint64_t bit = block_begins_[part.block];
  if (codes.type == BlockType::stored) {
    return store(part, bit);
  }
  const auto add_word = [this](std::uint64_t word, std::uint32_t bits) { add_bits(word, bits); };
  if (part.begin == part.block_begin) {
    LowFirstPacker packer(bit, add_word);
    for (std::uint32_t i = 0; i < codes.header_bits; i += 32) {
      packer.put(codes.header[i / 32], std::min(32U, codes.header_bits - i));
    }
    packer.finish();
  }
  bit += codes.header_bits;
  for (std::uint32_t before = number - (part.begin - part.block_begin) / kPartBytes; before < number; ++before) {
    bit += part_bits_[before];
  }
  read_symbols(part, [&](const SymbolGroup& group, std::uint32_t literals) {
    LowFirstPacker packer(bit, add_word);
    const auto put_bits = [&](std::uint32_t value, std::uint32_t count) {
      packer.put(value, count);
      bit += count;
    };
    group.for_each(
        literals, [&](std::uint32_t byte) { put_bits(codes.literals[byte].code(), codes.literals[byte].bits()); },
        [&](const Match& match) {
          const CodedBits length = with_extra(codes.literals, coded_length(match.length()));
          const CodedBits distance = with_extra(codes.distances, coded_distance(match.distance()));
          put_bits(length.bits, length.count);
          put_bits(distance.bits, distance.count);
        });
    if (group.begin + group.count == part.block_end) {
      put_bits(codes.literals[kEndOfBlock].code(), codes.literals[kEndOfBlock].bits());
    }
    packer.finish();
  });
}

/// Works in pieces like the device, but with pieces of 100 bytes.
void PngTwin::checksum(const ChunkPlace& place) {
  static const CrcPowers kPowers = crc_powers();
  static const CrcTables kTables = [] {
    CrcTables tables{};
    for (std::uint32_t i = 0; i < 256; ++i) {
      tables.fill(i);
    }
    return tables;
  }();
  constexpr std::uint64_t kStretch = 100;
  const std::uint64_t begin = place.begin + kChunkHeadBytes / 2;
  const std::uint64_t end = place.end - kChunkTailBytes;
  std::uint32_t crc = 0;
  for (std::uint64_t from = begin; from < end; from += kStretch) {
    const std::uint64_t to = std::min(from + kStretch, end);
    std::uint32_t state = 0;
    for (std::uint64_t at = from; at < to;) {
      if (at >= begin + 4 && at + 4 <= to) {
        state = kTables.add(state, LoadWord()(reinterpret_cast<const std::uint8_t*>(bytes_.data()) + at));
        at += 4;
      } else {
        const auto byte = static_cast<std::uint32_t>(bytes_[at]);
        state = kTables.add_byte(state, at < begin + 4 ? byte ^ 0xFFU : byte);
        ++at;
      }
    }
    crc ^= crc_after_zeros(state, static_cast<std::uint32_t>(end - to), kPowers);
  }
  write_big_endian(end, crc ^ kCrcStart, [this](std::uint64_t byte, std::uint32_t value) { put(byte, value); });
}

}  // namespace

std::optional<std::vector<std::byte>> encode_with_twin(ConstView pixels, const PngDataFormat& format) {
  if (!can_encode(pixels.format, format)) {
    return std::nullopt;
  }
  return format.one_bit ? PngTwin(codecs::packed_bits(pixels).view(), format).run() : PngTwin(pixels, format).run();
}

std::string difference_of_png_encoder_twin(ConstView pixels, const codecs::WriteOptions& options) {
  const std::optional<Encoding> encoding =
      codecs::backend_encoding(pixels.width, pixels.height, pixels.format, codecs::FileFormat::png, options);
  const auto chunks = encoding ? encode_with_twin(pixels, std::get<PngDataFormat>(*encoding)) : std::nullopt;
  return chunks ? difference_of_encoded(*chunks, pixels, codecs::FileFormat::png, options) : "left to the host";
}

}  // namespace gpuimg::test
