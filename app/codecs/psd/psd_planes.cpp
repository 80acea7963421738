// Each coded row is found by the table of row lengths, never by where the row before it ends.
#include "codecs/psd/psd_planes.hpp"

#include <algorithm>
#include <cstring>

#include "codecs/refusals.hpp"

namespace gpuimg::codecs {
namespace {

/// Unpacks PackBits until `to` is full. A count of 128 is skipped.
void unpack_runs(ByteSpan from, std::span<std::byte> to, const std::string& name) {
  while (!to.empty()) {
    if (from.empty()) {
      refuse_damaged(name, "a row is shorter than its length says");
    }
    const std::uint32_t code = u8_at(from, 0);
    from = from.subspan(1);
    if (code == 128) {
      continue;
    }
    const bool is_run = code > 128;
    const std::size_t count = is_run ? 257 - code : code + 1;
    if (count > to.size() || from.size() < (is_run ? 1 : count)) {
      refuse_damaged(name, "a run extends past its row");
    }
    if (is_run) {
      std::fill_n(to.begin(), count, from[0]);
    } else {
      std::memcpy(to.data(), from.data(), count);
    }
    from = from.subspan(is_run ? 1 : count);
    to = to.subspan(count);
  }
}

}  // namespace

PsdPlanes::PsdPlanes(ByteSpan data, const PsdHeader& header, const std::string& name)
    : height_(static_cast<std::size_t>(header.height)), row_bytes_(header.row_bytes()), name_(name) {
  constexpr std::uint32_t kPlain = 0;
  constexpr std::uint32_t kRunLength = 1;
  require_bytes(data, 2, name);
  const std::uint32_t compression = u16be_at(data, 0);
  data_ = data.subspan(2);
  if (compression > kRunLength) {
    refuse_unsupported(name, "PSD with a deflated merged image");
  }
  if (compression == kRunLength) {
    locate_rows(header);
  } else if (compression == kPlain && data_.size() / row_bytes_ / height_ < header.channels) {
    refuse_truncated(name);
  }
}

void PsdPlanes::locate_rows(const PsdHeader& header) {
  const std::size_t entry_bytes = header.is_large ? 4 : 2;
  if (data_.size() / entry_bytes / height_ < header.channels) {
    refuse_truncated(name_);
  }
  const std::size_t rows = height_ * static_cast<std::size_t>(header.channels);
  starts_.resize(rows + 1);
  starts_[0] = rows * entry_bytes;
  for (std::size_t row = 0; row < rows; ++row) {
    const std::size_t length = header.is_large ? u32be_at(data_, 4 * row) : u16be_at(data_, 2 * row);
    starts_[row + 1] = starts_[row] + length;
  }
  require_bytes(data_, starts_[rows], name_);
}

void PsdPlanes::read_row(std::size_t plane, std::size_t y, std::byte* to) const {
  const std::size_t row = plane * height_ + y;
  if (starts_.empty()) {
    std::memcpy(to, data_.data() + row * row_bytes_, row_bytes_);
    return;
  }
  unpack_runs(data_.subspan(starts_[row], starts_[row + 1] - starts_[row]), {to, row_bytes_}, name_);
}

}  // namespace gpuimg::codecs
