// Decompresses gzip and compares its check sums, which libarchive does not; by ISA-L. RFC 1952.
#pragma once

#include <cstddef>
#include <memory>
#include <span>

struct inflate_state;

namespace gpuimg {

/// One gzip file, or several one after another, as `cat a.gz b.gz` makes them.
class GzipStream {
 public:
  static constexpr std::size_t kMagicBytes = 3;

  /// If these bytes, kMagicBytes or more, begin a gzip file.
  static bool begins(std::span<const std::byte> bytes);

  GzipStream();
  GzipStream(const GzipStream&) = delete;
  GzipStream& operator=(const GzipStream&) = delete;
  ~GzipStream();

  /// Decompresses as much of `in` as `out` has room for, takes that away from `in`, and returns how many bytes it has
  /// written. Zero if it needs more input, if the data are damaged, and behind the end.
  std::size_t inflate(std::span<const std::byte>& in, std::span<std::byte> out);

  /// A check sum that differs counts as damage.
  [[nodiscard]] bool is_damaged() const { return is_damaged_; }

  /// Nothing is missing if the input ends here.
  [[nodiscard]] bool is_whole() const;

 private:
  std::unique_ptr<inflate_state> state_;
  bool is_damaged_ = false;
  bool has_ended_ = false;  ///< and what follows is no gzip file
};

}  // namespace gpuimg
