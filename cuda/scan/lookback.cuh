// Decoupled look-back: how the tiles of a summed-area table exchange sums within one launch. A sum and its mark are
// written as one word, so no fence is needed and readers never see half of it.
#pragma once

#include <cstdint>

namespace gpuimg::cuda {

/// What a published sum covers. Each launch uses larger numbers than all launches before it, so entries of earlier
/// launches count as not yet written.
struct Epoch {
  std::uint32_t own;    ///< this tile only
  std::uint32_t whole;  ///< everything up to and including this tile

  __host__ __device__ explicit Epoch(std::uint32_t number) : own(2 * number), whole(2 * number + 1) {}
  [[nodiscard]] __device__ bool is_written(std::uint32_t mark) const { return mark == own || mark == whole; }
};

template <class Sum>
struct Published {
  Sum sum;
  std::uint32_t mark;
};

/// For 32-bit sums: mark and sum side by side in 64 bits.
struct State32 {
  using Sum = std::uint32_t;
  unsigned long long word;

  __device__ void publish(Sum sum, std::uint32_t mark) volatile {
    word = static_cast<unsigned long long>(mark) << 32 | sum;
  }
  [[nodiscard]] __device__ Published<Sum> read() const volatile {
    const unsigned long long now = word;
    return {static_cast<std::uint32_t>(now), static_cast<std::uint32_t>(now >> 32)};
  }
};

/// For 64-bit sums: two such words with half of the sum each. Different marks mean that the entry was read while it
/// changed.
struct State64 {
  using Sum = std::uint64_t;
  unsigned long long low;
  unsigned long long high;

  __device__ void publish(Sum sum, std::uint32_t mark) volatile {
    const unsigned long long tag = static_cast<unsigned long long>(mark) << 32;
    low = tag | (sum & 0xFFFFFFFFULL);
    high = tag | (sum >> 32);
  }
  [[nodiscard]] __device__ Published<Sum> read() const volatile {
    const unsigned long long now_low = low;
    const unsigned long long now_high = high;
    const auto mark = static_cast<std::uint32_t>(now_low >> 32);
    const bool agree = mark == static_cast<std::uint32_t>(now_high >> 32);
    return {now_high << 32 | (now_low & 0xFFFFFFFFULL), agree ? mark : 0};
  }
};

/// Spins until a sum of this epoch is published. Terminates because the tile that publishes it has an earlier ticket
/// and so is running.
template <class State>
__device__ __forceinline__ Published<typename State::Sum> wait_for(const volatile State* state, const Epoch& epoch) {
  auto seen = state->read();
  while (!epoch.is_written(seen.mark)) {
    __nanosleep(20);
    seen = state->read();
  }
  return seen;
}

}  // namespace gpuimg::cuda
