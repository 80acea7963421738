// The bytes of a file, read where they are needed: from memory, or from an open file.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <memory>
#include <span>
#include <vector>

namespace gpuimg {

struct RandomAccess {
  std::uint64_t size = 0;
  /// Copies the bytes at `offset`, as many as fit; returns how many there were. Throws nothing.
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

/// Pieces of memory, as one. They must outlive the result.
inline RandomAccess in_pieces(std::span<const std::span<const std::byte>> pieces) {
  struct Piece {
    std::uint64_t end;  ///< of the piece, in the whole
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

}  // namespace gpuimg
