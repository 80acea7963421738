// Reads and writes image files in bands of rows, so that neither the file nor the image is ever held whole in memory.
// docs/decisions/0022-bands-of-rows.md.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

#include "codecs/byte_fields.hpp"
#include "gpuimg/image.hpp"
#include "io/bytes.hpp"

namespace gpuimg::codecs {

/// Whole rows of an image: the unit that row readers produce and row writers take.
struct RowBand {
  int first = 0;  ///< index of the first row in the image
  Image rows;
};

/// The consumer of a decoder's rows.
struct BandOutput {
  int rows = 1;                             ///< number of rows in a band; the last band may have fewer
  std::function<Image(int rows)> new_rows;  ///< allocates the pixels of a band; called on any thread
  std::function<void(RowBand band)> take;   ///< receives a band; called on any thread, one at a time
};

/// Copies all rows of `from` to `to`, starting at row `first_row` of `to`.
void copy_rows(ConstView from, View to, int first_row);

/// Cuts rows that arrive from top to bottom into bands. Covers rows `first` to `end` − 1 of the image.
class BandCutter {
 public:
  /// Keeps a reference to `to`.
  BandCutter(const BandOutput& to, int first, int end) : to_(to), end_(end) { band_.first = first; }

  /// The band that is currently being filled.
  Image& rows() {
    if (band_.rows.empty()) {
      band_.rows = to_.new_rows(std::min(to_.rows, end_ - band_.first));
    }
    return band_.rows;
  }
  /// Index in the image of the next row to fill.
  [[nodiscard]] int next() const { return band_.first + filled_; }
  /// Number of filled rows of the band, and number of rows still to fill.
  [[nodiscard]] int filled() const { return filled_; }
  [[nodiscard]] int left() const { return std::min(to_.rows, end_ - band_.first) - filled_; }

  /// Counts the next `rows` rows of the band as filled.
  void add(int rows) { filled_ += rows; }

  /// Copies the next rows of the image into bands, and passes on each band that becomes full.
  void put(ConstView next);

  /// Passes a full band on and begins the next one.
  void pass_on() {
    const int first = band_.first + std::exchange(filled_, 0);
    to_.take(std::exchange(band_, RowBand{first, Image()}));
  }

 private:
  const BandOutput& to_;
  int end_;
  RowBand band_;
  int filled_ = 0;
};

/// An open file of one image. Its header has been read; its rows can be read any number of times.
class RowReader {
 public:
  RowReader(int width, int height, PixelFormat format) : width_(width), height_(height), format_(format) {}
  RowReader(const RowReader&) = delete;
  RowReader& operator=(const RowReader&) = delete;
  virtual ~RowReader() = default;

  [[nodiscard]] int width() const { return width_; }
  [[nodiscard]] int height() const { return height_; }
  [[nodiscard]] PixelFormat format() const { return format_; }

  enum class Order { top_down, any };

  /// Passes all rows to the output. Returns false if the file is damaged or unusual: the bands passed so far are then
  /// invalid, and decode_image must decide whether the file is valid. Throws Error{out_of_memory} and the output's
  /// exceptions. With Order::any, an Error from the output can also become a return value of false.
  virtual bool read(const BandOutput& to, Order order) = 0;

 private:
  int width_;
  int height_;
  PixelFormat format_;
};

/// Encodes a file row by row. The bytes do not depend on how the rows are divided among calls of write(). Destroying
/// the writer before finish() leaves the file incomplete. After an exception, only destruction is allowed.
class RowWriter {
 public:
  RowWriter() = default;
  RowWriter(const RowWriter&) = delete;
  RowWriter& operator=(const RowWriter&) = delete;
  virtual ~RowWriter() = default;

  /// Writes the next rows, from top to bottom. They must have the image's width and format. Keeps no reference to them.
  /// Can be called on any thread, but not on two at the same time. Throws as encode_image does, passes on the sink's
  /// exceptions, and throws std::logic_error for rows beyond the image's height.
  virtual void write(ConstView rows) = 0;

  /// Call after the last row. Throws as write() does.
  virtual void finish() = 0;
};

// --- Files that store uncompressed rows, all of the same length -----------------------------------------------------

/// Location of the rows in a file.
struct StoredRows {
  std::uint64_t offset = 0;  ///< offset of the first stored row
  std::size_t row_bytes = 0;
  bool is_bottom_up = false;
};

/// Reads each band directly from its location in the file.
class StoredRowReader final : public RowReader {
 public:
  /// Converts stored rows, in the order of the file, to pixels. Throws Error{decode} for damaged rows.
  using Unpack = std::function<void(ByteSpan stored, View to)>;

  StoredRowReader(int width, int height, PixelFormat format, RandomAccess file, const StoredRows& rows, Unpack unpack);

  bool read(const BandOutput& to, Order order) override;

 private:
  bool read_band(int first, View to);

  RandomAccess file_;
  StoredRows rows_;
  Unpack unpack_;
  std::vector<std::byte> stored_;  // stored bytes of a band
};

/// The first bytes of a file: enough for most headers. A file with a longer header is decoded whole.
std::vector<std::byte> beginning_of(const RandomAccess& file);

}  // namespace gpuimg::codecs
