// Two stages over blocks of rows: inflate, then unfilter. app/files/png_fast_reader.hpp.
#include "files/png_fast_reader.hpp"

#include <tbb/parallel_pipeline.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <cstring>
#include <memory>
#include <vector>

#include "files/allowed_threads.hpp"
#include "files/checksums.hpp"
#include "files/inflate.hpp"
#include "files/png_unfilter.hpp"
#include "files/sample_order.hpp"

namespace gpuimg {
namespace {

static_assert(Inflater::kOvershoot >= kUnfilterOverread, "a block has that much room behind its rows");

constexpr std::size_t kBlocks = 3;
constexpr std::size_t kBlockBytes = std::size_t{256} << 10;
constexpr std::size_t kMostRowsAtOnce = rows_unfiltered_at_once(1);
constexpr std::size_t kLongestRow = std::size_t{4} << 20;  // longer ones would take too much memory in blocks

/// Filtered rows, behind what was inflated before them.
struct Block {
  std::unique_ptr<std::uint8_t[]> memory;
  int rows = 0;

  [[nodiscard]] std::uint8_t* window() const { return memory.get(); }
  [[nodiscard]] std::uint8_t* filtered() const { return memory.get() + Inflater::kWindow; }
};

/// Inflates block after block.
class RowInflater {
 public:
  explicit RowInflater(const PlainPng& png)
      : inflater_(png.image_data),
        filtered_row_(png.row_bytes() + 1),
        rows_left_(png.height),
        rows_per_block_(static_cast<int>(std::min(rows_in(kBlockBytes), static_cast<std::size_t>(png.height)))) {}

  [[nodiscard]] bool fits_one_block() const { return rows_left_ == rows_per_block_; }
  [[nodiscard]] bool is_sound() const { return is_sound_; }
  [[nodiscard]] std::uint32_t declared_adler() const { return inflater_.declared_adler(); }

  /// The next block; null after the last, and where the stream is damaged or of another length. The block before must
  /// still hold what it held, and the kBlocks-th before is used again.
  Block* next() {
    if (rows_left_ == 0 || !is_sound_) {
      return nullptr;
    }
    Block& block = blocks_[number_++ % kBlocks];
    if (block.memory == nullptr) {
      const std::size_t rows_bytes = static_cast<std::size_t>(rows_per_block_) * filtered_row_;
      block.memory.reset(new std::uint8_t[Inflater::kWindow + rows_bytes + Inflater::kOvershoot]);
    }
    block.rows = std::min(rows_per_block_, rows_left_);
    rows_left_ -= block.rows;
    is_sound_ = inflate_into(block);
    return is_sound_ ? &block : nullptr;
  }

 private:
  /// Whole groups, for they are unfiltered together; but one row at least.
  [[nodiscard]] std::size_t rows_in(std::size_t bytes) const {
    const std::size_t rows = bytes / filtered_row_;
    return rows < kMostRowsAtOnce ? std::max<std::size_t>(rows, 1) : rows - rows % kMostRowsAtOnce;
  }

  bool inflate_into(Block& block) {
    const std::uint8_t* oldest = block.filtered();
    std::uint8_t* out = block.filtered();
    if (const Block* before = number_ > 1 ? &blocks_[(number_ - 2) % kBlocks] : nullptr; before != nullptr) {
      // A block may be shorter than the window, so the window is taken over with what the block added to it.
      const std::uint8_t* const end = before->filtered() + static_cast<std::size_t>(before->rows) * filtered_row_;
      known_ = std::min(Inflater::kWindow, known_ + static_cast<std::size_t>(end - before->filtered()));
      std::memcpy(block.filtered() - known_, end - known_, known_ + overshoot_);
      oldest = block.filtered() - known_;
      out += overshoot_;
    }
    const std::uint8_t* const end = block.filtered() + static_cast<std::size_t>(block.rows) * filtered_row_;
    const bool is_last = rows_left_ == 0;
    // To see the end of the stream, the last run must ask for more than there is.
    const std::uint8_t* const reached = inflater_.run(oldest, out, is_last ? end + 1 : end);
    if (reached == nullptr || reached < end) {
      return false;
    }
    overshoot_ = static_cast<std::size_t>(reached - end);
    return !is_last || (overshoot_ == 0 && inflater_.has_ended());
  }

  Inflater inflater_;
  std::size_t filtered_row_;
  int rows_left_;
  int rows_per_block_;
  std::array<Block, kBlocks> blocks_;
  std::size_t number_ = 0;
  std::size_t known_ = 0;      // how much of the window there is before the block
  std::size_t overshoot_ = 0;  // bytes of the next block, inflated with the last
  bool is_sound_ = true;
};

/// Makes rows of blocks, which must come in order.
class RowFinisher {
 public:
  RowFinisher(const PlainPng& png, std::byte* rows)
      : row_bytes_(png.row_bytes()),
        pixel_bytes_(png.stored.bytes_per_pixel()),
        swaps_(png.stored.sample == Sample::u16 && std::endian::native == std::endian::little),
        next_row_(reinterpret_cast<std::uint8_t*>(rows)),
        zeros_(row_bytes_) {}

  [[nodiscard]] bool is_sound() const { return is_sound_; }
  [[nodiscard]] std::uint32_t adler() const { return adler_; }

  void finish(const Block& block) {
    const std::size_t bytes = static_cast<std::size_t>(block.rows) * (row_bytes_ + 1);
    adler_ = adler32_of(std::as_bytes(std::span(block.filtered(), bytes)), adler_);
    const std::uint8_t* filtered = block.filtered();
    const int group = static_cast<int>(rows_unfiltered_at_once(pixel_bytes_));
    for (int left = block.rows; left > 0 && is_sound_;) {
      const int rows = left < group ? 1 : group;
      is_sound_ = knows_filters(filtered, rows);
      if (is_sound_) {
        finish_rows(filtered, rows);
      }
      filtered += static_cast<std::size_t>(rows) * (row_bytes_ + 1);
      left -= rows;
    }
  }

  /// After the last row.
  void finish_last() { swap_above(); }

 private:
  [[nodiscard]] bool knows_filters(const std::uint8_t* filtered, int rows) const {
    bool all = true;
    for (int row = 0; row < rows; ++row, filtered += row_bytes_ + 1) {
      all = all && *filtered < kPngFilterCount;
    }
    return all;
  }

  void finish_rows(const std::uint8_t* filtered, int rows) {
    const std::uint8_t* const above = above_ != nullptr ? above_ : zeros_.data();
    if (rows > 1) {
      unfilter_rows(filtered, above, next_row_, row_bytes_, pixel_bytes_);
    } else {
      unfilter_row(static_cast<PngFilter>(*filtered), filtered + 1, above, next_row_, {0, row_bytes_}, pixel_bytes_);
    }
    for (int row = 0; row < rows; ++row) {
      swap_above();
      above_ = next_row_;
      next_row_ += row_bytes_;
    }
  }

  /// Filters work on the file's byte order, so a row is brought into the machine's when the row below is done.
  void swap_above() {
    if (!swaps_ || above_ == nullptr) {
      return;
    }
    swap_sample_bytes(above_, above_, row_bytes_);
  }

  std::size_t row_bytes_;
  std::size_t pixel_bytes_;
  bool swaps_;
  std::uint8_t* next_row_;
  std::uint8_t* above_ = nullptr;
  std::vector<std::uint8_t> zeros_;
  std::uint32_t adler_ = 1;
  bool is_sound_ = true;
};

void run_at_once(RowInflater& inflater, RowFinisher& finisher) {
  const auto inflate = [&](tbb::flow_control& flow) -> Block* {
    Block* const block = inflater.next();
    if (block == nullptr) {
      flow.stop();
    }
    return block;
  };
  tbb::task_arena arena(2);
  arena.execute([&] {
    tbb::parallel_pipeline(kBlocks, tbb::make_filter<void, Block*>(tbb::filter_mode::serial_in_order, inflate) &
                                        tbb::make_filter<Block*, void>(tbb::filter_mode::serial_in_order,
                                                                       [&](Block* b) { finisher.finish(*b); }));
  });
}

bool read_rows(const PlainPng& png, std::byte* rows, int threads) {
  RowInflater inflater(png);
  RowFinisher finisher(png, rows);
  if (allowed_threads(threads) == 1 || inflater.fits_one_block()) {
    for (const Block* block = inflater.next(); block != nullptr; block = inflater.next()) {
      finisher.finish(*block);
    }
  } else {
    run_at_once(inflater, finisher);
  }
  finisher.finish_last();
  return inflater.is_sound() && finisher.is_sound() && finisher.adler() == inflater.declared_adler();
}

}  // namespace

std::optional<Image> read_plain_png(const PlainPng& png, const std::string& name, const ReadOptions& options) {
  if (png.row_bytes() > kLongestRow) {
    return std::nullopt;
  }
  const PixelFormat format = png.palette ? PixelFormat{Sample::u8, png.palette->channels()} : png.stored;
  Image image = options.image(png.width, png.height, format);
  std::byte* const rows = png.palette ? PngPalette::indices_of(image) : image.view().data;
  if (!read_rows(png, rows, options.threads)) {
    return std::nullopt;
  }
  if (png.palette) {
    png.palette->paint(image, name);
  }
  return image;
}

}  // namespace gpuimg
