// Borrows what is lent, and copies the rest.
#include "io/file_content.hpp"

#include <algorithm>
#include <functional>

namespace gpuimg {
namespace {

bool is_within(std::span<const std::byte> part, std::span<const std::byte> whole) {
  const std::less_equal<> is_before;
  return !whole.empty() && is_before(whole.data(), part.data()) &&
         is_before(part.data() + part.size(), whole.data() + whole.size());
}

}  // namespace

FileParts FileContent::parts() {
  return {[this](std::span<const std::byte> part) { append(part); },
          [this](std::uint64_t offset, std::span<const std::byte> part) { place(offset, part); }};
}

std::uint64_t FileContent::size() const {
  std::uint64_t sum = own_.size();
  for (const Borrowed& part : borrowed_) {
    sum += part.bytes.size();
  }
  return sum;
}

void FileContent::append(std::span<const std::byte> part) {
  if (is_within(part, lent_.bytes)) {
    borrowed_.push_back({own_.size(), part});
  } else {
    own_.insert(own_.end(), part.begin(), part.end());
  }
}

void FileContent::place(std::uint64_t offset, std::span<const std::byte> part) {
  own_.resize(std::max<std::size_t>(own_.size(), offset + part.size()));
  std::copy(part.begin(), part.end(), own_.begin() + static_cast<std::ptrdiff_t>(offset));
}

}  // namespace gpuimg
