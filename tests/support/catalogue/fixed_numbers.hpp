// Pseudo-random numbers that are the same in each run, so that the files of the catalogue never change.
#pragma once

#include <cstdint>
#include <vector>

namespace gpuimg::test {

class FixedNumbers {
 public:
  explicit FixedNumbers(std::uint32_t start = 1) : state_(start) {}

  /// A number from 0 to bound − 1; bound is at most 2¹⁶.
  std::uint32_t below(std::uint32_t bound) {
    state_ = state_ * 1664525 + 1013904223;
    return (state_ >> 16) * bound >> 16;
  }

  std::vector<std::uint32_t> values(std::size_t count, std::uint32_t bound) {
    std::vector<std::uint32_t> all(count);
    for (std::uint32_t& value : all) {
      value = below(bound);
    }
    return all;
  }

  /// `count` numbers of 24 bits.
  std::vector<std::uint32_t> colors(std::size_t count) {
    std::vector<std::uint32_t> all(count);
    for (std::uint32_t& color : all) {
      color = below(1U << 12) << 12;
      color |= below(1U << 12);
    }
    return all;
  }

 private:
  std::uint32_t state_;
};

}  // namespace gpuimg::test
