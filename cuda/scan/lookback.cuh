// How the tiles of a summed-area table tell each other their sums within one launch: a sum and its meaning written as
// one word, so that no fence is needed and a reader never sees half of it.
#pragma once

#include <cstdint>

namespace gpuimg::cuda {

/// What a published sum covers. Numbers of a launch are larger than those of every launch before, so old entries count
/// as not yet written.
struct Epoch {
  std::uint32_t own;    ///< the tile alone
  std::uint32_t whole;  ///< everything up to and with the tile

  __host__ __device__ explicit Epoch(std::uint32_t number) : own(2 * number), whole(2 * number + 1) {}
  [[nodiscard]] __device__ bool is_written(std::uint32_t mark) const { return mark == own || mark == whole; }
};

template <class Sum>
struct Published {
  Sum sum;
  std::uint32_t mark;
};

/// Sum = uint32: mark and sum side by side in 64 bits.
struct NarrowState {
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

/// Sum = uint64: two such words with half of the sum each. Halves of different marks were read while they changed.
struct WideState {
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

/// Waits until a sum of this epoch is there. The tile that publishes it has an earlier ticket, so it is running.
template <class State>
__device__ __forceinline__ Published<typename State::Sum> awaited(const volatile State* state, const Epoch& epoch) {
  auto seen = state->read();
  while (!epoch.is_written(seen.mark)) {
    __nanosleep(20);
    seen = state->read();
  }
  return seen;
}

}  // namespace gpuimg::cuda
