// Converts deflated data to rows of an image: a sink for filtered rows, blocks that one thread inflates while another
// unfilters, and parts that several threads inflate speculatively (docs/decisions/0009-parts-inflated-ahead.md).
#include "codecs/png/png_fast_reader.hpp"

#include <tbb/parallel_pipeline.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cstring>
#include <limits>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "codecs/deflate/speculative_inflate.hpp"
#include "codecs/deflate/zlib_stream.hpp"
#include "codecs/png/png_filter.hpp"
#include "codecs/stored_samples.hpp"
#include "codecs/threads.hpp"

namespace gpuimg::codecs::png {
namespace {

using deflate::Inflater;
using deflate::SpeculativeInflater;

static_assert(Inflater::kOvershoot >= kUnfilterOverread, "a block must have this much room after its rows");

/// Converts inflated bytes, which are filtered rows, to rows of an image: updates the checksum, undoes filters, swaps
/// the byte order and expands samples. Accepts rows in order, and passes them on in bands.
class PngRowSink {
 public:
  /// Keeps references to its arguments; `name` is printable.
  PngRowSink(const SimplePng& png, const BandOutput& to, const std::string& name);

  /// take_rows is fastest with multiples of this many rows.
  [[nodiscard]] std::size_t rows_at_once() const { return rows_at_once_; }

  /// Takes whole filtered rows; `adler` is their Adler-32. kUnfilterOverread bytes after the rows must be readable.
  void take_rows(const std::uint8_t* filtered, int rows, std::uint32_t adler);

  /// Takes any number of bytes up to the end of the last row. room() bytes before `filtered` must be writable, and
  /// kUnfilterOverread bytes after the data must be readable.
  void take_bytes(std::uint8_t* filtered, std::size_t size);
  [[nodiscard]] std::size_t room() const { return rows_at_once_ * filtered_row(); }

  /// Passes the last band on. Call it only if the data has no defect. Throws Error{decode} for an index outside the
  /// palette; for earlier bands, take_rows and take_bytes throw this error.
  void finish();

  /// False after a row with an unknown filter.
  [[nodiscard]] bool is_sound() const { return is_sound_; }
  /// The Adler-32 of all bytes taken.
  [[nodiscard]] std::uint32_t adler() const { return adler_; }

 private:
  [[nodiscard]] std::size_t filtered_row() const { return row_bytes_ + 1; }
  [[nodiscard]] bool knows_filters(const std::uint8_t* filtered, int rows) const;
  void unfilter(const std::uint8_t* filtered, int rows);
  void unfilter_together(const std::uint8_t* filtered, int rows);
  void swap_above();
  std::uint8_t* next_row();
  void pass_band_on();

  const SimplePng& png_;
  const std::string& name_;
  std::size_t row_bytes_;
  std::size_t pixel_bytes_;
  std::size_t rows_at_once_;
  int rows_left_;
  bool swaps_;
  BandCutter bands_;
  std::uint8_t* above_ = nullptr;      // the row above in the band; nullptr at the top of the band
  std::vector<std::uint8_t> before_;   // last row of the previous band, in the file's byte order; zeros for the first
  std::vector<std::uint8_t> partial_;  // an incomplete group of rows
  std::uint32_t adler_ = 1;
  bool is_sound_ = true;
};

PngRowSink::PngRowSink(const SimplePng& png, const BandOutput& to, const std::string& name)
    : png_(png),
      name_(name),
      row_bytes_(png.row_bytes()),
      pixel_bytes_(png.stored.bytes_per_pixel()),
      rows_at_once_(rows_unfiltered_at_once(pixel_bytes_)),
      rows_left_(png.height),
      swaps_(png.stored.sample == Sample::u16 && std::endian::native == std::endian::little),
      bands_(to, 0, png.height),
      before_(row_bytes_) {}

std::uint8_t* PngRowSink::next_row() {
  auto* const begin = reinterpret_cast<std::uint8_t*>(stored_rows_of(bands_.rows(), png_));
  return begin + static_cast<std::size_t>(bands_.filled()) * row_bytes_;
}

void PngRowSink::take_rows(const std::uint8_t* filtered, int rows, std::uint32_t adler) {
  adler_ = deflate::adler32_combined(adler_, adler, static_cast<std::uint64_t>(rows) * filtered_row());
  unfilter(filtered, rows);
}

void PngRowSink::take_bytes(std::uint8_t* filtered, std::size_t size) {
  adler_ = deflate::adler32_of(std::as_bytes(std::span(filtered, size)), adler_);
  std::uint8_t* const begin = filtered - partial_.size();
  std::copy(partial_.begin(), partial_.end(), begin);
  const std::uint8_t* const end = filtered + size;
  auto rows = static_cast<std::size_t>(end - begin) / filtered_row();
  if (rows < static_cast<std::size_t>(rows_left_)) {
    rows -= rows % rows_at_once_;
  }
  unfilter(begin, static_cast<int>(rows));
  partial_.assign(begin + rows * filtered_row(), begin + (end - begin));
}

void PngRowSink::unfilter(const std::uint8_t* filtered, int rows) {
  const int group = static_cast<int>(rows_at_once_);
  rows_left_ -= rows;
  for (int left = rows; left > 0 && is_sound_;) {
    if (bands_.left() == 0) {
      pass_band_on();
    }
    const int taken = std::min({left, bands_.left(), group});
    is_sound_ = knows_filters(filtered, taken);
    if (is_sound_) {
      unfilter_together(filtered, taken);
    }
    filtered += static_cast<std::size_t>(taken) * filtered_row();
    left -= taken;
  }
}

bool PngRowSink::knows_filters(const std::uint8_t* filtered, int rows) const {
  bool all = true;
  for (int row = 0; row < rows; ++row, filtered += filtered_row()) {
    all = all && *filtered < kPngFilterCount;
  }
  return all;
}

void PngRowSink::unfilter_together(const std::uint8_t* filtered, int rows) {
  const std::uint8_t* const above = above_ != nullptr ? above_ : before_.data();
  std::uint8_t* out = next_row();
  unfilter_rows(filtered, above, out, row_bytes_, pixel_bytes_, static_cast<std::size_t>(rows));
  bands_.add(rows);
  for (int row = 0; row < rows; ++row) {
    swap_above();
    above_ = out;
    out += row_bytes_;
  }
}

/// Keeps the last row, because the filters of the next band need it.
void PngRowSink::pass_band_on() {
  std::copy_n(above_, row_bytes_, before_.begin());
  swap_above();
  above_ = nullptr;
  expand_stored_rows(bands_.rows(), png_, name_);
  bands_.pass_on();
}

void PngRowSink::finish() { pass_band_on(); }

/// Filters work in the file's byte order, so a row is converted to the machine's byte order after the row below is
/// done.
void PngRowSink::swap_above() {
  if (swaps_ && above_ != nullptr) {
    swap_sample_bytes(above_, above_, row_bytes_);
  }
}

/// Whole filtered rows. The window, inflated before them, precedes them in memory.
struct PngRowBlock {
  std::unique_ptr<std::uint8_t[]> memory;
  int rows = 0;
  std::uint32_t adler = 0;  ///< checksum of the filtered rows; set by the inflater's caller

  [[nodiscard]] std::uint8_t* filtered() const { return memory.get() + Inflater::kWindow; }
};

/// Maximum number of bits of the deflate stream after the last byte of output. libpng reads in portions: it sees only a
/// part of a longer tail, and rejects the file. Such files are left to libpng.
std::uint64_t max_tail_bits(const SimplePng& png) {
  return png.deflated_bytes() <= kMaxSingleRead ? std::numeric_limits<std::uint64_t>::max()
                                                : 8 * std::uint64_t{kMinLastRead};
}

/// Inflates the filtered rows of a simple PNG block by block, on one thread. Each block starts with a copy of the
/// preceding block's window.
class PngRowInflater {
 public:
  static constexpr std::size_t kBlocks = 3;
  static constexpr std::size_t kBlockBytes = std::size_t{256} << 10;

  /// The number of rows in a block is a multiple of `rows_at_once`, or smaller if rows are long.
  PngRowInflater(const SimplePng& png, std::size_t rows_at_once);

  [[nodiscard]] bool fits_one_block() const { return rows_left_ == rows_per_block_; }
  [[nodiscard]] bool is_sound() const { return is_sound_; }
  /// Offset in the image data at which the next block continues, or a slightly smaller offset.
  [[nodiscard]] std::uint64_t position() const { return inflater_.position() / 8; }
  /// Valid after the last block.
  [[nodiscard]] std::uint32_t declared_adler() const { return inflater_.declared_adler(); }

  /// Returns the next block. Returns null after the last block, and if the stream is damaged or has the wrong length.
  /// Reuses the memory of the block that was returned kBlocks calls earlier. The caller must not change the previous
  /// block before this call.
  PngRowBlock* next();

 private:
  bool inflate_into(PngRowBlock& block);
  bool finish_stream(const std::uint8_t* oldest, std::uint8_t* end);

  Inflater inflater_;
  std::uint64_t max_tail_bits_;
  std::size_t filtered_row_;
  int rows_left_;
  int rows_per_block_;
  std::array<PngRowBlock, kBlocks> blocks_;
  std::size_t number_ = 0;
  std::size_t known_ = 0;      // number of window bytes before the block
  std::size_t overshoot_ = 0;  // bytes of the next block that were inflated together with this one
  bool is_sound_ = true;
};

/// A multiple of the number of rows that are unfiltered together, or of half that number; at least one row.
std::size_t rows_of_block(std::size_t filtered_row, std::size_t rows_at_once) {
  const std::size_t rows = PngRowInflater::kBlockBytes / filtered_row;
  const std::size_t unit = rows < rows_at_once ? rows_at_once / 2 : rows_at_once;
  return rows < unit ? std::max<std::size_t>(rows, 1) : rows - rows % unit;
}

PngRowInflater::PngRowInflater(const SimplePng& png, std::size_t rows_at_once)
    : inflater_(png.image_data),
      max_tail_bits_(max_tail_bits(png)),
      filtered_row_(png.row_bytes() + 1),
      rows_left_(png.height),
      rows_per_block_(static_cast<int>(
          std::min(rows_of_block(filtered_row_, rows_at_once), static_cast<std::size_t>(png.height)))) {}

PngRowBlock* PngRowInflater::next() {
  if (rows_left_ == 0 || !is_sound_) {
    return nullptr;
  }
  PngRowBlock& block = blocks_[number_++ % kBlocks];
  if (block.memory == nullptr) {
    const std::size_t rows_bytes = static_cast<std::size_t>(rows_per_block_) * filtered_row_;
    block.memory.reset(new std::uint8_t[Inflater::kWindow + rows_bytes + Inflater::kOvershoot]);
  }
  block.rows = std::min(rows_per_block_, rows_left_);
  rows_left_ -= block.rows;
  is_sound_ = inflate_into(block);
  return is_sound_ ? &block : nullptr;
}

/// Asks for one byte more than the rows have, because otherwise inflate would not reach the end of the stream.
bool PngRowInflater::finish_stream(const std::uint8_t* oldest, std::uint8_t* end) {
  const std::uint64_t data_end = inflater_.position();
  return (inflater_.has_ended() || inflater_.run(oldest, end, end + 1) == end) && inflater_.has_ended() &&
         inflater_.position() - data_end <= max_tail_bits_;
}

bool PngRowInflater::inflate_into(PngRowBlock& block) {
  const std::uint8_t* oldest = block.filtered();
  std::uint8_t* out = block.filtered();
  if (const PngRowBlock* before = number_ > 1 ? &blocks_[(number_ - 2) % kBlocks] : nullptr; before != nullptr) {
    // A block may be shorter than the window, so the copy includes the older part of the window.
    const std::uint8_t* const end = before->filtered() + static_cast<std::size_t>(before->rows) * filtered_row_;
    known_ = std::min(Inflater::kWindow, known_ + static_cast<std::size_t>(end - before->filtered()));
    std::memcpy(block.filtered() - known_, end - known_, known_ + overshoot_);
    oldest = block.filtered() - known_;
    out += overshoot_;
  }
  std::uint8_t* const end = block.filtered() + static_cast<std::size_t>(block.rows) * filtered_row_;
  const bool is_last = rows_left_ == 0;
  const std::uint8_t* const reached = inflater_.run(oldest, out, end);
  if (reached == nullptr || reached < end) {
    return false;
  }
  overshoot_ = static_cast<std::size_t>(reached - end);
  return !is_last || (overshoot_ == 0 && finish_stream(oldest, end));
}

constexpr std::size_t kWindow = Inflater::kWindow;

std::size_t filtered_bytes(const SimplePng& png) {
  return (png.row_bytes() + 1) * static_cast<std::size_t>(png.height);
}

/// Joins in order the parts that threads have inflated speculatively:
/// docs/decisions/0009-parts-inflated-ahead.md. Inflates the gaps between parts itself, and also parts that turned out
/// unusable.
class PartJoiner {
 public:
  PartJoiner(const SimplePng& png, PngRowSink& sink)
      : sink_(sink),
        inflater_(png.image_data),
        max_tail_bits_(max_tail_bits(png)),
        bytes_left_(filtered_bytes(png)),
        before_(std::max(kWindow, sink.room())),
        memory_(new std::uint8_t[before_ + PngRowInflater::kBlockBytes + Inflater::kOvershoot]) {}

  /// Joins the next part. `end` is the bit at which the search for the following part started.
  void join(SpeculativeInflater* part, std::uint64_t end) {
    if (part != nullptr && part->is_sound()) {
      inflate_up_to(part->begin());
      if (is_sound_ && inflater_.is_paused() && inflater_.position() == part->begin() && known_ == kWindow) {
        emit(part->resolve(window_));
        data_end_ = part->data_end();
        inflater_.move_to(part->end(), part->holds_last_block());
      }
    }
    inflate_up_to(end);
  }

  /// Call after the last part. True if the parts and the checksum are complete and correct.
  [[nodiscard]] bool is_whole() const {
    return is_sound_ && bytes_left_ == 0 && inflater_.has_ended() &&
           inflater_.position() - data_end_ <= max_tail_bits_ && inflater_.declared_adler() == sink_.adler();
  }
  [[nodiscard]] bool is_sound() const { return is_sound_; }

 private:
  void inflate_up_to(std::uint64_t position) {
    inflater_.pause_at(position);
    std::uint8_t* const begin = memory_.get() + before_;
    while (is_sound_ && !inflater_.is_paused() && !inflater_.has_ended()) {
      std::copy_n(window_.end() - static_cast<std::ptrdiff_t>(known_), known_, begin - known_);
      // Asks for at least one byte, even after the last row, because otherwise inflate would not reach the end of the
      // stream.
      const std::size_t wanted = std::clamp<std::size_t>(bytes_left_, 1, PngRowInflater::kBlockBytes);
      const std::uint8_t* const reached = inflater_.run(begin - known_, begin, begin + wanted);
      if (reached == nullptr) {
        is_sound_ = false;
        return;
      }
      data_end_ = reached > begin ? inflater_.position() : data_end_;
      emit({begin, static_cast<std::size_t>(reached - begin)});
    }
  }

  void emit(std::span<std::uint8_t> bytes) {
    if (bytes.size() > bytes_left_) {
      is_sound_ = false;
      return;
    }
    bytes_left_ -= bytes.size();
    const std::size_t kept = std::min(bytes.size(), kWindow);
    std::copy(window_.begin() + static_cast<std::ptrdiff_t>(kept), window_.end(), window_.begin());
    std::copy(bytes.end() - static_cast<std::ptrdiff_t>(kept), bytes.end(),
              window_.end() - static_cast<std::ptrdiff_t>(kept));
    known_ = std::min(kWindow, known_ + bytes.size());
    sink_.take_bytes(bytes.data(), bytes.size());
    is_sound_ = sink_.is_sound();
  }

  PngRowSink& sink_;
  Inflater inflater_;
  std::uint64_t max_tail_bits_;
  std::uint64_t data_end_ = 0;  // the bit after the last byte of output so far
  std::size_t bytes_left_;
  std::size_t before_;
  std::unique_ptr<std::uint8_t[]> memory_;
  SpeculativeInflater::Window window_;
  std::size_t known_ = 0;
  std::atomic<bool> is_sound_ = true;  // also read by the thread that hands out parts
};

/// A part that is being processed in the pipeline.
struct Part {
  SpeculativeInflater* inflated = nullptr;
  std::size_t begin = 0;
  std::size_t end = 0;
};

class PartReader {
 public:
  PartReader(const SimplePng& png, const PngParts& parts, PngRowSink& sink, const CheckPngData& check)
      : png_(png),
        parts_(parts),
        check_(check),
        deflated_bytes_(png.deflated_bytes()),
        room_(sink.room()),
        ahead_(static_cast<std::size_t>(parts.threads) + 1),
        joiner_(png, sink) {}

  bool run() {
    const auto take = [&](tbb::flow_control& flow) {
      if (next_byte_ >= deflated_bytes_ || !joiner_.is_sound() || !is_right_) {
        flow.stop();
        return Part{};
      }
      const Part part = next();
      is_right_ = check_(part.end);
      return part;
    };
    const auto inflate = [&](Part part) {
      if (part.begin > 0) {  // the joiner inflates the first part, which has no unknown window
        part.inflated->run(part.begin, part.end);
      }
      return part;
    };
    const auto join = [&](Part part) { this->join(part); };
    CodecArena(parts_.threads).execute([&] {
      tbb::parallel_pipeline(ahead_.size(), tbb::make_filter<void, Part>(tbb::filter_mode::serial_in_order, take) &
                                                tbb::make_filter<Part, Part>(tbb::filter_mode::parallel, inflate) &
                                                tbb::make_filter<Part, void>(tbb::filter_mode::serial_in_order, join));
    });
    return is_right_ && joiner_.is_whole();
  }

 private:
  Part next() {
    std::unique_ptr<SpeculativeInflater>& inflated = ahead_[number_++ % ahead_.size()];
    if (inflated == nullptr) {
      inflated = std::make_unique<SpeculativeInflater>(png_.image_data, room_, parts_.capacity);
    }
    const std::size_t begin = next_byte_;
    next_byte_ = std::min(begin + parts_.part_bytes, deflated_bytes_);
    return {inflated.get(), begin, next_byte_};
  }

  void join(const Part& part) {
    const bool is_last = part.end == deflated_bytes_;
    joiner_.join(part.begin > 0 ? part.inflated : nullptr,
                 is_last ? std::numeric_limits<std::uint64_t>::max() : 8 * std::uint64_t{part.end});
  }

  const SimplePng& png_;
  const PngParts& parts_;
  const CheckPngData& check_;
  std::size_t deflated_bytes_;
  std::size_t room_;
  std::vector<std::unique_ptr<SpeculativeInflater>> ahead_;  // one per part in the pipeline, used in rotation
  PartJoiner joiner_;
  std::size_t next_byte_ = 0;
  bool is_right_ = true;
  std::size_t number_ = 0;
};

/// Passes all rows to `sink`. Returns false if the image data is damaged, if its length does not match the rows, or if
/// its checksum is wrong. Allocates up to three times the capacity per thread.
bool read_in_parts(const SimplePng& png, const PngParts& parts, PngRowSink& sink, const CheckPngData& check) {
  return PartReader(png, parts, sink, check).run();
}

void add_adler(PngRowBlock& block, const SimplePng& png) {
  const std::size_t bytes = static_cast<std::size_t>(block.rows) * (png.row_bytes() + 1);
  block.adler = deflate::adler32_of(std::as_bytes(std::span(block.filtered(), bytes)));
}

/// Inflates a block while the previous one is being unfiltered. Any idle thread computes the checksum.
void read_overlapped(const SimplePng& png, PngRowInflater& inflater, PngRowSink& sink, const CheckPngData& check) {
  const auto inflate = [&](tbb::flow_control& flow) -> PngRowBlock* {
    PngRowBlock* const block = check(inflater.position()) ? inflater.next() : nullptr;
    if (block == nullptr) {
      flow.stop();
    }
    return block;
  };
  const auto sum = [&](PngRowBlock* block) {
    add_adler(*block, png);
    return block;
  };
  const auto unfilter = [&](PngRowBlock* block) { sink.take_rows(block->filtered(), block->rows, block->adler); };
  CodecArena(2).execute([&] {
    tbb::parallel_pipeline(PngRowInflater::kBlocks,
                           tbb::make_filter<void, PngRowBlock*>(tbb::filter_mode::serial_in_order, inflate) &
                               tbb::make_filter<PngRowBlock*, PngRowBlock*>(tbb::filter_mode::parallel, sum) &
                               tbb::make_filter<PngRowBlock*, void>(tbb::filter_mode::serial_in_order, unfilter));
  });
}

bool read_in_blocks(const SimplePng& png, int threads, PngRowSink& sink, const CheckPngData& check) {
  PngRowInflater inflater(png, sink.rows_at_once());
  if (threads == 1 || inflater.fits_one_block()) {
    while (PngRowBlock* const block = inflater.next()) {
      add_adler(*block, png);
      sink.take_rows(block->filtered(), block->rows, block->adler);
    }
  } else {
    read_overlapped(png, inflater, sink, check);
  }
  return check(png.image_data.size) && inflater.is_sound() && sink.adler() == inflater.declared_adler();
}

}  // namespace

PngParts PngParts::of(const SimplePng& png, int threads) {
  constexpr std::size_t kPartRowBytes = std::size_t{1} << 20;  // desired output of a part
  constexpr std::size_t kMinParts = 6;
  constexpr std::size_t kMaxRowBytes = std::size_t{128} << 10;
  constexpr int kMaxThreads = 6;        // more threads would only wait for the one that unfilters
  constexpr std::size_t kMaxRatio = 4;  // drawings compress better, and their matches then keep placeholders for long
  const std::size_t filtered = filtered_bytes(png);
  const std::size_t deflated = png.deflated_bytes();
  if (threads < 2 || filtered < kMinParts * kPartRowBytes || png.row_bytes() > kMaxRowBytes ||
      filtered / kMaxRatio > deflated) {
    return {};
  }
  // Probes the middle of the data: can blocks be found there, and would most of a part's output become bytes?
  SpeculativeInflater probe(png.image_data, 0, kPartRowBytes / 2);
  if (!probe.try_settle(deflated / 2)) {
    return {};
  }
  const std::size_t part_count = filtered / kPartRowBytes;
  return {deflated / part_count + 1, 2 * kPartRowBytes,
          static_cast<int>(std::min(part_count, static_cast<std::size_t>(std::min(threads, kMaxThreads))))};
}

bool read_simple_png_rows(const SimplePng& png, const std::string& name, int threads, const PngParts& parts,
                          const BandOutput& to, const CheckPngData& check) {
  PngRowSink sink(png, to, name);
  const bool is_whole =
      parts.part_bytes > 0 ? read_in_parts(png, parts, sink, check) : read_in_blocks(png, threads, sink, check);
  const bool is_sound = is_whole && sink.is_sound();
  if (is_sound) {
    sink.finish();
  }
  return is_sound;
}

std::optional<Image> read_simple_png(const SimplePng& png, const std::string& name, const ReadOptions& options) {
  return read_simple_png(png, name, options, PngParts::of(png, allowed_threads(options.threads)));
}

std::optional<Image> read_simple_png(const SimplePng& png, const std::string& name, const ReadOptions& options,
                                     const PngParts& parts) {
  if (png.row_bytes() > kMaxSimpleRowBytes) {
    return std::nullopt;
  }
  Image image;
  const BandOutput whole{png.height, [&](int rows) { return options.image(png.width, rows, png.decoded()); },
                         [&](RowBand band) { image = std::move(band.rows); }};
  const auto checked = [](std::uint64_t /*end*/) { return true; };  // parse_simple_png has checked the data
  if (!read_simple_png_rows(png, name, allowed_threads(options.threads), parts, whole, checked)) {
    return std::nullopt;
  }
  return image;
}

}  // namespace gpuimg::codecs::png
