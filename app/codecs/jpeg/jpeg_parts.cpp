// Decodes the parts of a JPEG. Each decoder skips the rows above its part, which costs only their Huffman decoding.
#include "codecs/jpeg/jpeg_parts.hpp"

#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdint>

#include "arena_memory.hpp"
#include "gpuimg/error.hpp"

namespace gpuimg::codecs {

namespace {

constexpr int kMaxParts = 3;
constexpr std::int64_t kMinPixels = std::int64_t{1} << 19;

struct Part {
  int first = 0;
  int end = 0;
};

/// Whole rows of MCUs: libjpeg-turbo skips these without computing pixels, and keeps enough of the
/// rows above for what follows.
std::vector<Part> parts_between(std::span<const int> cuts, int height, int rows_of_blocks) {
  std::vector<Part> parts = {{0, height}};
  for (const int cut : cuts) {
    const int row = cut - cut % rows_of_blocks;
    if (row > parts.back().first && row < height) {
      parts.back().end = row;
      parts.push_back({row, height});
    }
  }
  return parts;
}

/// Reads in strips, so that it stops soon after another part has found a defect.
/// Returns false if there is one, or any warning beyond those of the header.
bool read_part(const JpegFile& file, const Part& part, std::size_t header_warnings, const JpegPartReading& reading,
               const std::atomic<bool>& is_sound) {
  try {
    JpegRows rows(file, false);
    if (part.first > 0) {
      rows.skip_to(part.first);
    }
    for (int row = part.first; row < part.end; row += std::min(reading.rows_at_once, part.end - row)) {
      if (!is_sound) {
        return false;
      }
      reading.read(rows, row, row + std::min(reading.rows_at_once, part.end - row));
    }
    if (part.end == file.height()) {
      rows.finish();
    }
    return rows.warning_count() == header_warnings;
  } catch (const Error&) {
    return false;
  }
}

}  // namespace

int jpeg_part_count(int width, int height, int threads) {
  return std::int64_t{width} * height < kMinPixels ? 1 : std::min(threads, kMaxParts);
}

double jpeg_skip_cost(const JpegFile& file) {
  const double bits = 8.0 * static_cast<double>(file.size());
  const double bits_a_pixel = bits / (static_cast<double>(file.header.width) * file.header.height);
  return (0.25 + 0.48 * bits_a_pixel) / (1 + 0.6 * bits_a_pixel);
}

std::vector<int> jpeg_cuts(int height, int parts, double skip_cost) {
  // With s the cost of skipping and t the time of each part, one that begins at a ends at a + t - s a, the last at 1.
  const double time = skip_cost / (1 - std::pow(1 - skip_cost, parts));
  std::vector<int> cuts;
  double cut = 0;
  for (int i = 1; i < parts; ++i) {
    cut += time - skip_cost * cut;
    cuts.push_back(static_cast<int>(cut * height));
  }
  return cuts;
}

bool read_jpeg_parts(const JpegFile& file, JpegRows& whole, std::span<const int> cuts, int threads,
                     const View& pixels) {
  constexpr int kRowsAtOnce = 64;
  const auto read = [&](JpegRows& rows, int /*first*/, int end) { rows.read_to(end, pixels); };
  return read_jpeg_parts(file, whole, cuts, {threads, kRowsAtOnce, read});
}

bool read_jpeg_parts(const JpegFile& file, JpegRows& whole, std::span<const int> cuts, const JpegPartReading& reading) {
  if (cuts.empty() || !whole.is_sequential()) {
    return false;
  }
  const std::vector<Part> parts = parts_between(cuts, file.height(), whole.rows_of_blocks());
  if (parts.size() == 1) {
    return false;
  }
  std::atomic<bool> is_sound = true;
  const std::size_t header_warnings = whole.warning_count();
  require_arena_memory();
  tbb::task_arena arena(std::min(reading.threads, static_cast<int>(parts.size())));
  arena.execute([&] {
    tbb::parallel_for(std::size_t{0}, parts.size(), [&](std::size_t i) {
      if (!read_part(file, parts[i], header_warnings, reading, is_sound)) {
        is_sound = false;
      }
    });
  });
  return is_sound;
}

}  // namespace gpuimg::codecs
