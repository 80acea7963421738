// Rows of image files: bands of them, what reads a file in bands, and what writes one from rows, so that neither the
// file nor the image is ever held whole. docs/decisions/0022-bands-of-rows.md.
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

/// Whole rows of an image: what a reader of a file larger than memory produces, and a writer takes.
struct RowBand {
  int first = 0;  ///< row of the image
  Image rows;
};

/// Where a decoder's rows go.
struct BandOutput {
  int rows = 1;                             ///< of a band; the last may have fewer
  std::function<Image(int rows)> new_rows;  ///< memory for the pixels of a band; called on any thread
  std::function<void(RowBand band)> take;   ///< called on any thread, one at a time
};

/// Copies all rows to row `first_row` and the rows below it.
void copy_rows(ConstView from, View to, int first_row);

/// Cuts rows that come from top to bottom into bands, from row `first` to row `end` of the image.
class BandCutter {
 public:
  /// Borrows the output.
  BandCutter(const BandOutput& to, int first, int end) : to_(to), end_(end) { band_.first = first; }

  /// The band that is being filled.
  Image& rows() {
    if (band_.rows.empty()) {
      band_.rows = to_.new_rows(std::min(to_.rows, end_ - band_.first));
    }
    return band_.rows;
  }
  /// The next row of the image.
  [[nodiscard]] int next() const { return band_.first + filled_; }
  /// How many rows of the band are filled, and how many are not.
  [[nodiscard]] int filled() const { return filled_; }
  [[nodiscard]] int left() const { return std::min(to_.rows, end_ - band_.first) - filled_; }

  /// The next rows of the band are filled.
  void add(int rows) { filled_ += rows; }

  /// Copies the next rows of the image, and passes on the bands that they fill.
  void put(ConstView next);

  /// Passes a full band on; the next one begins.
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

  /// Passes all rows on. Returns false if the bands are void: something in the file is damaged or unusual, and
  /// decode_image must decide whether the file is valid. Throws Error{out_of_memory}, and what the output throws; but
  /// with Order::any, an Error of the output may also make it return false.
  virtual bool read(const BandOutput& to, Order order) = 0;

 private:
  int width_;
  int height_;
  PixelFormat format_;
};

/// A file that is being encoded. Its bytes do not depend on how the rows are cut into calls. If destroyed before
/// finish(), it leaves the file incomplete. After an exception it can only be destroyed.
class RowWriter {
 public:
  RowWriter() = default;
  RowWriter(const RowWriter&) = delete;
  RowWriter& operator=(const RowWriter&) = delete;
  virtual ~RowWriter() = default;

  /// Takes the next rows, from top to bottom, of the width and format of the image. Keeps no reference to them. Called
  /// on any thread, one at a time. Throws as encode_image does, and what the sink throws, and std::logic_error for rows
  /// that the image does not have.
  virtual void write(ConstView rows) = 0;

  /// Call after the last row. Throws as write() does.
  virtual void finish() = 0;
};

// --- Files whose rows are stored uncompressed, all of one length ----------------------------------------------------

/// Where rows are in a file.
struct StoredRows {
  std::uint64_t offset = 0;  ///< of the first stored row
  std::size_t row_bytes = 0;
  bool is_bottom_up = false;
};

/// Reads each band from its place in the file.
class StoredRowReader final : public RowReader {
 public:
  /// Converts stored rows, in the order of the file, to pixels. Throws Error{decode} for damaged ones.
  using Unpack = std::function<void(ByteSpan stored, View to)>;

  StoredRowReader(int width, int height, PixelFormat format, RandomAccess file, const StoredRows& rows, Unpack unpack);

  bool read(const BandOutput& to, Order order) override;

 private:
  bool read_band(int first, View to);

  RandomAccess file_;
  StoredRows rows_;
  Unpack unpack_;
  std::vector<std::byte> stored_;  // of a band
};

/// The first bytes of a file: enough for most headers. A file with a longer header is decoded whole.
std::vector<std::byte> beginning_of(const RandomAccess& file);

}  // namespace gpuimg::codecs
