// A kernel that sums small windows over 8-bit levels by products with band matrices on tensor cores, without a
// summed-area table. Used by window.cu and threshold.cu for images of one channel. Layout and arithmetic:
// core/window/bands.hpp.
#pragma once

#include <cuda_pipeline_primitives.h>

#include <algorithm>
#include <cstdint>

#include "device/cuda_picture.hpp"
#include "device/launch.cuh"
#include "device/levels.cuh"
#include "ops/window.hpp"
#include "window/band_products.cuh"

namespace gpuimg::cuda {

// --- Rows in shared memory, copied there ahead of the steps that read them -------------------------------------------

/// The rows of a block. A step has kBandStepRows rows. The first steps only sum the windows of the row above the
/// results. From compute capability 9.0 on, a step's rows are one box of a tensor, and warps do not wait for each
/// other. One barrier in shared memory counts the copied bytes, and a second barrier counts the warps that have read
/// the bytes; the last of these warps starts the copy of a later step. On older devices, each thread copies 16 bytes at
/// a time, and all threads synchronize at every step.
class TileRows {
  static constexpr int kSlots = BandTile::kSlots;

 public:
  int starts;  ///< number of steps without results
  int steps;   ///< number of all steps
  int base;    ///< the row that the first step's first result would have

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

  /// The row of the image that is used for row `logical`, or -1 if that row does not count.
  [[nodiscard]] __device__ int row_of(int logical) const {
    return logical < first_counted_ ? -1 : source_position(logical, job_.height, job_.border);
  }

  /// Computes the remainder of an unsigned number: steps are not negative, and a signed remainder takes seven more
  /// instructions.
  static __device__ int slot_of(int step) { return static_cast<int>(static_cast<unsigned>(step) % kSlots); }

  /// Offset in shared memory of row `row` among the rows that enter with a step.
  [[nodiscard]] __device__ std::uint32_t place(int step, int row) const {
    return static_cast<std::uint32_t>(slot_of(step) * BandTile::kBoxBytes + row * BandTile::kPitch);
  }

#if __CUDA_ARCH__ >= 900
  /// Starts to copy the first steps. Call from all threads.
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

  /// Clears the rows of the first step that lie above the windows. A box always has all rows of a step, so the copy
  /// includes them. Call from all threads, after begin().
  __device__ void clear_rows_above() const {
    wait_for(copied(0), 0);
    const int skipped = (starts * kBandStepRows - job_.layout.size()) * BandTile::kPitch;
    for (int at = static_cast<int>(threadIdx.x) * 16; at < skipped; at += kBandThreads * 16) {
      asm volatile("st.shared.v4.b32 [%0], {%1, %1, %1, %1};" ::"r"(tile_address_ + at), "r"(0) : "memory");
    }
    __syncthreads();
  }

  /// Waits until the rows of a step are copied. Call from whole warps, for all steps in order.
  __device__ __forceinline__ void wait(int step) {
    wait_for(copied(slot_of(step)), turn_of(step));
    // Reads the result of the last release() only here, because it takes a while to arrive.
    std::uint32_t unread = 0;
    asm volatile("mbarrier.pending_count.b64 %0, %1;" : "=r"(unread) : "l"(released_));
    if (__any_sync(0xFFFFFFFFU, unread == 1)) {
      wait_for(read(slot_of(step - 1)), turn_of(step - 1));  // returns immediately; orders the other warps' reads
      copy(step - 1 + kAhead);
    }
  }

  /// Call when the warp has read the rows of a step. Uses a predicate, because a branch would take longer.
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
  /// One slot less than kSlots: a step also reads the levels of its own rows, which entered with the previous step.
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

  /// Starts to copy the rows of a step. Call from one whole warp.
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

  __device__ void clear_rows_above() const {}  // copy() writes zeros for these rows

  /// Waits until the rows of a step are copied. Call from all threads, for all steps in order.
  __device__ __forceinline__ void wait(int step) {
    __pipeline_wait_prior(kAhead - 1);
    __syncthreads();
    copy(step + kAhead);
  }

  __device__ void release(int) {}

 private:
  /// One step fewer than with tensors, because warps may still read the rows of the previous step.
  static constexpr int kAhead = kSlots - 2;
  static constexpr int kThreadsPerRow = kBandThreads / kBandStepRows;

  __device__ __forceinline__ void copy(int step) const {
    if (step < steps) {
      const int row = static_cast<int>(threadIdx.x) / kThreadsPerRow;
      copy_row(tile_address_ + place(step, row), row_of(first_row(step) + row));
    }
    __pipeline_commit();
  }

  /// Copies a row from the image or from a border copy; writes zeros if `row` is negative. Each of the row's
  /// kThreadsPerRow threads copies 16 columns at a time.
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

  /// The logical number of the first row that enters with a step.
  [[nodiscard]] __device__ int first_row(int step) const { return base + step * kBandStepRows + job_.layout.radius; }

  const BandJob& job_;
  std::uint32_t tile_address_;
  int first_counted_;  ///< the first row that counts
  int column_;         ///< the first column to read from the source rows
  int width_;          ///< width of the source rows, which belong to the image or to a copy
  const std::uint8_t* levels_;
  const CUtensorMap* map_;
  int layer_;
  std::uint64_t released_ = 0;  ///< in a warp's first thread: the barrier's state at the last release()
};

// --- The kernel ------------------------------------------------------------------------------------------------------

/// Computes eight pixels at a time from their window sums: with operation.whole(sums, levels) if all windows have size²
/// pixels, else with operation.cut(sums, counts, levels). The sums include job.sum_base. Block → job.rows rows of
/// kBandBlockColumns columns; warp → 32 columns; thread → 8 adjacent pixels in rows g and g + 8 of 16, g = lane / 4.
/// The first steps sum the windows of the first row: they write no results, and no rows leave.
template <class Operation>
__global__ void __launch_bounds__(kBandThreads, resident_blocks(kBandThreads, 2))
    sum_bands(const __grid_constant__ BandJob job, const __grid_constant__ BandMaps maps,
              const __grid_constant__ Operation operation) {
  constexpr unsigned kAll = 0xFFFFFFFFU;
  extern __shared__ __align__(128) std::uint8_t tiles[];
  const int thread = static_cast<int>(threadIdx.x);
  const int lane = thread % 32;
  const int warp = thread / 32;
  const int group = lane / 4;
  const int quarter = lane % 4;
  const int radius = job.layout.radius;
  const BandBlock own = job.block(static_cast<int>(blockIdx.x));
  const int block_column = own.strip * kBandBlockColumns;
  const int top = own.top;
  const int end = min(job.height, top + own.rows);
  const auto tile_address = static_cast<std::uint32_t>(__cvta_generic_to_shared(tiles));
  TileRows rows(job, maps, own, tile_address);
  const int starts = rows.starts;
  const int base = rows.base;
  const int steps = rows.steps;
  rows.begin();

  Quad bands[2][kBandSteps];
#pragma unroll
  for (int pair = 0; pair < 2; ++pair) {
#pragma unroll
    for (int step = 0; step < kBandSteps; ++step) {
#pragma unroll
      for (int i = 0; i < 4; ++i) {
        const int column = column_of_entry(2 * pair + i % 2, group);
        std::uint32_t bits = 0;
#pragma unroll
        for (int k = 0; k < 4; ++k) {
          const int offset = kBandDepth * step + i / 2 * 16 + 4 * quarter + k;
          bits |= is_in_band(job.layout, column, offset) ? kBandWeight << (8 * k) : 0U;
        }
        bands[pair][step][i] = bits;
      }
    }
  }
  Quad triangles;
  make_triangles(triangles, lane);
  rows.clear_rows_above();  // the first copy takes a while
  const int warp_column = block_column + warp * kBandColumns;
  const Quad ones = {0x01010101U, 0x01010101U, 0x01010101U * kBandDigit, 0x01010101U * kBandDigit};
  Quad before[kBandTiles];  // the sums of the row before, repeated in all rows
#pragma unroll
  for (auto& sums : before) {
    sums[0] = sums[1] = sums[2] = sums[3] = job.sum_base;
  }
  const int level_row = lane / 16 * 8 + lane % 8;  // the row whose address this lane passes to load_levels
  const std::uint32_t levels_at = tile_address + static_cast<std::uint32_t>(lane / 8 % 2 * 16 + warp * kBandColumns);
  const int out_column = warp_column + quarter * 8;
  // The steps and the warps whose results are all inside the image and have windows of size² pixels.
  const int cut = job.border == Border::cut ? radius : 0;
  const int whole_begin = max(starts, (cut - base + kBandStepRows - 1) / kBandStepRows);
  const int whole_end = (min(end, job.height - cut) - base) / kBandStepRows;
  const bool is_whole = __all_sync(  // so that no warp diverges
      kAll, job.has_whole && job.width % 8 == 0 && out_column >= cut && out_column + 8 <= job.width - cut);
  std::uint8_t* out = job.out + job.place(out_column, top + group);
  const std::uint32_t own_levels = tile_address + job.layout.margin + warp * kBandColumns + quarter * 8;

  RowSums row_sums(tile_address + BandTile::kRowSums + warp * RowSums::kBytes, lane);
  const auto sum_rows = [&]<bool kStarts>(int step, int part, RowPairs& entered) {
    const std::uint32_t enter = levels_at + rows.place(step, part * kBandRows + level_row);
    AcrossRows across = {};
#pragma unroll
    for (int s = 0; s < kBandSteps; ++s) {
      Quad levels;
      load_levels(levels, enter + kBandDepth * s);
#pragma unroll
      for (int pair = 0; pair < 2; ++pair) {
#pragma unroll
        for (int half = 0; half < 2; ++half) {
          multiply<false>(across[pair][half], bands[pair][s], levels[2 * half], levels[2 * half + 1],
                          across[pair][half]);
        }
      }
    }
    pack_rows(entered, across);
    row_sums.keep(entered);
    if constexpr (!kStarts) {
      row_sums.subtract_leaving(entered, job.layout.size());
    }
    row_sums.advance();
  };
  const auto add_rows = [&](const RowPairs& entered, Quad(&sums)[kBandTiles]) {
    Digits digits[kBandTiles];
    split_digits(digits, entered);
#pragma unroll
    for (int t = 0; t < kBandTiles; ++t) {
      add_up(sums[t], triangles, digits[t], before[t]);
      add_up(before[t], ones, digits[t], before[t]);
    }
  };

  if (warp_column >= job.width) {
    for (int step = 0; step < steps; ++step) {
      rows.wait(step);
      rows.release(step);
    }
    return;
  }
  for (int step = 0; step < starts; ++step) {
    rows.wait(step);
#pragma unroll 1
    for (int part = 0; part < 2; ++part) {
      RowPairs entered;
      Quad sums[kBandTiles];
      sum_rows.template operator()<true>(step, part, entered);
      add_rows(entered, sums);
    }
    rows.release(step);
  }
  const auto make_step = [&]<bool kPlain>(int step) {
    rows.wait(step);
    [[maybe_unused]] const uint2 columns = kPlain ? uint2{} : counted_columns(job, out_column);
    RowPairs entered[2];  // both parts are summed before the first is finished
    sum_rows.template operator()<false>(step, 0, entered[0]);
    sum_rows.template operator()<false>(step, 1, entered[1]);
#pragma unroll
    for (int part = 0; part < 2; ++part) {
      const int row = base + step * kBandStepRows + part * kBandRows + group;
      uint2 levels[2] = {};
      Quad sums[kBandTiles];
      add_rows(entered[part], sums);
      if constexpr (Operation::kReadsLevels) {
#pragma unroll
        for (int half = 0; half < 2; ++half) {
          const int entry = (row - base - radius + 8 * half) & (BandTile::kRows - 1);
          levels[half] = load_eight_levels(own_levels + entry * BandTile::kPitch);
        }
      }
#pragma unroll
      for (int half = 0; half < 2; ++half) {
        std::uint32_t eight[8];
#pragma unroll
        for (int i = 0; i < 8; ++i) {
          eight[i] = sums[i / 2][2 * half + i % 2];
        }
        if constexpr (kPlain) {
          __stcs(reinterpret_cast<uint2*>(out + half * job.half_bytes), operation.whole(eight, levels[half]));
        } else if (out_column < job.width && row + 8 * half < end) {
          write_border_pixels(job, operation, out_column, row + 8 * half, columns, eight, levels[half]);
        }
      }
      out += 2 * job.half_bytes;
    }
    rows.release(step);
  };
  for (int step = starts; step < steps;) {
    // The inner loop handles most steps and keeps no registers for borders.
    if (is_whole && step >= whole_begin && step < whole_end) {
      for (; step < whole_end; ++step) {
        make_step.template operator()<true>(step);
      }
    } else {
      make_step.template operator()<false>(step++);
    }
  }
}

// --- Copies of the levels that blocks read at the border of the image ------------------------------------------------

/// Sixteen levels of a row, starting at `column`. Columns may lie outside the image.
inline __device__ __noinline__ uint4 border_levels(const std::uint8_t* line, int width, Border border, int column) {
  constexpr std::uint32_t kReversed = 0x0123;
  if (column >= 0 && column + 16 <= width) {
    return load_unaligned(line + column);
  }
  const int mirrored = (column < 0 ? -column : 2 * (width - 1) - column) - 15;
  if (border == Border::reflect101 && (column <= -16 || column >= width) && mirrored >= 0 && mirrored + 16 <= width) {
    const uint4 levels = load_unaligned(line + mirrored);
    return make_uint4(__byte_perm(levels.w, 0, kReversed), __byte_perm(levels.z, 0, kReversed),
                      __byte_perm(levels.y, 0, kReversed), __byte_perm(levels.x, 0, kReversed));
  }
  std::uint32_t word[4] = {};
#pragma unroll
  for (int w = 0; w < 4; ++w) {
#pragma unroll 1
    for (int i = 0; i < 4; ++i) {
      const int source = source_position(column + 4 * w + i, width, border);
      word[w] |= (source < 0 ? 0U : std::uint32_t{__ldg(line + source)}) << (8 * i);
    }
  }
  return make_uint4(word[0], word[1], word[2], word[3]);
}

/// Copies the columns of strips that are not completely inside the image, or not aligned. blockIdx.y → copy; warp →
/// rows; lane → 16 levels.
static __global__ void __launch_bounds__(kBandThreads) copy_borders(const __grid_constant__ BandJob job) {
  static_assert(BandTile::kColumns <= 32 * 16, "a warp copies a row at once");
  const int copy = static_cast<int>(blockIdx.y);
  const int strip = copy < job.left_copies ? copy : copy - job.left_copies + job.first_right_copy;
  const int at = static_cast<int>(threadIdx.x % 32) * 16;
  const int column = strip * kBandBlockColumns - job.layout.margin + at;
  if (at >= BandTile::kColumns) {
    return;
  }
  for (int row = static_cast<int>(blockIdx.x * kBandWarps + threadIdx.x / 32); row < job.height;
       row += static_cast<int>(gridDim.x) * kBandWarps) {
    const std::uint8_t* line = job.levels + static_cast<std::size_t>(row) * job.width;
    std::uint8_t* to = job.copies + (static_cast<std::size_t>(copy) * job.height + row) * BandTile::kColumns;
    *reinterpret_cast<uint4*>(to + at) =
        column < job.width + job.layout.radius ? border_levels(line, job.width, job.border, column) : uint4{};
  }
}

// --- The launch ------------------------------------------------------------------------------------------------------

/// Computes `result` from the sums of `picture`'s windows, whose side is at most kMaxBandWindow; both pictures have one
/// 8-bit channel. Does nothing and returns false for other formats, if the image is too wide, or if the device does not
/// have these matrix products.
template <class Operation>
bool try_bands(Workspace& workspace, const Picture& picture, const Picture& result, int radius, Border border,
               const Operation& operation, const char* doing) {
  constexpr int kResidentBlocks = 2;
  constexpr int kMinSteps = 2;  // per block
  constexpr int kMaxGridRows = 65535;
  constexpr int kProductsVersion = 80;
  constexpr int kBoxesVersion = 90;
  if (picture.format() != PixelFormat{Sample::u8, 1}) {
    return false;
  }
  BandJob job;
  job.levels = reinterpret_cast<const std::uint8_t*>(pixels_of(picture));
  job.out = reinterpret_cast<std::uint8_t*>(pixels_of(result));
  job.width = picture.width();
  job.height = picture.height();
  job.border = border;
  job.layout = band_layout(radius);
  job.strips = (job.width - 1) / kBandBlockColumns + 1;
  const auto kernel = sum_bands<Operation>;
  const int version = code_version(kernel);
  if (job.strips > kMaxGridRows || version < kProductsVersion ||
      !fits_shared_memory(workspace, kernel, BandTile::kBytes)) {
    return false;
  }
  allow_shared_bytes(workspace, kernel, BandTile::kBytes);
  job.sum_base = operation.sum_base();
  job.has_whole = operation.has_whole();
  job.half_bytes = std::int64_t{kBandRows / 2} * job.width;
  const int resident = kResidentBlocks * workspace.device()->multiprocessors();
  const int all_steps = (job.height - 1) / kBandStepRows + 1;
  const auto steps_of = [&](int blocks) { return std::max((all_steps - 1) / blocks + 1, kMinSteps); };
  const int blocks_per_strip = std::max(1, resident / job.strips);
  job.rows = steps_of(blocks_per_strip) * kBandStepRows;
  if (border == Border::cut) {
    // Steps at a cut border take longer. So edge strips get twice as many blocks, if this does not reduce the number of
    // blocks of the other strips.
    const int edge_strips = (radius + kBandBlockColumns - 1) / kBandBlockColumns;
    if (2 * edge_strips < job.strips && resident / (job.strips + 2 * edge_strips) == blocks_per_strip) {
      job.edge_strips = edge_strips;
      job.edge_rows = steps_of(2 * blocks_per_strip) * kBandStepRows;
    }
  }
  const int read = BandTile::kColumns - job.layout.margin;
  job.left_copies =
      job.width % 16 != 0 ? job.strips : std::min(job.strips, (job.layout.margin - 1) / kBandBlockColumns + 1);
  const int inside = job.width < read ? 0 : (job.width - read) / kBandBlockColumns + 1;
  job.first_right_copy = std::max(job.left_copies, std::min(job.strips, inside));
  if (job.border == Border::cut && job.width % 16 == 0) {
    job.left_copies = 0;  // a row's levels outside the image are zeros without copies
    job.first_right_copy = job.strips;
  }
  const int copies = job.copied_strips();
  const auto height = static_cast<std::size_t>(job.height);
  const DeviceMemory copy_memory(workspace.device(), static_cast<std::size_t>(copies) * height * BandTile::kColumns);
  job.copies = copies > 0 ? copy_memory.as<std::uint8_t>() : nullptr;
  BandMaps maps{};
  if (version >= kBoxesVersion) {
    const auto made = band_maps(job);
    if (!made) {
      return false;
    }
    maps = *made;
  }
  if (copies > 0) {
    const auto row_blocks = static_cast<unsigned>((job.height - 1) / kBandWarps + 1);
    copy_borders<<<dim3(row_blocks, static_cast<unsigned>(copies)), kBandThreads, 0, workspace.stream()>>>(job);
    check_launch("copying the borders of an image");
  }
  const auto blocks = static_cast<unsigned>(job.all_blocks());
  if (copies > 0) {  // the kernel waits for them; see TileRows
    launch_after(workspace, kernel, blocks, kBandThreads, BandTile::kBytes, doing, job, maps, operation);
  } else {
    kernel<<<blocks, kBandThreads, BandTile::kBytes, workspace.stream()>>>(job, maps, operation);
    check_launch(doing);
  }
  return true;
}

}  // namespace gpuimg::cuda
