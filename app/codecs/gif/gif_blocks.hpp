// The bytes and blocks of a GIF, one after another, and the bits of codes in them: GIF89a specification, sections
// 15, 16.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "codecs/byte_fields.hpp"
#include "text/refusals.hpp"

namespace gpuimg {

/// The bytes of a file from its beginning; a file that ends too soon is refused as truncated.
class GifBlocks {
 public:
  GifBlocks(ByteSpan bytes, const std::string& name) : bytes_(bytes), name_(name) {}

  [[nodiscard]] const std::string& name() const { return name_; }

  ByteSpan take(std::size_t count) {
    if (bytes_.size() < count) {
      refuse_truncated(name_);
    }
    const ByteSpan taken = bytes_.first(count);
    bytes_ = bytes_.subspan(count);
    return taken;
  }
  std::uint32_t byte() { return u8_at(take(1), 0); }

  /// Of a chain of blocks, which an empty one ends.
  ByteSpan block() { return take(byte()); }
  void skip_blocks() {
    while (!block().empty()) {
    }
  }

 private:
  ByteSpan bytes_;
  const std::string& name_;
};

/// The codes in a chain of blocks, least significant bit first.
class GifCodeReader {
 public:
  explicit GifCodeReader(GifBlocks& blocks) : blocks_(blocks) {}

  /// False at the end of the chain.
  bool next(int bits, std::uint32_t& code) {
    while (held_bits_ < bits) {
      if (block_.empty()) {
        block_ = has_ended_ ? ByteSpan{} : blocks_.block();
        has_ended_ = block_.empty();
        if (has_ended_) {
          return false;
        }
      }
      held_ |= u8_at(block_, 0) << held_bits_;
      held_bits_ += 8;
      block_ = block_.subspan(1);
    }
    code = held_ & ((1U << bits) - 1);
    held_ >>= bits;
    held_bits_ -= bits;
    return true;
  }

  void skip_rest() {
    if (!has_ended_) {
      blocks_.skip_blocks();
    }
  }

 private:
  GifBlocks& blocks_;
  ByteSpan block_;
  std::uint32_t held_ = 0;
  int held_bits_ = 0;
  bool has_ended_ = false;
};

}  // namespace gpuimg
