// A pipeline for each batch of strips; an image that comes whole is one batch.
#include "codecs/png/png_strip_writer.hpp"

#include <tbb/parallel_pipeline.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "arena_memory.hpp"
#include "codecs/allowed_threads.hpp"

namespace gpuimg::codecs {
namespace {

constexpr int kMaxWorkers = 32;                               // more would cost memory and save no time
constexpr std::size_t kMaxHeldBytes = std::size_t{16} << 20;  // or one strip, if that is more

ConstView rows_of(ConstView rows, int first, int count) {
  return {rows.row_bytes(first), rows.width, count, rows.pitch_bytes, rows.format};
}

}  // namespace

PngStripWriter::PngStripWriter(int width, int height, PixelFormat format, int threads, int png_level, PngOutput& file)
    : width_(width),
      format_(format),
      plan_(static_cast<std::size_t>(width) * format.bytes_per_pixel(), height),
      file_(file),
      workers_(std::min({allowed_threads(threads), kMaxWorkers, plan_.strips})),
      strips_(static_cast<std::size_t>(workers_ == 1 ? 1 : 2 * workers_)),
      arena_(workers_),
      packers_([format, plan = plan_, png_level] { return StripPacker(format, plan, png_level); }),
      rows_left_(height) {
  // At the end of a batch, threads wait for the last strip: a batch is larger than what is in flight.
  const std::size_t most = workers_ == 1 ? 1 : 2 * strips_.size();
  const std::size_t strips = std::clamp<std::size_t>(kMaxHeldBytes / plan_.filtered_bytes(), 1, most);
  batch_rows_ = static_cast<int>(
      std::min(strips * static_cast<std::size_t>(plan_.rows_per_strip), static_cast<std::size_t>(height)));
  require_arena_memory();
}

void PngStripWriter::write(ConstView rows) {
  while (rows.height > 0) {
    int count = rows_in_whole_strips(rows.height);
    if (held_rows_ == 0 && is_batch(count)) {
      rows_left_ -= count;
      pack(rows_of(rows, 0, count));
    } else {
      count = hold(rows);
    }
    rows = rows_of(rows, count, rows.height - count);
  }
}

/// Of the next `rows`.
int PngStripWriter::rows_in_whole_strips(int rows) const {
  return rows == rows_left_ ? rows : rows - rows % plan_.rows_per_strip;
}

/// True if `rows` keep all workers busy, or are the last.
bool PngStripWriter::is_batch(int rows) const { return rows >= batch_rows_ || rows == rows_left_; }

/// Copies the beginning of `rows` to those that wait, and packs them if they are a batch. Returns how many it has
/// taken.
int PngStripWriter::hold(ConstView rows) {
  const int count = std::min(rows.height, batch_rows_ - held_rows_);
  for (int y = 0; y < count; ++y) {
    std::memcpy(held_row(held_rows_ + y), rows.row_bytes(y), plan_.row_bytes);
  }
  held_rows_ += count;
  rows_left_ -= count;
  if (held_rows_ == batch_rows_ || rows_left_ == 0) {
    const int batch = std::exchange(held_rows_, 0);
    pack({held_row(0), width_, batch, plan_.row_bytes, format_});
  }
  return count;
}

/// Row −1 is the row above.
std::byte* PngStripWriter::held_row(int y) {
  if (held_ == nullptr) {
    held_.reset(new std::byte[(static_cast<std::size_t>(batch_rows_) + 1) * plan_.row_bytes]);
  }
  return held_.get() + static_cast<std::size_t>(y + 1) * plan_.row_bytes;
}

/// Rows that begin with strip next_strip_, and hold whole strips or the last rows of the image.
void PngStripWriter::pack(ConstView rows) {
  // Strips are reused in turn. The pipeline passes only indices: oneTBB leaks objects in flight when a filter throws.
  const auto strip = [&](int i) -> PackedStrip& { return strips_[static_cast<std::size_t>(i) % strips_.size()]; };
  const int count = (rows.height - 1) / plan_.rows_per_strip + 1;
  int next = 0;
  const auto number = [&](tbb::flow_control& flow) {
    if (next == count) {
      flow.stop();
      return -1;
    }
    return next++;
  };
  const auto pack_one = [&](int i) {
    packers_.local().pack(strip_rows(rows, i), next_strip_ + i, strip(i));
    return i;
  };
  const auto append = [&](int i) { file_.append_strip(strip(i), next_strip_ + i + 1 == plan_.strips); };
  arena_.execute([&] {
    tbb::parallel_pipeline(strips_.size(), tbb::make_filter<void, int>(tbb::filter_mode::serial_in_order, number) &
                                               tbb::make_filter<int, int>(tbb::filter_mode::parallel, pack_one) &
                                               tbb::make_filter<int, void>(tbb::filter_mode::serial_in_order, append));
  });
  next_strip_ += count;
  if (next_strip_ < plan_.strips) {
    std::memcpy(held_row(-1), rows.row_bytes(rows.height - 1), plan_.row_bytes);
  }
}

/// Strip next_strip_ + i, of rows that begin with next_strip_.
StripRows PngStripWriter::strip_rows(ConstView rows, int i) {
  const int first = i * plan_.rows_per_strip;
  const int count = std::min(plan_.rows_per_strip, rows.height - first);
  const std::byte* above = first > 0 ? rows.row_bytes(first - 1) : next_strip_ > 0 ? held_row(-1) : nullptr;
  return {rows_of(rows, first, count), above};
}

}  // namespace gpuimg::codecs
