// Undoes the filters of a PNG's rows. Each pixel depends on its left neighbor and on the row above, so a warp works on
// 32 rows at once, each row one chunk of pixels behind the row above it. Then converts the rows to the picture.
#include "codecs/png/decoder_job.cuh"
#include "device/cuda_check.hpp"
#include "device/launch.cuh"
#include "png/row_filter.hpp"

namespace gpuimg::cuda {
namespace {

constexpr std::uint32_t kWholeWarp = ~0U;
constexpr std::uint32_t kRowThreads = 64;
constexpr std::uint32_t kGroupChunks = 4;  ///< chunks whose words are loaded together, one group ahead
constexpr std::uint32_t kLastLane = kBandRows - 1;
constexpr std::uint64_t kMark = std::uint64_t{1} << 32;
static_assert(kBandRows == 32);

/// A row of a band, as its lane sees it.
struct RowPlace {
  const std::uint32_t* words;  ///< aligned words; the first one contains the row's first filtered byte
  std::uint32_t shift;         ///< bits before that byte in the first word
  std::uint32_t* pixels;       ///< words of the unfiltered row
  bool exists;
};

__device__ RowPlace row_place(const PngDecoderJob& job, std::uint32_t row) {
  const bool exists = row < job.height;
  const std::uint64_t begin = exists ? std::uint64_t{row} * (job.sizes.row_bytes + 1) + 1 : 1;
  return {reinterpret_cast<const std::uint32_t*>(job.raw) + begin / 4, 8 * static_cast<std::uint32_t>(begin % 4),
          reinterpret_cast<std::uint32_t*>(job.rows + std::uint64_t{row} * job.sizes.pitch), exists};
}

/// Reads the last row of the band above, which another warp stores. Each word carries a mark, so a reader sees word and
/// mark together. Lane → word of a group.
class EdgeReader {
 public:
  /// `needs` is true if the row exists and the filter of this band's first row uses it.
  __device__ EdgeReader(const unsigned long long* words, std::uint32_t count, bool needs)
      : words_(words), count_(count), needs_(needs) {}

  /// Begins to load a group of `size` words, starting with word `first`.
  __device__ void begin(std::uint32_t first, std::uint32_t size) {
    at_ = first + threadIdx.x % kBandRows;
    waits_ = needs_ && threadIdx.x % kBandRows < size && at_ < count_;
    word_ = waits_ ? words_[at_] : 0;
  }
  /// Waits for the lane's word of the group that begin() started to load. Cannot deadlock: a warp took the band above
  /// before this warp took its own band, so that warp is running.
  __device__ std::uint32_t finish() {
    while (__any_sync(kWholeWarp, waits_ && word_ < kMark)) {
      if (waits_) {
        word_ = words_[at_];
      }
    }
    return static_cast<std::uint32_t>(word_);
  }

 private:
  const volatile unsigned long long* words_;
  std::uint32_t count_;
  bool needs_;
  bool waits_ = false;
  std::uint32_t at_ = 0;
  unsigned long long word_ = 0;
};

template <std::uint32_t kWords>
__device__ void store_chunk(std::uint32_t* to, const std::uint32_t (&words)[kWords]) {
  if constexpr (kWords == 4) {
    *reinterpret_cast<uint4*>(to) = make_uint4(words[0], words[1], words[2], words[3]);
  } else if constexpr (kWords == 2) {
    *reinterpret_cast<uint2*>(to) = make_uint2(words[0], words[1]);
  } else {
#pragma unroll
    for (std::uint32_t i = 0; i < kWords; ++i) {
      to[i] = words[i];
    }
  }
}

/// A warp's band. Lane → row. At step s, lane r unfilters chunk s − r. It gets chunk s − r of the row above from the
/// lane before it, which unfiltered that chunk one step ago.
template <std::uint32_t kPixelBytes>
class Band {
 public:
  static constexpr std::uint32_t kWords = png::kChunkWords<kPixelBytes>;
  static constexpr std::uint32_t kGroupWords = kGroupChunks * kWords;

  __device__ Band(const PngDecoderJob& job, std::uint32_t number)
      : lane_(threadIdx.x % kBandRows),
        chunks_((job.sizes.row_bytes + 4 * kWords - 1) / (4 * kWords)),
        place_(row_place(job, number * kBandRows + lane_)),
        filter_(place_.exists ? job.raw[std::uint64_t{number * kBandRows + lane_} * (job.sizes.row_bytes + 1)] : 0),
        predictor_(filter_),
        above_(job.edges + std::uint64_t{number == 0 ? 0 : number - 1} * chunks_ * kWords, chunks_ * kWords,
               __shfl_sync(kWholeWarp, filter_ >= 2 ? 1 : 0, 0) != 0 && number > 0),
        below_(lane_ == kLastLane && number + 1 < band_count(job.height)
                   ? job.edges + std::uint64_t{number} * chunks_ * kWords
                   : nullptr) {
    if (filter_ >= png::kFilterCount) {
      atomicOr(&job.findings->defects, png::Defect::bad_filter);
    }
  }

  __device__ void run() {
    std::uint32_t words[kGroupWords + 1];
    load(0, words);
    above_.begin(0, kGroupWords);
    for (std::uint32_t step = 0; step < chunks_ + kLastLane; step += kGroupChunks) {
      std::uint32_t next[kGroupWords + 1];
      load(step + kGroupChunks, next);
      const std::uint32_t edge = above_.finish();
      above_.begin((step + kGroupChunks) * kWords, kGroupWords);
#pragma unroll
      for (std::uint32_t i = 0; i < kGroupChunks; ++i) {
        undo(step + i, &words[i * kWords], edge, i * kWords);
      }
#pragma unroll
      for (std::uint32_t i = 0; i <= kGroupWords; ++i) {
        words[i] = next[i];
      }
    }
  }

 private:
  /// Loads the aligned words of the lane's chunks of a group; zeros outside the row.
  __device__ void load(std::uint32_t step, std::uint32_t (&words)[kGroupWords + 1]) const {
    const std::int64_t first = (static_cast<std::int64_t>(step) - lane_) * kWords;
#pragma unroll
    for (std::uint32_t i = 0; i <= kGroupWords; ++i) {
      const std::int64_t at = first + i;
      words[i] = place_.exists && at >= 0 && at <= std::int64_t{chunks_} * kWords ? place_.words[at] : 0;
    }
  }

  __device__ __forceinline__ void undo(std::uint32_t step, const std::uint32_t* words, std::uint32_t edge,
                                       std::uint32_t edge_word) {
    std::uint32_t up[kWords];
    std::uint32_t filtered[kWords];
#pragma unroll
    for (std::uint32_t i = 0; i < kWords; ++i) {
      const std::uint32_t from_lane = __shfl_up_sync(kWholeWarp, made_[i], 1);
      const std::uint32_t from_edge = __shfl_sync(kWholeWarp, edge, edge_word + i);
      up[i] = lane_ == 0 ? from_edge : from_lane;
      filtered[i] = __funnelshift_r(words[i], words[i + 1], place_.shift);
    }
    const std::uint32_t chunk = step - lane_;  // wraps before the row begins
    if (chunk >= chunks_) {
      return;
    }
    png::undo_chunk<kPixelBytes>(predictor_, filtered, up, state_, made_);
    if (place_.exists) {
      store_chunk(place_.pixels + chunk * kWords, made_);
    }
    if (below_ != nullptr) {
#pragma unroll
      for (std::uint32_t i = 0; i < kWords; ++i) {
        static_cast<volatile unsigned long long*>(below_)[chunk * kWords + i] = kMark | made_[i];
      }
    }
  }

  std::uint32_t lane_;
  std::uint32_t chunks_;
  RowPlace place_;
  std::uint32_t filter_;
  png::Predictor predictor_;
  EdgeReader above_;
  unsigned long long* below_;
  png::RowState state_;
  std::uint32_t made_[kWords] = {};
};

/// Warp → bands, taken in order, so that a warp only waits for a band that another warp has already taken.
template <std::uint32_t kPixelBytes>
__global__ void __launch_bounds__(kRowThreads) unfilter_bands(const __grid_constant__ PngDecoderJob job) {
  // The vote makes all threads of a warp agree: another warp may report a defect while they read.
  if (__any_sync(kWholeWarp, !job.is_proved())) {
    return;
  }
  for (;;) {
    std::uint32_t number = 0;
    if (threadIdx.x % kBandRows == 0) {
      number = atomicAdd(&job.findings->bands, 1U);
    }
    number = __shfl_sync(kWholeWarp, number, 0);
    if (number >= band_count(job.height)) {
      return;
    }
    Band<kPixelBytes>(job, number).run();
  }
}

constexpr std::uint32_t kPictureThreads = 256;

/// Thread → words of the picture, one grid stride apart.
__global__ void __launch_bounds__(kPictureThreads) make_picture(const __grid_constant__ PngDecoderJob job) {
  if (!job.is_proved()) {
    return;
  }
  const png::UnfilteredRows rows{reinterpret_cast<const std::uint32_t*>(job.rows), job.sizes.pitch, job.sizes.row_bytes,
                                 job.is_16_bit};
  const std::uint32_t end = job.sizes.row_bytes * job.height;
  const std::uint32_t stride = 4 * gridDim.x * kPictureThreads;
  for (std::uint32_t at = 4 * (blockIdx.x * kPictureThreads + threadIdx.x); at < end; at += stride) {
    *reinterpret_cast<std::uint32_t*>(job.pixels + at) = rows.picture_bytes(at, end);
  }
}

template <std::uint32_t kPixelBytes>
void launch_unfilter(const Workspace& workspace, const PngDecoderJob& job) {
  constexpr int kBlocksPerSm = 16;
  constexpr std::uint32_t kBands = kRowThreads / kBandRows;
  unfilter_bands<kPixelBytes>
      <<<block_count(workspace, band_count(job.height), kBands, kBlocksPerSm), kRowThreads, 0, workspace.stream()>>>(
          job);
  check_launch("unfiltering a PNG's rows");
}

}  // namespace

void unfilter_rows(const Workspace& workspace, const PngDecoderJob& job) {
  constexpr int kBlocksPerSm = 8;
  switch (job.pixel_bytes) {
    case 1: launch_unfilter<1>(workspace, job); break;
    case 2: launch_unfilter<2>(workspace, job); break;
    case 3: launch_unfilter<3>(workspace, job); break;
    case 4: launch_unfilter<4>(workspace, job); break;
    case 6: launch_unfilter<6>(workspace, job); break;
    default: launch_unfilter<8>(workspace, job); break;
  }
  const std::uint32_t bytes = job.sizes.row_bytes * job.height;
  make_picture<<<block_count(workspace, bytes, 4 * kPictureThreads, kBlocksPerSm), kPictureThreads, 0,
                 workspace.stream()>>>(job);
  check_launch("making a picture of a PNG");
}

}  // namespace gpuimg::cuda
