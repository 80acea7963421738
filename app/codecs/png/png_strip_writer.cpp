// A ring of strips. Each is packed by whichever thread has time.
#include "codecs/png/png_strip_writer.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include "codecs/allowed_threads.hpp"

namespace gpuimg::codecs {
namespace {

constexpr int kMaxWorkers = 32;                                 // more would cost memory and save no time
constexpr std::size_t kMaxCopiedBytes = std::size_t{16} << 20;  // or one strip, if that is more

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
      packers_([format, plan = plan_, png_level] { return StripPacker(format, plan, png_level); }),
      slots_(static_cast<std::size_t>(workers_ == 1 ? 1 : 2 * workers_)),
      copies_(std::clamp<std::size_t>(kMaxCopiedBytes / plan_.filtered_bytes(), 1, slots_.size())),
      packing_(workers_, slots_.size(),
               [this](int strip) {
                 Slot& slot = slot_of(strip);
                 packers_.local().pack(slot.rows, strip, slot.strip);
               }),
      rows_left_(height) {}

void PngStripWriter::write(ConstView rows) {
  try {
    while (rows.height > 0) {
      int count = rows_in_whole_strips(rows.height);
      const bool are_enough = static_cast<std::size_t>(count / plan_.rows_per_strip) >= slots_.size();
      if (copied_rows_ == 0 && (are_enough || count == rows_left_)) {
        rows_left_ -= count;
        pack_in_place(rows_of(rows, 0, count));
      } else {
        count = copy(rows);
      }
      rows = rows_of(rows, count, rows.height - count);
    }
  } catch (...) {
    packing_.abandon();  // the rows are the caller's
    throw;
  }
}

/// Of the next `rows`.
int PngStripWriter::rows_in_whole_strips(int rows) const {
  return rows == rows_left_ ? rows : rows - rows % plan_.rows_per_strip;
}

/// `rows` are whole strips, or the last rows of the image.
void PngStripWriter::pack_in_place(ConstView rows) {
  for (int y = 0; y < rows.height; y += plan_.rows_per_strip) {
    const int count = std::min(plan_.rows_per_strip, rows.height - y);
    begin({rows_of(rows, y, count), y > 0 ? rows.row_bytes(y - 1) : above_});
  }
  finish_until(packing_.begun());
  if (rows_left_ > 0) {
    std::byte* above = copied_row(packing_.begun(), -1);
    std::memcpy(above, rows.row_bytes(rows.height - 1), plan_.row_bytes);
    above_ = above;
  }
}

/// Copies the beginning of `rows` to the next strip. Returns how many it has taken.
int PngStripWriter::copy(ConstView rows) {
  const int strip = packing_.begun();
  if (copied_rows_ == 0) {
    finish_until(strip - static_cast<int>(copies_.size()) + 1);
    std::byte* above = copied_row(strip, -1);
    if (above_ != nullptr && above_ != above) {
      std::memcpy(above, above_, plan_.row_bytes);
    }
  }
  const int count = std::min(rows.height, plan_.rows_per_strip - copied_rows_);
  for (int y = 0; y < count; ++y) {
    std::memcpy(copied_row(strip, copied_rows_ + y), rows.row_bytes(y), plan_.row_bytes);
  }
  copied_rows_ += count;
  rows_left_ -= count;
  if (copied_rows_ == plan_.rows_per_strip || rows_left_ == 0) {
    const int height = std::exchange(copied_rows_, 0);
    begin({{copied_row(strip, 0), width_, height, plan_.row_bytes, format_},
           above_ != nullptr ? copied_row(strip, -1) : nullptr});
    above_ = copied_row(strip, height - 1);
  }
  if (rows_left_ == 0) {
    finish_until(packing_.begun());
  }
  return count;
}

/// Row −1 is the row above.
std::byte* PngStripWriter::copied_row(int strip, int y) {
  auto& rows = copies_[static_cast<std::size_t>(strip) % copies_.size()];
  if (rows == nullptr) {
    rows.reset(new std::byte[(static_cast<std::size_t>(plan_.rows_per_strip) + 1) * plan_.row_bytes]);
  }
  return rows.get() + static_cast<std::size_t>(y + 1) * plan_.row_bytes;
}

/// The next strip.
void PngStripWriter::begin(const StripRows& rows) {
  const int strip = packing_.begun();
  finish_until(strip - static_cast<int>(slots_.size()) + 1);
  slot_of(strip).rows = rows;
  packing_.begin();
}

/// Passes the strips before this one to the file.
void PngStripWriter::finish_until(int strip) {
  for (; finished_ < strip; ++finished_) {
    packing_.wait_for(finished_);
    file_.append_strip(slot_of(finished_).strip, finished_ + 1 == plan_.strips);
  }
}

}  // namespace gpuimg::codecs
