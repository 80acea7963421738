// How a block of threads reads the literals and matches of a part: 16 bytes a thread, several turns.
#pragma once

#include <cub/block/block_scan.cuh>

#include "codecs/png/png_job.cuh"

namespace gpuimg::cuda {

constexpr std::uint32_t kGroupThreads = 256;

/// Calls each(group, literals) in the order of the part, by all threads at once: a group without bytes for those that
/// have none. The barriers separate the turns, which use the same shared memory.
class SymbolReader {
 public:
  struct Larger {
    __device__ std::uint32_t operator()(std::uint32_t a, std::uint32_t b) const { return a < b ? b : a; }
  };
  using Scan = cub::BlockScan<std::uint32_t, kGroupThreads>;

  struct Shared {
    typename Scan::TempStorage scan;
    std::uint32_t covered_end;
  };

  __device__ SymbolReader(const PngJob& job, const png::PartPlace& part, Shared& shared)
      : base_(job.strip(part.strip)), slots_(job.strip_slots(part.strip)), part_(part), shared_(shared) {}

  template <class Each>
  __device__ void read(Each&& each) {
    std::uint32_t covered_end = covered_before();
    for (std::uint32_t turn = part_.begin; turn < part_.end; turn += kGroupThreads * png::kGroupBytes) {
      const png::SymbolGroup group = load(turn + threadIdx.x * png::kGroupBytes);
      std::uint32_t before = 0;
      std::uint32_t last = 0;
      Scan(shared_.scan).ExclusiveScan(group.last_match_end(), before, 0U, Larger(), last);
      each(group, group.literals(max(before, covered_end)));
      covered_end = max(covered_end, last);
      __syncthreads();
    }
  }

 private:
  /// How far the matches before the part reach. Thread → slot of those that may reach into it.
  __device__ std::uint32_t covered_before() {
    constexpr std::uint32_t kSlots = (png::kMaxMatchLength + png::kSlotBytes - 1) / png::kSlotBytes;
    if (threadIdx.x == 0) {
      shared_.covered_end = 0;
    }
    __syncthreads();
    const std::uint32_t back = (threadIdx.x + 1) * png::kSlotBytes;
    if (threadIdx.x < kSlots && part_.begin >= part_.block_begin + back) {
      const std::uint32_t begin = part_.begin - back;
      const png::Match match = slots_[begin / png::kSlotBytes];
      if (match.exists()) {
        atomicMax(&shared_.covered_end, begin + match.offset() + match.length());
      }
    }
    __syncthreads();
    return shared_.covered_end;
  }

  /// Parts begin at a multiple of eight bytes.
  [[nodiscard]] __device__ png::SymbolGroup load(std::uint32_t begin) const {
    png::SymbolGroup group;
    group.begin = begin;
    if (begin < part_.end) {
      group.count = min(part_.end - begin, png::kGroupBytes);
      const auto* const bytes = reinterpret_cast<const uint2*>(base_ + begin);
      const uint2 low = bytes[0];
      const uint2 high = bytes[1];
      group.bytes[0] = low.x;
      group.bytes[1] = low.y;
      group.bytes[2] = high.x;
      group.bytes[3] = high.y;
      group.matches[0] = slots_[begin / png::kSlotBytes];
      if (group.count > png::kSlotBytes) {  // the next slot may be another part's
        group.matches[1] = slots_[begin / png::kSlotBytes + 1];
      }
    }
    return group;
  }

  const std::uint8_t* base_;
  const png::Match* slots_;
  png::PartPlace part_;
  Shared& shared_;
};

}  // namespace gpuimg::cuda
