// How coefficients are stored between entropy decoding and the inverse DCT: 64 of 16 bits a block, column after column,
// so that a thread that transforms a column reads 16 bytes in a row.
#pragma once

#include <cstddef>
#include <cstdint>

#include "gpuimg/codec.hpp"
#include "gpuimg/jpeg/layout.hpp"

namespace gpuimg::jpeg {

/// Where the coefficients in zigzag order are stored.
struct TransposedZigzag {
  std::uint8_t place[kBlockSize] = {};
};

/// T.81, figure A.6: runs along the antidiagonals, up and down by turns.
constexpr TransposedZigzag make_transposed_zigzag() {
  TransposedZigzag zigzag;
  int next = 0;
  for (int diagonal = 0; diagonal < 2 * kBlockSide - 1; ++diagonal) {
    for (int i = 0; i <= diagonal; ++i) {
      const int row = diagonal % 2 == 0 ? diagonal - i : i;
      const int column = diagonal - row;
      if (row < kBlockSide && column < kBlockSide) {
        zigzag.place[next++] = static_cast<std::uint8_t>(column * kBlockSide + row);
      }
    }
  }
  return zigzag;
}

inline constexpr TransposedZigzag kTransposedZigzag = make_transposed_zigzag();

/// Quantization steps in the same order.
struct TransposedSteps {
  std::uint16_t step[kBlockSize] = {};
};

inline TransposedSteps transposed_steps(const EncodedJpegComponent& component) {
  TransposedSteps steps;
  for (std::size_t i = 0; i < kBlockSize; ++i) {
    steps.step[i % kBlockSide * kBlockSide + i / kBlockSide] = component.steps[i];
  }
  return steps;
}

}  // namespace gpuimg::jpeg
