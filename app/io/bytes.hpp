// Types for the bytes of a file: in memory, readable at any offset, or being written to an output.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <memory>
#include <span>
#include <utility>
#include <vector>

namespace gpuimg {

/// Frees memory from new[]. Memory that has an owner is returned to the owner.
class ByteDeleter {
 public:
  ByteDeleter() = default;
  ByteDeleter(std::default_delete<std::byte[]>) noexcept {}
  explicit ByteDeleter(std::shared_ptr<const void> owner) noexcept : owner_(std::move(owner)) {}

  void operator()(std::byte* memory) noexcept {
    if (owner_ == nullptr) {
      delete[] memory;
    }
    owner_.reset();
  }

 private:
  std::shared_ptr<const void> owner_;
};
using ByteMemory = std::unique_ptr<std::byte[], ByteDeleter>;

/// Uninitialized memory, unlike std::vector.
struct Bytes {
  ByteMemory data;
  std::size_t size = 0;

  [[nodiscard]] std::span<const std::byte> span() const { return {data.get(), size}; }
};

/// The bytes of a file, read where they are needed: from memory, or from an open file.
struct RandomAccess {
  std::uint64_t size = 0;
  /// Copies bytes from `offset` on into `to`, up to the end of the file or of `to`. Returns their number. Does not
  /// throw.
  std::function<std::size_t(std::uint64_t offset, std::span<std::byte> to)> read;
};

/// `bytes` must outlive the result.
inline RandomAccess in_memory(std::span<const std::byte> bytes) {
  return {bytes.size(), [bytes](std::uint64_t offset, std::span<std::byte> to) {
            const std::uint64_t left = bytes.size() - std::min<std::uint64_t>(offset, bytes.size());
            const auto count = static_cast<std::size_t>(std::min<std::uint64_t>(left, to.size()));
            if (count > 0) {
              std::memcpy(to.data(), bytes.data() + offset, count);
            }
            return count;
          }};
}

/// Several pieces of memory, read as one. The pieces must outlive the result.
inline RandomAccess in_pieces(std::span<const std::span<const std::byte>> pieces) {
  struct Piece {
    std::uint64_t end;  ///< offset of the piece's end in the whole
    std::span<const std::byte> bytes;
  };
  auto all = std::make_shared<std::vector<Piece>>();
  all->reserve(pieces.size());
  std::uint64_t size = 0;
  for (const std::span<const std::byte> bytes : pieces) {
    size += bytes.size();
    all->push_back({size, bytes});
  }
  return {size, [all](std::uint64_t offset, std::span<std::byte> to) {
            auto piece =
                std::partition_point(all->begin(), all->end(), [&](const Piece& p) { return p.end <= offset; });
            std::size_t done = 0;
            for (; piece != all->end() && done < to.size(); ++piece) {
              const auto left = static_cast<std::size_t>(piece->end - offset - done);
              const auto part = piece->bytes.last(left).first(std::min(left, to.size() - done));
              std::copy(part.begin(), part.end(), to.begin() + static_cast<std::ptrdiff_t>(done));
              done += part.size();
            }
            return done;
          }};
}

/// Receives the bytes of a file in order, in blocks of any size. An exception aborts the encoder.
using ByteSink = std::function<void(std::span<const std::byte>)>;

/// Receives a part of a file and its offset. Parts may come in any order; bytes that no part covers are zero.
using BytePlacer = std::function<void(std::uint64_t offset, std::span<const std::byte> part)>;

/// How a producer writes a file: in order from its beginning, or in parts with offsets.
struct FileParts {
  ByteSink append;
  BytePlacer place;  ///< used instead of `append`
};

}  // namespace gpuimg
