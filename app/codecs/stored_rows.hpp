// Reads files whose rows are stored uncompressed, all of one length: bands are read from their places.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "codecs/byte_fields.hpp"
#include "codecs/row_reader.hpp"
#include "io/bytes.hpp"

namespace gpuimg::codecs {

/// Where rows are in a file.
struct StoredRows {
  std::uint64_t offset = 0;  ///< of the first stored row
  std::size_t row_bytes = 0;
  bool is_bottom_up = false;
};

class StoredRowReader final : public RowReader {
 public:
  /// Makes pixels of stored rows, which are in the order of the file. Throws Error{decode} for damaged ones.
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

/// The first bytes of a file, as many as headers need; a file of which they are not enough is decoded whole.
std::vector<std::byte> beginning_of(const RandomAccess& file);

}  // namespace gpuimg::codecs
