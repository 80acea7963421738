// Holds the quantized coefficients of some rows of a JPEG between entropy decoding and the inverse DCT, and makes
// libjpeg compute pixels from them.
#pragma once

// jpeglib.h needs size_t and FILE declared before it.
#include <cstddef>
#include <cstdio>
// clang-format off
#include <jpeglib.h>
// clang-format on

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "codecs/jpeg/jpeg_decoder.hpp"
#include "gpuimg/encoded_image.hpp"

namespace gpuimg::codecs::jpeg {

/// A ring buffer of MCU rows. It replaces libjpeg's virtual arrays, which hold all rows. In an MCU row, the number of
/// block rows of a component is its vertical sampling factor.
class JpegCoefficientRows {
 public:
  /// Allocates `kept` MCU rows, uninitialized. `info` must have read the image's header. Throws std::bad_alloc.
  JpegCoefficientRows(const jpeg_decompress_struct& info, int kept);

  /// Uses `memory` of block_count() blocks, which must outlive the object.
  JpegCoefficientRows(const jpeg_decompress_struct& info, int kept, std::span<std::int16_t> memory);

  /// Number of blocks in `mcu_rows` MCU rows, padding included.
  static std::size_t block_count(const jpeg_decompress_struct& info, int mcu_rows);

  /// The blocks of the image in the MCU rows begin … end − 1. `begin` and the number of kept rows must be multiples of
  /// end − begin.
  [[nodiscard]] std::vector<JpegBlocks> blocks_of(int begin, int end) const;

  /// The block rows of one component in one MCU row. That row overwrites the row `kept` rows above it.
  [[nodiscard]] JBLOCKARRAY row(int component, int mcu_row) {
    Component& from = components_[static_cast<std::size_t>(component)];
    return from.rows.data() + static_cast<std::ptrdiff_t>(mcu_row % kept_) * from.rows_per_mcu;
  }

  /// One word per block of the component in this MCU row, row by row. Bit k is set if AC coefficient k (zigzag order)
  /// is not zero.
  [[nodiscard]] std::span<std::uint64_t> nonzero(int component, int mcu_row) {
    Component& from = components_[static_cast<std::size_t>(component)];
    const std::size_t count = static_cast<std::size_t>(from.rows_per_mcu) * from.blocks_per_row;
    return {from.nonzero.get() + static_cast<std::size_t>(mcu_row % kept_) * count, count};
  }

  [[nodiscard]] std::size_t blocks_per_row(int component) const {
    return components_[static_cast<std::size_t>(component)].blocks_per_row;
  }

  /// Copies an MCU row from another object of the same image. A no-op if `from` is this object.
  void copy(const JpegCoefficientRows& from, int mcu_row);

  /// Sets the row's coefficients and its nonzero words to zero.
  void clear(int component, int mcu_row);

 private:
  struct alignas(64) Block {
    JCOEF coefficients[DCTSIZE2];
  };
  struct Component {
    std::unique_ptr<Block[]> own;
    std::unique_ptr<std::uint64_t[]> nonzero;
    std::vector<JBLOCKROW> rows;
    int rows_per_mcu = 1;
    std::size_t blocks_per_row = 0;
    std::size_t image_rows = 0;  // rows of blocks, rounded up to whole MCUs unless the image is gray
  };

  void add_component(const jpeg_decompress_struct& info, const jpeg_component_info& from, JBLOCKROW blocks);

  int kept_;
  std::vector<Component> components_;
};

/// Makes libjpeg compute pixels from coefficients: libjpeg reads the file's header up to the first scan and behaves as
/// if it had read that scan. Every warning is an error. All members throw as JpegSession does.
class JpegCoefficientPixels {
 public:
  /// Reads up to the first coded byte. `file` must outlive the object.
  explicit JpegCoefficientPixels(const JpegFile& file);
  JpegCoefficientPixels(const JpegCoefficientPixels&) = delete;
  JpegCoefficientPixels& operator=(const JpegCoefficientPixels&) = delete;

  /// Handles only the MCU rows begin … end − 1, which must be complete in `rows`; libjpeg treats them as a separate
  /// image. Where chroma is upsampled vertically, the first and the last row of pixels differ from those of the whole
  /// image, unless they are at its edges. An object for the whole image must have accepted the header before.
  JpegCoefficientPixels(const JpegFile& file, JpegCoefficientRows& rows, int begin, int end);

  /// For an object of some MCU rows: computes its pixel rows from the current one up to `end`. `end` and `first` count
  /// rows of the whole image. Rows before `first` are dropped; the others go to `pixels`, which holds rows from `first`
  /// on.
  void read_rows_to(int end, const View& pixels, int first);

  /// Computes the pixels that depend only on MCU rows before `end`. MCU rows before `end` must be complete, and also
  /// MCU row `end` if it exists.
  void read_to(int end, JpegCoefficientRows& rows, const View& pixels);

  [[nodiscard]] const jpeg_decompress_struct& info() { return session_.info(); }

 private:
  static jvirt_barray_ptr request(j_common_ptr info, int pool, boolean zeroed, JDIMENSION width, JDIMENSION height,
                                  JDIMENSION max_rows);
  static JBLOCKARRAY access(j_common_ptr info, jvirt_barray_ptr array, JDIMENSION first, JDIMENSION count,
                            boolean writable);
  void start(int mcu_rows);  // 0: all rows
  void replace_arrays();

  const JpegFile& file_;
  JpegSession session_;
  JpegCoefficientRows* rows_ = nullptr;
  int top_ = 0;  // the image's MCU row that libjpeg sees as its first row
  int requested_ = 0;
  int begin_ = 0;  // libjpeg may access the MCU rows begin_ … end_ − 1, counted from top_
  int end_ = 0;
  std::vector<std::uint8_t> cmyk_row_;
  std::vector<std::uint8_t> dropped_row_;
};

}  // namespace gpuimg::codecs::jpeg
