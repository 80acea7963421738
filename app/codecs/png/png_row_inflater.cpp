// Each block starts with a copy of the window of the block before it.
#include "codecs/png/png_row_inflater.hpp"

#include <algorithm>
#include <cstring>
#include <limits>

#include "codecs/png/png_stream.hpp"
#include "codecs/png/png_unfilter.hpp"

namespace gpuimg::codecs {
namespace {

static_assert(Inflater::kOvershoot >= kUnfilterOverread, "a block must have this much room after its rows");

/// A multiple of the rows that are unfiltered together, or of half of them, or at least one row.
std::size_t rows_of_block(std::size_t filtered_row, std::size_t rows_at_once) {
  const std::size_t rows = PngRowInflater::kBlockBytes / filtered_row;
  const std::size_t unit = rows < rows_at_once ? rows_at_once / 2 : rows_at_once;
  return rows < unit ? std::max<std::size_t>(rows, 1) : rows - rows % unit;
}

}  // namespace

std::uint64_t max_tail_bits(const SimplePng& png) {
  return png.deflated_bytes() <= PngStream::kMaxSingleRead ? std::numeric_limits<std::uint64_t>::max()
                                                           : 8 * std::uint64_t{PngStream::kMinLastRead};
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

/// To reach the end of the stream, the last run must ask for more than is left.
bool PngRowInflater::ends_after(const std::uint8_t* oldest, std::uint8_t* end) {
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
  return !is_last || (overshoot_ == 0 && ends_after(oldest, end));
}

}  // namespace gpuimg::codecs
