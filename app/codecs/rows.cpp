// Copies rows, cuts them into bands, and reads stored rows band by band, on the thread of the caller.
#include "codecs/rows.hpp"

#include <algorithm>
#include <utility>

namespace gpuimg::codecs {

void copy_rows(ConstView from, View to, int first_row) {
  for (int y = 0; y < from.height; ++y) {
    std::copy_n(from.row_bytes(y), from.tight_pitch_bytes(), to.row_bytes(first_row + y));
  }
}

void BandCutter::put(ConstView next) {
  while (next.height > 0) {
    Image& band = rows();
    ConstView part = next;
    part.height = std::min(next.height, left());
    copy_rows(part, band.view(), filled());
    next.data = next.row_bytes(part.height);
    next.height -= part.height;
    add(part.height);
    if (left() == 0) {
      pass_on();
    }
  }
}

StoredRowReader::StoredRowReader(int width, int height, PixelFormat format, RandomAccess file, const StoredRows& rows,
                                 Unpack unpack)
    : RowReader(width, height, format), file_(std::move(file)), rows_(rows), unpack_(std::move(unpack)) {}

bool StoredRowReader::read(const BandOutput& to, Order /*order*/) {
  BandCutter bands(to, 0, height());
  while (bands.next() < height()) {
    if (!read_band(bands.next(), bands.rows().view())) {
      return false;
    }
    bands.add(bands.left());
    bands.pass_on();
  }
  return true;
}

bool StoredRowReader::read_band(int first, View to) {
  const int stored_first = rows_.is_bottom_up ? height() - first - to.height : first;
  stored_.resize(rows_.row_bytes * static_cast<std::size_t>(to.height));
  const std::uint64_t offset = rows_.offset + rows_.row_bytes * static_cast<std::uint64_t>(stored_first);
  if (file_.read(offset, stored_) < stored_.size()) {
    return false;
  }
  try {
    unpack_(stored_, to);
    return true;
  } catch (const Error& error) {
    if (error.kind() == ErrorKind::decode) {
      return false;
    }
    throw;
  }
}

std::vector<std::byte> beginning_of(const RandomAccess& file) {
  std::vector<std::byte> beginning(std::size_t{64} << 10);
  beginning.resize(file.read(0, beginning));
  return beginning;
}

}  // namespace gpuimg::codecs
