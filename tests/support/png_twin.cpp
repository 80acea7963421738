// Runs the steps of the device's decoder one after another.
#include "support/png_twin.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>
#include <vector>

#include "codecs/png/png.hpp"
#include "codecs/png/simple_png.hpp"
#include "gpuimg/error.hpp"
#include "png/block_codes.hpp"
#include "png/data_stream.hpp"
#include "png/row_filter.hpp"
#include "png/symbols.hpp"

namespace gpuimg::test {

using namespace png;

namespace {

const std::uint8_t* octets(std::span<const std::byte> bytes) {
  return reinterpret_cast<const std::uint8_t*>(bytes.data());
}

CrcTables make_crc_tables() {
  CrcTables tables{};
  for (std::uint32_t byte = 0; byte < 256; ++byte) {
    tables.fill(byte);
  }
  return tables;
}

class Twin {
 public:
  Twin(const EncodedPng& png, const DecodeShape& shape, const PlantedWalkError& error)
      : png_(png), shape_(shape), error_(error) {}

  PngTwinResult run();

 private:
  void gather();
  void check_chunks();
  void find_blocks();
  [[nodiscard]] bool is_block(std::uint32_t bit) const;
  void skip_regular_blocks();
  void decode_blocks();
  void parse(std::uint32_t number);
  void plan(std::uint32_t number);
  void build_tables(std::uint32_t block);
  void synchronize(std::uint32_t window, std::uint32_t entry);
  void settle_lanes(const WindowPlace& place, std::vector<LaneWalk>& lanes);
  void keep(std::uint32_t window, std::uint32_t base, std::span<const LaneWalk> lanes);
  void plant_error();
  void emit();
  void copy_stored();
  void resolve();
  void resolve_tile(const Tile& tile, std::uint32_t first, std::uint32_t count, std::vector<Symbol>& ring);
  void make_windows();
  void make_bytes();
  void unfilter();
  template <std::uint32_t kPixelBytes>
  void unfilter_rows();
  [[nodiscard]] Image picture() const;
  [[nodiscard]] Checkpoints checkpoints(std::uint32_t lane) {
    return {checkpoint_bits_.data() + lane, checkpoint_bytes_.data() + lane, shape_.lanes};
  }

  const EncodedPng& png_;
  const DecodeShape& shape_;
  const PlantedWalkError& error_;
  DataSizes sizes_;
  ListSizes lists_;
  std::vector<std::uint32_t> words_;
  StreamEnds stream_;
  std::vector<Block> blocks_;
  BlockList list_;
  std::uint32_t decoded_ = 0;  // number of blocks that earlier rounds have processed
  std::vector<std::uint8_t> lengths_;
  std::vector<Window> windows_;
  std::vector<LaneStart> lanes_;
  CodeTables tables_{};
  std::vector<std::uint32_t> checkpoint_bits_;
  std::vector<std::uint32_t> checkpoint_bytes_;
  std::vector<StoredRun> runs_;
  Chain chain_{};
  std::vector<Symbol> symbols_;
  std::vector<std::uint8_t> before_;  // for each supertile, the window before it
  std::vector<std::uint8_t> raw_;
  std::vector<std::uint32_t> rows_;
  PngTwinResult result_;
};

void Twin::gather() {
  words_.assign(sizes_.stream_bytes / 4 + most_window_words(shape_) + 16, 0);
  auto* const to = reinterpret_cast<std::uint8_t*>(words_.data());
  for (const DataPiece& piece : data_pieces(png_)) {
    std::memcpy(to + piece.to, png_.bytes.data() + piece.from, piece.size);
  }
  stream_ = {words_.data(), sizes_.end_bit(), sizes_.raw_bytes};
}

void Twin::check_chunks() {
  static const CrcTables kTables = make_crc_tables();
  static const CrcPowers kPowers = crc_powers();
  std::vector<std::uint32_t> registers(png_.chunks.size());
  for (const DataPiece& piece : data_pieces(png_)) {
    const PieceWords words(piece);
    const auto word = [&](std::uint32_t i) {
      return words.word(piece.from, i, [&](std::uint32_t at) {
        std::uint32_t found = 0;
        std::memcpy(&found, octets(png_.bytes) + at, sizeof(found));
        return found;
      });
    };
    std::uint32_t sum = 0;
    for (std::uint32_t lane = 0; lane < DataPiece::kLanes; ++lane) {
      sum ^= lane_crc(words, lane, kTables, kPowers, word);
    }
    registers[piece.chunk] ^= crc_after_zeros(sum, piece.after, kPowers);
  }
  for (std::size_t i = 0; i < registers.size(); ++i) {
    const EncodedPng::Chunk& chunk = png_.chunks[i];
    const std::uint32_t stated = big_endian_at(octets(png_.bytes), std::uint64_t{chunk.begin} + chunk.size);
    if (!is_chunk_crc(registers[i], chunk.size, stated, kTables, kPowers)) {
      result_.defects |= Defect::bad_checksum;
    }
  }
}

/// True if a valid block header starts at `bit`.
bool Twin::is_block(std::uint32_t bit) const {
  std::array<std::uint8_t, PrecodeTable::kEntries> entries{};
  return read_code_lengths(words_.data(), bit + kBlockHeaderBits, stream_.end, {entries.data(), 1},
                           [](std::uint32_t, std::uint32_t, std::uint32_t) {}) != 0;
}

void Twin::find_blocks() {
  static const std::vector<std::uint16_t> kSpaces = [] {
    std::vector<std::uint16_t> spaces(kPrecodeSpaces);
    for (std::uint32_t i = 0; i < kPrecodeSpaces; ++i) {
      spaces[i] = precode_spaces(i);
    }
    return spaces;
  }();
  std::vector<std::uint32_t> begins = {kFirstBlockBit};
  for (std::uint32_t i = 0; i < (stream_.end + 31) / 32; ++i) {
    const bool may_be_last = stream_.end <= kLastBlockBits || 32 * i >= stream_.end - kLastBlockBits;
    std::uint32_t mask = block_candidates(words_[i], words_[i + 1], may_be_last);
    for (mask &= i == 0 ? ~0U << (kFirstBlockBit + 1) : ~0U; mask != 0; mask &= mask - 1) {
      const std::uint32_t bit = 32 * i + lowest_bit(mask);
      if (is_complete_precode(words_.data(), bit, kSpaces.data()) && result_.candidates < lists_.candidates) {
        ++result_.candidates;
        if (is_block(bit)) {
          begins.push_back(bit);
        }
      }
    }
  }
  const std::uint32_t most = lists_.blocks - shape_.more_rounds - 1;
  if (begins.size() > most) {
    result_.defects |= Defect::too_many_blocks;
    begins.resize(most);
  }
  std::sort(begins.begin(), begins.end());
  blocks_.resize(lists_.blocks);
  lengths_.resize(std::size_t{lists_.blocks} * kBlockLengths);
  for (std::size_t i = 0; i < begins.size(); ++i) {
    blocks_[i].begin = begins[i];
  }
  const auto count = static_cast<std::uint32_t>(begins.size());
  list_ = {blocks_.data(), count, count, count + shape_.more_rounds};
}

void Twin::parse(std::uint32_t number) {
  std::array<std::uint8_t, PrecodeTable::kEntries> entries{};
  std::uint8_t* const lengths = &lengths_[std::size_t{number} * kBlockLengths];
  std::fill_n(lengths, kBlockLengths, std::uint8_t{0});
  parse_block(words_.data(), stream_.end, {entries.data(), 1}, blocks_[number],
              [&](std::uint32_t place, std::uint32_t length, std::uint32_t count) {
                for (std::uint32_t i = 0; i < count; ++i) {
                  lengths[place + i] = static_cast<std::uint8_t>(length);
                }
              });
}

void Twin::plan(std::uint32_t number) {
  Block& block = blocks_[number];
  if (!has_codes(block)) {
    return;
  }
  const std::uint32_t next =
      number < list_.sorted ? number + 1 : first_block_from(blocks_.data(), list_.sorted, block.data_begin);
  plan_block(block, next < list_.sorted ? blocks_[next].begin : stream_.end, shape_);
  block.first_window = static_cast<std::uint32_t>(windows_.size());
  if (windows_.size() + block.windows > lists_.windows) {
    result_.defects |= Defect::too_many_blocks;
    block.windows = 0;
  }
  for (std::uint32_t i = 0; i < block.windows; ++i) {
    windows_.push_back({number, i, 0, 0, 0, WalkEnd::failed, kUnknown});
  }
  lanes_.resize(windows_.size() * shape_.lanes);
}

void Twin::build_tables(std::uint32_t block) {
  const std::uint8_t* const lengths = &lengths_[std::size_t{block} * kBlockLengths];
  LengthSums literals;
  LengthSums distances;
  std::vector<LengthSums> before_literals;
  std::vector<LengthSums> before_distances;
  for (std::uint32_t lane = 0; lane < kTableLanes; ++lane) {
    before_literals.push_back(literals);
    before_distances.push_back(distances);
    literals = literals + length_sums<kLiteralsPerLane>(lengths + lane * kLiteralsPerLane);
    distances = distances + length_sums<kDistancesPerLane>(lengths + kDistanceLengths + lane * kDistancesPerLane);
  }
  for (std::uint32_t lane = 0; lane < kTableLanes; ++lane) {
    const std::uint32_t literal = lane * kLiteralsPerLane;
    const std::uint32_t distance = lane * kDistancesPerLane;
    order_symbols<kLiteralsPerLane>(lengths + literal, literal, before_literals[lane], literals, tables_.ordered);
    order_symbols<kDistancesPerLane>(lengths + kDistanceLengths + distance, distance, before_distances[lane], distances,
                                     tables_.ordered + kDistanceLengths);
  }
  set_limits(literals, tables_.literal_code);
  set_limits(distances, tables_.distance_code);
  for (std::uint32_t i = 0; i < std::size(tables_.literals); ++i) {
    tables_.literals[i] = table_entry<true>(tables_, i);
  }
  for (std::uint32_t i = 0; i < std::size(tables_.distances); ++i) {
    tables_.distances[i] = table_entry<false>(tables_, i);
  }
}

/// Lanes repeat their walk until each lane starts where the previous lane ends, up to the end of the block. In each
/// round, all lanes read before any of them writes, as between two barriers.
void Twin::settle_lanes(const WindowPlace& place, std::vector<LaneWalk>& lanes) {
  const std::uint32_t* const words = words_.data() + place.first_word;
  for (;;) {
    const std::vector<LaneWalk> at_barrier = lanes;
    std::uint32_t first_wrong = shape_.lanes;
    std::uint32_t first_end = shape_.lanes;
    for (std::uint32_t i = shape_.lanes; i-- > 0;) {
      const bool is_wrong =
          i > 0 && (at_barrier[i - 1].outcome != WalkEnd::reached || must_walk_again(at_barrier[i], at_barrier[i - 1]));
      first_wrong = is_wrong ? i : first_wrong;
      first_end = at_barrier[i].outcome != WalkEnd::reached ? i : first_end;
    }
    if (first_end < first_wrong || first_wrong == shape_.lanes) {
      return;
    }
    for (std::uint32_t i = 1; i < shape_.lanes; ++i) {
      if (must_walk_again(at_barrier[i], at_barrier[i - 1])) {
        walk_again(words, tables_, place.lane(i), at_barrier[i - 1].exit, checkpoints(i), lanes[i]);
        ++result_.walks_again;
      }
    }
  }
}

void Twin::keep(std::uint32_t number, std::uint32_t base, std::span<const LaneWalk> lanes) {
  Window& window = windows_[number];
  window.entry = base + lanes[0].entry;
  window.bytes = 0;
  std::uint32_t last = 0;
  while (last + 1 < shape_.lanes && lanes[last].outcome == WalkEnd::reached) {
    ++last;
  }
  for (std::uint32_t i = 0; i < shape_.lanes; ++i) {
    lanes_[std::size_t{number} * shape_.lanes + i] = {base + (i <= last ? lanes[i].entry : lanes[last].exit),
                                                      window.bytes};
    window.bytes += i <= last ? lanes[i].bytes : 0;
  }
  window.exit = base + lanes[last].exit;
  window.outcome = window.exit > stream_.end ? WalkEnd::failed : lanes[last].outcome;
}

void Twin::synchronize(std::uint32_t number, std::uint32_t entry) {
  const Window& window = windows_[number];
  const WindowPlace place = window_place(blocks_[window.block], window.number, stream_.end, shape_);
  const std::uint32_t base = 32 * place.first_word;
  build_tables(window.block);
  std::vector<LaneWalk> lanes;
  for (std::uint32_t i = 0; i < shape_.lanes; ++i) {
    lanes.push_back(first_walk(words_.data() + place.first_word, tables_, place.lane(i),
                               i == 0 && entry != kUnknown ? entry - base : kUnknown, checkpoints(i)));
  }
  settle_lanes(place, lanes);
  keep(number, base, lanes);
}

void Twin::plant_error() {
  if (error_.of == PlantedWalkError::Of::nothing || windows_.empty()) {
    return;
  }
  Window& window = windows_[error_.window % windows_.size()];
  window.entry += error_.of == PlantedWalkError::Of::entry ? 1 : 0;
  window.exit += error_.of == PlantedWalkError::Of::exit ? 1 : 0;
  window.bytes += error_.of == PlantedWalkError::Of::bytes ? 1 : 0;
  if (error_.of == PlantedWalkError::Of::lane) {
    const std::size_t lane = error_.window % shape_.lanes;
    lanes_[error_.window % windows_.size() * shape_.lanes + lane].bit += 1;
  }
}

/// Moves the chain past the blocks at the beginning of the list that directly follow one another.
void Twin::skip_regular_blocks() {
  if (chain_.bit != kFirstBlockBit || blocks_[0].begin != kFirstBlockBit) {
    return;
  }
  std::uint64_t bytes = 0;
  std::uint32_t i = 0;
  for (; is_followed_by_next(stream_, list_, i); ++i) {
    blocks_[i].offset = static_cast<std::uint32_t>(bytes);
    bytes += blocks_[i].bytes;
    if (bytes > stream_.bytes) {
      chain_.defects |= Defect::bad_size;
      return;
    }
  }
  chain_.bytes = static_cast<std::uint32_t>(bytes);
  chain_.bit = blocks_[i].begin;
}

/// Runs a round: decodes the blocks that are not decoded yet, then continues the chain of blocks.
void Twin::decode_blocks() {
  ++result_.rounds;
  const auto first_window = static_cast<std::uint32_t>(windows_.size());
  for (std::uint32_t i = decoded_; i < list_.count; ++i) {
    parse(i);
  }
  for (std::uint32_t i = decoded_; i < list_.count; ++i) {
    plan(i);
  }
  std::vector<Repair> repairs;
  for (std::uint32_t i = first_window; i < windows_.size(); ++i) {
    repairs.push_back({i, windows_[i].number == 0 ? blocks_[windows_[i].block].data_begin : kUnknown});
  }
  for (std::uint32_t pass = 0; pass < shape_.passes; ++pass) {
    result_.repaired += pass == 0 ? 0 : static_cast<std::uint32_t>(repairs.size());
    for (const Repair& repair : repairs) {
      synchronize(repair.window, repair.entry);
    }
    if (pass == 0) {
      plant_error();
    }
    repairs.clear();
    for (std::uint32_t i = decoded_; i < list_.count; ++i) {
      join_windows(blocks_[i], windows_.data(), [&](const Repair& repair) { repairs.push_back(repair); });
    }
  }
  decoded_ = list_.count;
  if (result_.defects == 0) {
    skip_regular_blocks();
    follow_chain(chain_, stream_, list_, runs_.data(), lists_.stored_runs);
    result_.defects |= chain_.defects;
  }
}

void Twin::emit() {
  symbols_.assign(std::size_t{sizes_.tiles} * shape_.tile_symbols, 0);
  for (std::uint32_t number = 0; number < windows_.size(); ++number) {
    const Window& window = windows_[number];
    const Block& block = blocks_[window.block];
    if (window.offset == kUnknown || block.offset == kUnknown) {
      continue;
    }
    build_tables(window.block);
    const LaneStart* const lanes = &lanes_[std::size_t{number} * shape_.lanes];
    const std::uint32_t first_word = lanes[0].bit / 32;
    for (std::uint32_t i = 0; i < shape_.lanes; ++i) {
      const std::uint32_t end = i + 1 < shape_.lanes ? lanes[i + 1].bit : window.exit;
      const BitCursor cursor(words_.data() + first_word, lanes[i].bit - 32 * first_word);
      if (!emit_symbols(cursor, tables_, end - 32 * first_word, block.offset + window.offset + lanes[i].bytes,
                        {symbols_.data()})) {
        result_.defects |= Defect::bad_distance;
      }
    }
  }
}

void Twin::copy_stored() {
  const auto* const stream = reinterpret_cast<const std::uint8_t*>(words_.data());
  for (std::uint32_t i = 0; i < chain_.stored_runs; ++i) {
    std::copy_n(stream + runs_[i].from, runs_[i].size, symbols_.data() + runs_[i].to);
  }
}

void Twin::resolve_tile(const Tile& tile, std::uint32_t first, std::uint32_t count, std::vector<Symbol>& ring) {
  Symbol* const in_tile = ring.data() + tile.slot;
  std::vector<std::uint32_t> open;
  std::vector<Symbol> looked(count);
  for (std::uint32_t i = 0; i < count; ++i) {
    looked[i] = static_cast<Symbol>(looked_up(symbols_[first + i], i, tile, ring.data()));
    if (is_in_tile(looked[i])) {
      open.push_back(i);
    }
  }
  std::copy(looked.begin(), looked.end(), in_tile);
  constexpr int kSteps = 3;
  while (!open.empty()) {
    std::vector<std::uint32_t> still_open;
    for (const std::uint32_t i : open) {
      in_tile[i] = static_cast<Symbol>(followed(in_tile[i], in_tile, kSteps));
      if (is_in_tile(in_tile[i])) {
        still_open.push_back(i);
      }
    }
    open = std::move(still_open);
  }
  std::copy_n(in_tile, count, symbols_.data() + first);
}

void Twin::resolve() {
  for (std::uint32_t supertile = 0; supertile < sizes_.supertiles; ++supertile) {
    std::vector<Symbol> ring(ring_size(shape_.tile_symbols));
    const std::uint32_t first = supertile * shape_.tiles_per_supertile;
    const std::uint32_t end = std::min(first + shape_.tiles_per_supertile, sizes_.tiles);
    Tile tile{0, ring_size(shape_.tile_symbols), 0};
    for (std::uint32_t i = first; i < end; ++i) {
      resolve_tile(tile, i * shape_.tile_symbols, shape_.tile_symbols, ring);
      tile.slot = (tile.slot + shape_.tile_symbols) % tile.ring_size;
      tile.begin += shape_.tile_symbols;
    }
  }
}

void Twin::make_windows() {
  const std::uint32_t super_symbols = shape_.tiles_per_supertile * shape_.tile_symbols;
  before_.assign(std::size_t{sizes_.supertiles} * kMaxMatchDistance, 0);
  for (std::uint32_t supertile = 1; supertile < sizes_.supertiles; ++supertile) {
    const std::uint8_t* const old = &before_[std::size_t{supertile - 1} * kMaxMatchDistance];
    for (std::uint32_t i = 0; i < kMaxMatchDistance; ++i) {
      const std::uint32_t symbol = symbols_[std::size_t{supertile} * super_symbols - kMaxMatchDistance + i];
      before_[std::size_t{supertile} * kMaxMatchDistance + i] = static_cast<std::uint8_t>(byte_of(symbol, old));
    }
  }
}

void Twin::make_bytes() {
  const std::uint32_t super_symbols = shape_.tiles_per_supertile * shape_.tile_symbols;
  raw_.assign(symbols_.size() + 16, 0);
  AdlerSums sums;
  for (std::uint32_t at = 0; at < sizes_.raw_bytes; at += 4) {
    const std::uint8_t* const window = &before_[std::size_t{at / super_symbols} * kMaxMatchDistance];
    std::uint32_t word = 0;
    for (std::uint32_t i = 0; i < 4 && at + i < sizes_.raw_bytes; ++i) {
      word |= byte_of(symbols_[at + i], window) << 8 * i;
    }
    std::memcpy(&raw_[at], &word, sizeof(word));
    sums.add(word, sizes_.raw_bytes - at);
    sums.reduce();
  }
  const auto* const stream = reinterpret_cast<const std::uint8_t*>(words_.data());
  if (sums.checksum(sizes_.raw_bytes) != big_endian_at(stream, stream_.end / 8)) {
    result_.defects |= Defect::bad_data_checksum;
  }
}

/// Works row by row. The device works on 32 rows at a time, each row one chunk behind the row above.
template <std::uint32_t kPixelBytes>
void Twin::unfilter_rows() {
  constexpr std::uint32_t kWords = kChunkWords<kPixelBytes>;
  rows_.assign(std::size_t{sizes_.pitch / 4} * static_cast<std::size_t>(png_.height), 0);
  for (std::uint32_t y = 0; y < static_cast<std::uint32_t>(png_.height); ++y) {
    const std::uint8_t* const raw = &raw_[std::size_t{y} * (sizes_.row_bytes + 1)];
    if (raw[0] >= kFilterCount) {
      result_.defects |= Defect::bad_filter;
    }
    const Predictor predictor(raw[0]);
    RowState state;
    for (std::uint32_t at = 0; at < sizes_.row_bytes; at += 4 * kWords) {
      std::uint32_t filtered[kWords] = {};
      std::uint32_t up[kWords] = {};
      std::uint32_t pixels[kWords];
      std::memcpy(filtered, raw + 1 + at, std::min<std::size_t>(sizeof(filtered), sizes_.row_bytes - at));
      if (y > 0) {
        std::memcpy(up, &rows_[(std::size_t{y - 1} * sizes_.pitch + at) / 4], sizeof(up));
      }
      undo_chunk<kPixelBytes>(predictor, filtered, up, state, pixels);
      std::memcpy(&rows_[(std::size_t{y} * sizes_.pitch + at) / 4], pixels, sizeof(pixels));
    }
  }
}

void Twin::unfilter() {
  switch (png_.format.bytes_per_pixel()) {
    case 1: return unfilter_rows<1>();
    case 2: return unfilter_rows<2>();
    case 3: return unfilter_rows<3>();
    case 4: return unfilter_rows<4>();
    case 6: return unfilter_rows<6>();
    default: return unfilter_rows<8>();
  }
}

Image Twin::picture() const {
  Image image(png_.width, png_.height, png_.format);
  const UnfilteredRows rows{rows_.data(), sizes_.pitch, sizes_.row_bytes, png_.format.sample == Sample::u16};
  const auto end = static_cast<std::uint32_t>(image.size_bytes());
  for (std::uint32_t at = 0; at < end; at += 4) {
    const std::uint32_t word = rows.picture_bytes(at, end);
    std::memcpy(image.view().data + at, &word, std::min(4U, end - at));
  }
  return image;
}

PngTwinResult Twin::run() {
  if (!measure(png_, shape_, sizes_)) {
    result_.defects = Defect::bad_size;
    return std::move(result_);
  }
  lists_ = list_sizes(sizes_.stream_bytes, shape_);
  runs_.resize(lists_.stored_runs);
  checkpoint_bits_.resize(std::size_t{Checkpoints::kCount} * shape_.lanes);
  checkpoint_bytes_.resize(checkpoint_bits_.size());
  chain_.bit = kFirstBlockBit;
  gather();
  check_chunks();
  find_blocks();
  while (result_.defects == 0 && chain_.is_done == 0) {
    decode_blocks();
  }
  result_.blocks = list_.count;
  result_.windows = static_cast<std::uint32_t>(windows_.size());
  result_.stored_runs = chain_.stored_runs;
  if (result_.defects == 0) {
    emit();
    copy_stored();
  }
  if (result_.defects == 0) {
    resolve();
    make_windows();
    make_bytes();
    unfilter();
  }
  if (result_.defects == 0) {
    result_.image = picture();
  }
  return std::move(result_);
}

}  // namespace

PngTwinResult decode_with_twin(const EncodedPng& png, const DecodeShape& shape, const PlantedWalkError& error) {
  return Twin(png, shape, error).run();
}

std::string difference_of_png_twin(std::span<const std::byte> file, const DecodeShape& shape, int* taken) {
  const std::optional<EncodedPng> encoded = codecs::png::describe_png_data(file);
  if (!encoded) {
    return {};
  }
  const PngTwinResult found = decode_with_twin(*encoded, shape);
  if (!found.image) {
    return found.defects != 0 ? "" : "the twin gives neither pixels nor a defect";
  }
  if (taken != nullptr) {
    ++*taken;
  }
  try {
    const Image expected =
        codecs::png::read_png_pixels(file, "twin.png", {.threads = 1}, codecs::png::PngPath::libpng_only);
    const bool is_same = expected.width() == found.image->width() && expected.height() == found.image->height() &&
                         expected.format() == found.image->format() &&
                         std::memcmp(expected.view().data, found.image->view().data, expected.size_bytes()) == 0;
    return is_same ? "" : "the twin gives other pixels than libpng";
  } catch (const Error& error) {
    return std::string("the twin gives pixels, and libpng rejects: ") + error.what();
  }
}

}  // namespace gpuimg::test
