// The rows of window/sum_bands.cuh in shared memory, copied there ahead of the steps that read them.
#pragma once

#include <cuda_pipeline_primitives.h>

#include <algorithm>
#include <cstdint>

#include "device/launch.cuh"
#include "ops/window.hpp"
#include "window/band_job.cuh"
#include "window/band_maps.cuh"
#include "window/byte_products.cuh"

namespace gpuimg::cuda {

/// Of a block. Steps have kBandStepRows rows each; the first ones only sum the windows of the row above the results.
/// From compute capability 9.0 on, a step's rows are one box of a tensor, and no warp waits for another: a barrier in
/// shared memory counts what has been copied, a second one the warps that have read it, and the last of these starts
/// the copy of a later step. Before, all threads copy 16 bytes each, and meet at every step.
class TileRows {
  static constexpr int kSlots = BandTile::kSlots;

 public:
  int starts;  ///< number of steps without results
  int steps;   ///< number of all
  int base;    ///< the row of the first step's first result, if it had results

  __device__ TileRows(const BandJob& job, const BandMaps& maps, const BandBlock& own, std::uint32_t tile_address)
      : job_(job), tile_address_(tile_address) {
    const int end = min(job.height, own.top + own.rows);
    starts = (job.layout.size() + kBandStepRows - 1) / kBandStepRows;
    steps = starts + (end - own.top + kBandStepRows - 1) / kBandStepRows;
    base = own.top - starts * kBandStepRows;
    first_counted_ = own.top - job.layout.radius - 1;
    const bool is_copied = own.strip < job.left_copies || own.strip >= job.first_right_copy;
    const int copy = own.strip < job.left_copies ? own.strip : own.strip - job.first_right_copy + job.left_copies;
    column_ = is_copied ? 0 : own.strip * kBandBlockColumns - job.layout.margin;
    width_ = is_copied ? BandTile::kColumns : job.width;
    levels_ = is_copied ? job.copies + static_cast<std::size_t>(copy) * job.height * BandTile::kColumns : job.levels;
    map_ = is_copied ? &maps.copies : &maps.image;
    layer_ = is_copied ? copy : 0;
    if (is_copied) {
      wait_for_kernel_before();
    }
  }

  /// The row that counts in place of `logical`, or -1.
  [[nodiscard]] __device__ int row_of(int logical) const {
    return logical < first_counted_ ? -1 : source_position(logical, job_.height, job_.border);
  }

  /// Steps are not negative: a signed remainder takes seven instructions more.
  static __device__ int slot_of(int step) { return static_cast<int>(static_cast<unsigned>(step) % kSlots); }

  /// Where a row is of those that enter with a step.
  [[nodiscard]] __device__ std::uint32_t place(int step, int row) const {
    return static_cast<std::uint32_t>(slot_of(step) * BandTile::kBoxBytes + row * BandTile::kPitch);
  }

#if __CUDA_ARCH__ >= 900
  /// Starts to copy the first steps. By all threads.
  __device__ void begin() {
    if (threadIdx.x == 0) {
      for (int slot = 0; slot < kSlots; ++slot) {
        asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(copied(slot)) : "memory");
        asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(read(slot)), "n"(kBandWarps) : "memory");
      }
      asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
    }
    __syncthreads();
    if (threadIdx.x < 32) {
#pragma unroll 1
      for (int step = 0; step < kAhead; ++step) {
        copy(step);
      }
    }
  }

  /// A box has whole steps of rows: those of the first step that are above the windows become zeros. By all threads,
  /// after begin().
  __device__ void clear_rows_above() const {
    wait_for(copied(0), 0);
    const int skipped = (starts * kBandStepRows - job_.layout.size()) * BandTile::kPitch;
    for (int at = static_cast<int>(threadIdx.x) * 16; at < skipped; at += kBandThreads * 16) {
      asm volatile("st.shared.v4.b32 [%0], {%1, %1, %1, %1};" ::"r"(tile_address_ + at), "r"(0) : "memory");
    }
    __syncthreads();
  }

  /// Waits until the rows of a step are there. By whole warps, for all steps in order.
  __device__ __forceinline__ void wait(int step) {
    wait_for(copied(slot_of(step)), turn_of(step));
    // The answer to release() is read here, because it takes a while.
    std::uint32_t unread = 0;
    asm volatile("mbarrier.pending_count.b64 %0, %1;" : "=r"(unread) : "l"(released_));
    if (__any_sync(0xFFFFFFFFU, unread == 1)) {
      wait_for(read(slot_of(step - 1)), turn_of(step - 1));  // returns at once, and what others read is read
      copy(step - 1 + kAhead);
    }
  }

  /// The warp has read the rows of a step. A branch would take longer than a predicate.
  __device__ __forceinline__ void release(int step) {
    __syncwarp();
    asm volatile(
        "{\n"
        ".reg .pred first;\n"
        "setp.eq.u32 first, %2, 0;\n"
        "@first mbarrier.arrive.shared::cta.b64 %0, [%1];\n"
        "}"
        : "+l"(released_)
        : "r"(read(slot_of(step))), "r"(threadIdx.x % 32)
        : "memory");
  }

 private:
  /// A step reads the levels of its own rows, which entered with the step before.
  static constexpr int kAhead = kSlots - 1;

  static __device__ int turn_of(int step) { return static_cast<int>(static_cast<unsigned>(step) / kSlots % 2); }

  [[nodiscard]] __device__ std::uint32_t copied(int slot) const {
    return tile_address_ + static_cast<std::uint32_t>(BandTile::kBarriers + 8 * slot);
  }
  [[nodiscard]] __device__ std::uint32_t read(int slot) const { return copied(kSlots + slot); }

  static __device__ __forceinline__ void wait_for(std::uint32_t barrier, int parity) {
    asm volatile(
        "{\n"
        ".reg .pred done;\n"
        "again:\n"
        "mbarrier.try_wait.parity.shared::cta.b64 done, [%0], %1;\n"
        "@!done bra again;\n"
        "}" ::"r"(barrier),
        "r"(parity)
        : "memory");
  }

  /// Starts to copy the rows of a step. By a warp.
  __device__ __forceinline__ void copy(int step) const {
    if (step >= steps) {
      return;
    }
    const int lane = static_cast<int>(threadIdx.x % 32);
    const std::uint32_t barrier = copied(slot_of(step));
    const int first = first_row(step);
    const std::uint32_t to = tile_address_ + place(step, 0);
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    if (job_.border == Border::cut || (first >= 0 && first + kBandStepRows <= job_.height)) {
      if (lane == 0) {
        copy_box(to, first, barrier);
      }
    } else {
      copy_row(to + lane * BandTile::kPitch, max(0, row_of(first + lane)), barrier);
    }
    __syncwarp();
    if (lane == 0) {
      asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(barrier) : "memory");
    }
  }

  __device__ __forceinline__ void copy_box(std::uint32_t to, int first, std::uint32_t barrier) const {
    expect(barrier, BandTile::kBoxBytes);
    asm volatile(
        "cp.async.bulk.tensor.3d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], [%1, {%2, %3, %4}], "
        "[%5];" ::"r"(to),
        "l"(reinterpret_cast<std::uint64_t>(map_)), "r"(column_ / 4), "r"(first), "r"(layer_), "r"(barrier)
        : "memory");
  }

  __device__ __forceinline__ void copy_row(std::uint32_t to, int row, std::uint32_t barrier) const {
    const std::uint8_t* const from = levels_ + static_cast<std::int64_t>(row) * width_ + column_;
    expect(barrier, BandTile::kColumns);
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(to),
                 "l"(__cvta_generic_to_global(from)), "n"(BandTile::kColumns), "r"(barrier)
                 : "memory");
  }

  static __device__ __forceinline__ void expect(std::uint32_t barrier, int bytes) {
    asm volatile("mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [%0], %1;" ::"r"(barrier), "r"(bytes) : "memory");
  }
#else
  __device__ void begin() {
#pragma unroll 1
    for (int step = 0; step < kAhead; ++step) {
      copy(step);
    }
  }

  __device__ void clear_rows_above() const {}  // they were copied as zeros

  /// Waits until the rows of a step are there. By all threads, for all steps in order.
  __device__ __forceinline__ void wait(int step) {
    __pipeline_wait_prior(kAhead - 1);
    __syncthreads();
    copy(step + kAhead);
  }

  __device__ void release(int) {}

 private:
  /// Warps may read the step before still; see above for the one before that.
  static constexpr int kAhead = kSlots - 2;
  static constexpr int kThreadsPerRow = kBandThreads / kBandStepRows;

  __device__ __forceinline__ void copy(int step) const {
    if (step < steps) {
      const int row = static_cast<int>(threadIdx.x) / kThreadsPerRow;
      copy_row(tile_address_ + place(step, row), row_of(first_row(step) + row));
    }
    __pipeline_commit();
  }

  /// A row of the image or a copy, or the zeros it counts as: of each 16 columns by one thread of kThreadsPerRow.
  __device__ __forceinline__ void copy_row(std::uint32_t to, int row) const {
    const std::uint8_t* const from = levels_ + static_cast<std::int64_t>(max(row, 0)) * width_;
#pragma unroll
    for (int i = 16 * (threadIdx.x % kThreadsPerRow); i < BandTile::kColumns; i += 16 * kThreadsPerRow) {
      const int column = column_ + i;
      const bool is_inside = row >= 0 && column >= 0 && column < width_;
      copy_ahead(to + i, from + (is_inside ? column : 0), is_inside ? 16 : 0);
    }
  }
#endif

  /// Logical, of those that enter with a step.
  [[nodiscard]] __device__ int first_row(int step) const { return base + step * kBandStepRows + job_.layout.radius; }

  const BandJob& job_;
  std::uint32_t tile_address_;
  int first_counted_;  ///< row; those above it count nothing
  int column_;         ///< where the block's rows begin in those they are copied from
  int width_;          ///< of the rows they are copied from: the image, or a copy
  const std::uint8_t* levels_;
  const CUtensorMap* map_;
  int layer_;
  std::uint64_t released_ = 0;  ///< of a warp's first thread: the barrier, when the warp had read the last step
};

}  // namespace gpuimg::cuda
