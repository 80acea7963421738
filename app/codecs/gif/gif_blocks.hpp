// Reads a GIF's bytes and chains of blocks in order. GIF89a specification, sections 15 and 16.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "codecs/byte_fields.hpp"
#include "codecs/refusals.hpp"

namespace gpuimg::codecs {

/// Refuses the file as truncated if it ends too soon.
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

  /// The next block of a chain. An empty block ends the chain.
  ByteSpan block() { return take(byte()); }
  void skip_blocks() {
    while (!block().empty()) {
    }
  }

 private:
  ByteSpan bytes_;
  const std::string& name_;
};

}  // namespace gpuimg::codecs
