// Runs the steps of the device's decoder one after another.
#include "support/jpeg_twin.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <memory>
#include <numeric>
#include <utility>
#include <vector>

#include "codecs/jpeg/jpeg.hpp"
#include "codecs/jpeg/jpeg_header.hpp"
#include "codecs/jpeg/jpeg_pipeline.hpp"
#include "gpuimg/error.hpp"
#include "jpeg/layout.hpp"
#include "jpeg/pixels.hpp"
#include "jpeg/subsequences.hpp"
#include "orientation.hpp"
#include "support/jpeg_coefficients.hpp"

namespace gpuimg::test {

using namespace jpeg;

namespace {

constexpr DecoderState kNoState = {~0U, 0, 0};

class Twin {
 public:
  Twin(const EncodedJpeg& encoded, const TwinChoices& choices)
      : encoded_(encoded), choices_(choices), layout_(layout_of(encoded)), mcu_(mcu_code_of(encoded)) {}

  TwinResult run();
  TwinResult run(std::vector<std::int16_t> coefficients);

 private:
  void make_pixels();
  void cut_into_subsequences();
  void synchronize(std::uint32_t tile);
  bool repair_tiles();
  void add_up_sums();
  void find_states();
  void plant_error();
  void write_blocks();
  void transform_blocks(int component);
  [[nodiscard]] std::array<std::int16_t, kBlockSize> block_at(int component, std::uint32_t column,
                                                              std::uint32_t row) const;
  [[nodiscard]] Image convert() const;
  template <int kHorizontal, int kVertical>
  void convert_row(int y, std::uint8_t* to) const;
  [[nodiscard]] SamplePlane plane(int component) const;

  const EncodedJpeg& encoded_;
  const TwinChoices& choices_;
  Layout layout_;
  McuCode mcu_;
  std::unique_ptr<HuffmanTables> tables_ = std::make_unique<HuffmanTables>();
  CleanScan scan_;
  std::vector<std::uint32_t> first_subsequence_;
  std::vector<DecoderState> ends_;
  std::vector<DecoderState> assumed_;
  std::vector<ScanSums> own_;
  std::vector<ScanSums> before_;
  std::vector<ScanSums> before_tile_;
  Segments segments_;
  SubsequenceTable table_;
  ScanCode code_;
  std::vector<std::int16_t> coefficients_;
  bool is_coded_order_ = true;
  std::array<std::vector<std::uint8_t>, kMaxComponents> planes_;
  TwinResult result_;
};

void Twin::cut_into_subsequences() {
  first_subsequence_ = first_subsequences(scan_.first_byte, choices_.subsequence_bits);
  segments_ = {scan_.first_byte.data(), first_subsequence_.data(), layout_.segment_count, choices_.subsequence_bits};
  code_ = {scan_.words.data(), tables_->symbols, tables_->groups, mcu_};
  table_.count = first_subsequence_.back();
  table_.tile_size = choices_.tile_size;
  result_.subsequences = table_.count;
  ends_.assign(table_.count, kNoState);
  own_.assign(table_.count, {});
  before_.assign(table_.count, {});
  assumed_.assign(table_.tile_count(), kNoState);
  before_tile_.assign(table_.tile_count(), {});
  table_.ends = ends_.data();
  table_.own = own_.data();
  table_.before = before_.data();
  table_.assumed_ends = assumed_.data();
  table_.before_tile = before_tile_.data();
}

/// In each round, all threads read before any of them writes, as between two barriers.
void Twin::synchronize(std::uint32_t tile) {
  const std::uint32_t first = tile * choices_.tile_size;
  const std::uint32_t begin = first - std::min(first, choices_.run_in);
  const std::uint32_t parts = choices_.parts;
  const std::uint32_t count = (table_.tile_end(tile) - begin) * parts;
  const auto end_of = [&](std::uint32_t part, const Subsequence& place) {
    return part_end(place.begin, place.end, choices_.subsequence_bits, part % parts, parts);
  };
  std::vector<DecoderState> ends(count);
  std::vector<ScanSums> own(count);
  std::vector<std::uint32_t> changed;
  for (std::uint32_t i = 0; i < count; i += parts) {
    const Subsequence place = subsequence_at(segments_, begin + i / parts);
    ScanCursor cursor(code_, place.guess());
    for (std::uint32_t part = i; part < i + parts; ++part) {
      own[part] = skim(code_, cursor, end_of(part, place));
      ends[part] = cursor.state();
    }
    changed.push_back(i + parts - 1);
  }
  for (std::uint32_t round = 0; !changed.empty(); ++round) {
    if (round == choices_.max_rounds) {
      result_.defects |= Defect::not_synchronized;
      return;
    }
    result_.rounds = std::max(result_.rounds, round + 1);
    const std::vector<DecoderState> at_barrier = ends;
    std::vector<std::uint32_t> next;
    for (const std::uint32_t from : changed) {
      const std::uint32_t to = from + 1;
      const Subsequence place = to < count ? subsequence_at(segments_, begin + to / parts) : Subsequence{};
      if (to == count || (place.is_first && to % parts == 0)) {
        continue;
      }
      DecoderState state = at_barrier[from];
      own[to] = skim(code_, state, end_of(to, place));
      if (state != at_barrier[to]) {
        ends[to] = state;
        next.push_back(to);
      }
    }
    changed = std::move(next);
  }
  assumed_[tile] = first > begin ? ends[(first - begin) * parts - 1] : kNoState;
  for (std::uint32_t i = first; i < table_.tile_end(tile); ++i) {
    const auto own_parts = own.begin() + static_cast<std::ptrdiff_t>((i - begin) * parts);
    ends_[i] = ends[(i - begin + 1) * parts - 1];
    own_[i] = std::accumulate(own_parts, own_parts + static_cast<std::ptrdiff_t>(parts), ScanSums{});
  }
}

/// In each round, all tiles read before any of them writes.
bool Twin::repair_tiles() {
  for (std::uint32_t round = 0;; ++round) {
    std::vector<std::pair<std::uint32_t, DecoderState>> starts;
    for (std::uint32_t tile = 1; tile < table_.tile_count(); ++tile) {
      if (!tile_agrees(table_, segments_, tile)) {
        starts.emplace_back(tile, table_.ends[tile * table_.tile_size - 1]);
      }
    }
    if (starts.empty() || round == choices_.repair_rounds) {
      return starts.empty();
    }
    for (const auto& [tile, state] : starts) {
      std::uint32_t budget = choices_.repair_budget;
      ++result_.repaired;
      if (!repair_tile(table_, segments_, code_, tile, state, budget)) {
        return false;
      }
    }
  }
}

/// Sums within tiles, then across tiles.
void Twin::add_up_sums() {
  SegmentSums all;
  for (std::uint32_t tile = 0; tile < table_.tile_count(); ++tile) {
    SegmentSums sums;
    for (std::uint32_t i = tile * table_.tile_size; i < table_.tile_end(tile); ++i) {
      const bool begins_segment = subsequence_at(segments_, i).is_first;
      before_[i] = begins_segment ? ScanSums{} : sums.sums;
      sums = sums + SegmentSums{own_[i], begins_segment ? 1U : 0U};
    }
    before_tile_[tile] = all.sums;
    all = all + sums;
  }
}

void Twin::find_states() {
  for (std::uint32_t tile = 0; tile < table_.tile_count(); ++tile) {
    synchronize(tile);
  }
  if (result_.defects == 0 && !repair_tiles()) {
    result_.defects |= Defect::not_synchronized;
  }
  if ((result_.defects & Defect::not_synchronized) == 0) {
    add_up_sums();
  } else if (choices_.decodes_states_in_order) {
    result_.defects &= ~Defect::not_synchronized;
    result_.decoded_in_order = true;
    table_.tile_size = table_.count;
    walk_states(table_, segments_, code_);
  }
}

/// Introduces an error that a bug in an earlier step could cause.
void Twin::plant_error() {
  const auto number = static_cast<std::uint32_t>(choices_.planted_error);
  if (choices_.planted_error < 0 || number >= table_.count) {
    return;
  }
  switch (number % 4) {
    case 0: ends_[number].bit += 1; break;
    case 1: ends_[number].index = static_cast<std::uint16_t>((ends_[number].index + 1) % kBlockSize); break;
    case 2: own_[number].blocks += 1; break;
    default: own_[number].dc0 += 1; break;
  }
}

void Twin::write_blocks() {
  coefficients_.assign(std::size_t{layout_.block_count()} * kBlockSize, 0);
  std::array<std::int16_t, kBlockSize> block{};
  for (std::uint32_t i = 0; i < table_.count; ++i) {
    const SubsequenceTask task = task_at(table_, segments_, layout_, i);
    BlockWalk walk(code_, task);
    const auto put = [&](std::uint32_t place, std::int16_t value) { block[kTransposedZigzag.place[place]] = value; };
    block.fill(0);
    while (walk.is_live()) {
      ++result_.symbols;
      if (walk.is_at_dc()) {
        walk.step_dc(put);
      } else if (walk.step_ac(put)) {
        const std::uint32_t number = walk.end_block();
        if (number != BlockWalk::kForeign) {
          std::copy(block.begin(), block.end(),
                    coefficients_.begin() + static_cast<std::ptrdiff_t>(number) * kBlockSize);
        }
        block.fill(0);
      }
    }
    result_.defects |= walk.defects();
  }
}

/// Returns the block in column order.
std::array<std::int16_t, kBlockSize> Twin::block_at(int component, std::uint32_t column, std::uint32_t row) const {
  std::array<std::int16_t, kBlockSize> block{};
  if (is_coded_order_) {
    const std::size_t number = layout_.block_number(component, column, row);
    std::copy_n(coefficients_.begin() + static_cast<std::ptrdiff_t>(number * kBlockSize), kBlockSize, block.begin());
    return block;
  }
  std::size_t number = std::size_t{row} * layout_.block_columns(component) + column;
  for (int before = 0; before < component; ++before) {
    number += std::size_t{layout_.block_columns(before)} * layout_.block_rows(before);
  }
  for (std::size_t i = 0; i < kBlockSize; ++i) {
    block.at(i % kBlockSide * kBlockSide + i / kBlockSide) = coefficients_[number * kBlockSize + i];
  }
  return block;
}

void Twin::transform_blocks(int component) {
  const std::uint32_t columns = layout_.block_columns(component);
  const std::uint32_t rows = layout_.block_rows(component);
  const TransposedSteps steps = transposed_steps(encoded_.components.at(static_cast<std::size_t>(component)));
  std::vector<std::uint8_t>& plane = planes_.at(static_cast<std::size_t>(component));
  plane.resize(std::size_t{columns} * rows * kBlockSize);
  for (std::uint32_t row = 0; row < rows; ++row) {
    for (std::uint32_t column = 0; column < columns; ++column) {
      const std::array<std::int16_t, kBlockSize> block = block_at(component, column, row);
      std::int32_t work[kBlockSide][kBlockSide];  // the block is transposed, so these rows are columns
      bool is_tame = true;
      for (int i = 0; i < kBlockSide; ++i) {
        is_tame &= inverse_dct_column(block.data() + i * kBlockSide, steps.step + i * kBlockSide, work[i]);
      }
      for (int y = 0; y < kBlockSide; ++y) {
        std::int32_t line[kBlockSide];
        for (int x = 0; x < kBlockSide; ++x) {
          line[x] = work[x][y];
        }
        is_tame &= inverse_dct_row(line);
        std::uint8_t* to = &plane[(std::size_t{row} * kBlockSide + static_cast<std::size_t>(y)) * columns * kBlockSide +
                                  std::size_t{column} * kBlockSide];
        const std::uint32_t packed[2] = {pack_clamped(line[0], line[1], line[2], line[3]),
                                         pack_clamped(line[4], line[5], line[6], line[7])};
        std::memcpy(to, packed, sizeof(packed));
      }
      result_.defects |= is_tame ? 0U : Defect::wild_block;
    }
  }
}

SamplePlane Twin::plane(int component) const {
  return {planes_.at(static_cast<std::size_t>(component)).data(), layout_.plane_pitch(component),
          layout_.plane_width(component), layout_.plane_height(component)};
}

template <int kHorizontal, int kVertical>
void Twin::convert_row(int y, std::uint8_t* to) const {
  const SamplePlane luma = plane(0);
  for (int x = 0; x < layout_.width; x += kPixelRun) {
    std::uint32_t cb[kPixelRun];
    std::uint32_t cr[kPixelRun];
    upsample<kHorizontal, kVertical>(plane(1), x, y, cb);
    upsample<kHorizontal, kVertical>(plane(2), x, y, cr);
    const std::uint8_t* samples = luma.samples + static_cast<std::size_t>(y) * luma.pitch + x;
    const std::uint32_t words[2] = {four_samples(samples), four_samples(samples + 4)};
    std::uint32_t rgb[6];
    rgb_run(words, cb, cr, rgb);
    std::memcpy(to + 3 * x, rgb, 3 * static_cast<std::size_t>(std::min(kPixelRun, layout_.width - x)));
  }
}

Image Twin::convert() const {
  const int channels = layout_.component_count;
  Image stored(layout_.width, layout_.height, {Sample::u8, channels});
  for (int y = 0; y < layout_.height; ++y) {
    auto* to = stored.view().row<std::uint8_t>(y);
    if (channels == 1) {
      std::memcpy(to, plane(0).samples + static_cast<std::size_t>(y) * plane(0).pitch, stored.pitch_bytes());
    } else {
      switch (10 * layout_.horizontal_sampling + layout_.vertical_sampling) {
        case 11: convert_row<1, 1>(y, to); break;
        case 12: convert_row<1, 2>(y, to); break;
        case 21: convert_row<2, 1>(y, to); break;
        default: convert_row<2, 2>(y, to); break;
      }
    }
  }
  const bool swaps = swaps_sides(encoded_.orientation);
  Image upright(swaps ? layout_.height : layout_.width, swaps ? layout_.width : layout_.height, stored.format());
  const Orientation turn = orientation_of(encoded_.orientation, layout_.width, layout_.height);
  const std::size_t bytes = stored.format().bytes_per_pixel();
  for (int y = 0; y < upright.height(); ++y) {
    for (int x = 0; x < upright.width(); ++x) {
      const auto from = static_cast<std::size_t>(turn.origin + x * turn.along_x + y * turn.along_y);
      std::memcpy(upright.view().row_bytes(y) + static_cast<std::size_t>(x) * bytes, stored.view().data + from * bytes,
                  bytes);
    }
  }
  return upright;
}

TwinResult Twin::run() {
  result_.defects = build_huffman_tables(encoded_, *tables_) ? 0U : Defect::bad_code;
  if (result_.defects != 0) {
    return std::move(result_);
  }
  scan_ = clean_scan(encoded_.scan, layout_.segment_count);
  result_.defects = scan_.defects;
  if (result_.defects != 0) {
    return std::move(result_);
  }
  cut_into_subsequences();
  find_states();
  if (result_.defects != 0) {
    return std::move(result_);
  }
  plant_error();
  write_blocks();
  make_pixels();
  return std::move(result_);
}

void Twin::make_pixels() {
  for (int component = 0; component < layout_.component_count; ++component) {
    transform_blocks(component);
  }
  if (result_.defects == 0) {
    result_.image = convert();
  }
}

TwinResult Twin::run(std::vector<std::int16_t> coefficients) {
  coefficients_ = std::move(coefficients);
  is_coded_order_ = false;
  make_pixels();
  return std::move(result_);
}

/// Empty if libjpeg-turbo decodes the same pixels without a warning.
std::string difference_from_libjpeg(const Image& found, std::span<const std::byte> file) {
  try {
    const codecs::DecodedImage decoded = codecs::jpeg::read_jpeg(file, "file", {.threads = 1});
    const ConstView expected = decoded.image.view();
    const ConstView actual = found.view();
    const bool same = actual.width == expected.width && actual.height == expected.height &&
                      actual.format == expected.format &&
                      std::memcmp(actual.data, expected.data, decoded.image.size_bytes()) == 0;
    return same ? "" : "other pixels";
  } catch (const Error& error) {
    return std::string("read, but libjpeg-turbo says: ") + error.what();
  }
}

}  // namespace

TwinResult decode_with_twin(const EncodedJpeg& jpeg, const TwinChoices& choices) { return Twin(jpeg, choices).run(); }

TwinResult decode_with_twin(const JpegCoefficients& jpeg) {
  SlowSink coefficients(std::size_t{layout_of(jpeg.frame).block_count()} * kBlockSize);
  const TwinChoices choices;
  return jpeg.read(coefficients) ? Twin(jpeg.frame, choices).run(coefficients.all()) : TwinResult{};
}

std::string difference_of_jpeg_twin(std::span<const std::byte> file, const TwinChoices& choices, int* taken) {
  constexpr std::uint64_t kMaxPixels = std::uint64_t{1} << 22;
  const std::vector<std::byte> exact(file.begin(), file.end());  // a sanitizer detects every read past the end
  const std::optional<EncodedJpeg> jpeg = codecs::jpeg::describe_jpeg(exact);
  if (!jpeg || static_cast<std::uint64_t>(jpeg->width) * static_cast<std::uint64_t>(jpeg->height) > kMaxPixels) {
    return "";
  }
  const TwinResult found = decode_with_twin(*jpeg, choices);
  if (!found.image) {
    return found.defects == 0 ? "neither pixels nor a defect" : "";
  }
  if (taken != nullptr) {
    ++*taken;
  }
  return difference_from_libjpeg(*found.image, exact);
}

std::string difference_of_jpeg_coefficients(std::span<const std::byte> file, int threads, int* taken) {
  const std::vector<std::byte> exact(file.begin(), file.end());
  const std::optional<EncodedJpeg> frame = codecs::jpeg::describe_jpeg_frame(exact);
  const std::optional<codecs::jpeg::JpegScript> script = frame ? codecs::jpeg::read_jpeg_script(exact) : std::nullopt;
  if (!script) {
    return "";
  }
  const std::string name = "file";
  const codecs::jpeg::JpegHeader header = codecs::jpeg::read_jpeg_header(exact, name);
  const auto read = [&](JpegBlockSink& sink) {
    const codecs::jpeg::JpegFile jpeg{exact, header, name};
    return read_jpeg_coefficients(jpeg, *script, sink, {.threads = threads, .step_pixels = 1}).has_value();
  };
  const TwinResult found = decode_with_twin(JpegCoefficients{*frame, read});
  if (!found.image) {
    return "";
  }
  if (taken != nullptr) {
    ++*taken;
  }
  return difference_from_libjpeg(*found.image, exact);
}

}  // namespace gpuimg::test
