// A file in memory, on its way to a stream or an archive.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "io/bytes.hpp"

namespace gpuimg {

/// Memory that a file's content may stay in. `keeper` owns it; null if its owner lives longer.
struct LentBytes {
  std::span<const std::byte> bytes;
  std::shared_ptr<const void> keeper;
};

/// Parts that are in `lent` are not copied.
class FileContent {
 public:
  explicit FileContent(LentBytes lent = {}) : lent_(std::move(lent)) {}
  FileContent(const FileContent&) = delete;
  FileContent& operator=(const FileContent&) = delete;
  ~FileContent() = default;

  /// For its producer, which must not outlive this.
  [[nodiscard]] FileParts parts();

  [[nodiscard]] std::uint64_t size() const;

  /// Calls write(part) for the content in order.
  template <class Write>
  void for_each_part(const Write& write) const {
    std::size_t at = 0;
    for (const Borrowed& part : borrowed_) {
      write(std::span(own_).subspan(at, part.own_before - at));
      write(part.bytes);
      at = part.own_before;
    }
    write(std::span(own_).subspan(at));
  }

 private:
  struct Borrowed {
    std::size_t own_before;  ///< how much of own_ comes before it
    std::span<const std::byte> bytes;
  };

  void append(std::span<const std::byte> part);
  void place(std::uint64_t offset, std::span<const std::byte> part);

  LentBytes lent_;
  std::vector<std::byte> own_;
  std::vector<Borrowed> borrowed_;
};

}  // namespace gpuimg
