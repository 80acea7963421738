// A textbook summed-area table in six float32 kernels: three along the rows, then the same three along the columns. The
// first kernel scans groups of 4 values. In the second kernel, one thread per line scans the last values of the groups.
// The third kernel adds these sums to the following groups.
#include "bench/textbook/textbook.hpp"
#include "device/cuda_check.hpp"

namespace gpuimg::bench::textbook {
namespace {

constexpr int kGroup = 4;
constexpr int kThreads = 256;

/// One direction of the table: lines of `length` values that are `step` apart. Lines begin `line_step` apart.
struct Lines {
  std::size_t count;
  std::size_t length;
  std::size_t line_step;
  std::size_t step;
};

/// Scans within groups. Thread t → group t of all lines. Adjacent threads process adjacent columns.
__global__ void scan_groups(Lines lines, bool along_rows, const float* in, float* out) {
  const std::size_t groups = lines.length / kGroup;
  const std::size_t t = static_cast<std::size_t>(blockIdx.x) * kThreads + threadIdx.x;
  if (t >= groups * lines.count) {
    return;
  }
  const std::size_t line = along_rows ? t / groups : t % lines.count;
  const std::size_t group = along_rows ? t % groups : t / lines.count;
  const std::size_t first = line * lines.line_step + group * kGroup * lines.step;
  float sum = 0.0F;
  for (int i = 0; i < kGroup; ++i) {
    sum += in[first + static_cast<std::size_t>(i) * lines.step];
    out[first + static_cast<std::size_t>(i) * lines.step] = sum;
  }
}

/// Replaces the last value of each group by the sum of the line so far. Thread t → line t.
__global__ void scan_lasts(Lines lines, float* out) {
  const std::size_t line = static_cast<std::size_t>(blockIdx.x) * kThreads + threadIdx.x;
  if (line >= lines.count) {
    return;
  }
  float sum = 0.0F;
  for (std::size_t i = kGroup - 1; i < lines.length; i += kGroup) {
    float& last = out[line * lines.line_step + i * lines.step];
    sum += last;
    last = sum;
  }
}

/// Adds the sum of the preceding groups to all values of a group except the last. Thread t → group t of all lines.
__global__ void carry(Lines lines, bool along_rows, float* out) {
  const std::size_t groups = lines.length / kGroup;
  const std::size_t t = static_cast<std::size_t>(blockIdx.x) * kThreads + threadIdx.x;
  if (t >= groups * lines.count) {
    return;
  }
  const std::size_t line = along_rows ? t / groups : t % lines.count;
  const std::size_t group = along_rows ? t % groups : t / lines.count;
  if (group == 0) {
    return;
  }
  const std::size_t first = line * lines.line_step + group * kGroup * lines.step;
  const float before = out[first - lines.step];
  for (int i = 0; i < kGroup - 1; ++i) {
    out[first + static_cast<std::size_t>(i) * lines.step] += before;
  }
}

unsigned blocks_for(std::size_t threads) { return static_cast<unsigned>((threads + kThreads - 1) / kThreads); }

void scan_lines(const Lines& lines, bool along_rows, const float* in, float* out, cudaStream_t stream) {
  const std::size_t groups = lines.count * (lines.length / kGroup);
  scan_groups<<<blocks_for(groups), kThreads, 0, stream>>>(lines, along_rows, in, out);
  scan_lasts<<<blocks_for(lines.count), kThreads, 0, stream>>>(lines, out);
  carry<<<blocks_for(groups), kThreads, 0, stream>>>(lines, along_rows, out);
  cuda::check_launch("the textbook summed-area table");
}

}  // namespace

void integral(const float* in, float* out, int width, int height, cudaStream_t stream) {
  const auto w = static_cast<std::size_t>(width);
  const auto h = static_cast<std::size_t>(height);
  scan_lines({h, w, w, 1}, true, in, out, stream);
  scan_lines({w, h, 1, w}, false, out, out, stream);
}

}  // namespace gpuimg::bench::textbook
