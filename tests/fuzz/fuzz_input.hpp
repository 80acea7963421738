// Turns libFuzzer's bytes into numbers, texts and pixels, from front to back. Returns zeros after the last byte.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>

#include "gpuimg/image.hpp"

namespace gpuimg::fuzz {

class FuzzInput {
 public:
  FuzzInput(const std::uint8_t* data, std::size_t size) : rest_(data, size) {}

  std::uint8_t byte() {
    if (rest_.empty()) {
      return 0;
    }
    const std::uint8_t first = rest_.front();
    rest_ = rest_.subspan(1);
    return first;
  }

  std::uint32_t number() {
    std::uint32_t value = 0;
    for (int i = 0; i < 4; ++i) {
      value = value << 8 | byte();
    }
    return value;
  }

  /// A number from 0 to bound − 1; bound ≤ 65536. Small bounds use one byte, so that one mutated byte changes one
  /// choice.
  std::uint32_t below(std::uint32_t bound) {
    return bound <= 256 ? byte() % bound : (std::uint32_t{byte()} << 8 | byte()) % bound;
  }
  int between(int low, int high) { return low + static_cast<int>(below(static_cast<std::uint32_t>(high - low) + 1)); }
  bool flip() { return byte() % 2 == 1; }

  /// At most `max` bytes. A byte before them holds the length.
  std::string text(std::uint32_t max) {
    const std::size_t size = std::min<std::size_t>(below(max + 1), rest_.size());
    const std::string taken(reinterpret_cast<const char*>(rest_.data()), size);
    rest_ = rest_.subspan(size);
    return taken;
  }

  [[nodiscard]] std::string_view rest() const { return {reinterpret_cast<const char*>(rest_.data()), rest_.size()}; }

  /// Repeats the remaining bytes. With `drift`, each repetition differs from the previous one.
  Image image(int width, int height, PixelFormat format) {
    Image image(width, height, format);
    auto* out = reinterpret_cast<std::uint8_t*>(image.view().data);
    const bool drift = flip();
    for (std::size_t i = 0; i < image.size_bytes(); ++i) {
      const std::size_t repeat = rest_.empty() ? 0 : i / rest_.size();
      out[i] = static_cast<std::uint8_t>((rest_.empty() ? 0 : rest_[i % rest_.size()]) + (drift ? repeat : 0));
    }
    return image;
  }

 private:
  std::span<const std::uint8_t> rest_;
};

inline bool same_image(ConstView a, ConstView b) {
  return a.width == b.width && a.height == b.height && a.format == b.format &&
         std::memcmp(a.data, b.data, a.tight_pitch_bytes() * static_cast<std::size_t>(a.height)) == 0;
}

}  // namespace gpuimg::fuzz
