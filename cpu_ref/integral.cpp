// Summed-area tables on the CPU: sums the columns of each band of rows, accumulates these sums from band to band, then
// fills the rows of the table. Specified in docs/operations.md, "Integral image".
#include "gpuimg/ops/integral.hpp"

#include <algorithm>
#include <cstring>
#include <functional>
#include <numeric>
#include <vector>

#include "levels.hpp"
#include "operations.hpp"
#include "parallel_loops.hpp"
#include "simd/simd_rows.hpp"
#include "window/table.hpp"

namespace gpuimg::cpu {
namespace {

/// Reads the values to be summed, row by row: levels, or their squares.
class SourceRows {
 public:
  SourceRows(ConstView pixels, const IntegralOptions& options)
      : pixels_(pixels),
        options_(options),
        bytes_(static_cast<std::size_t>(pixels.width)),
        words_(static_cast<std::size_t>(pixels.width)) {}

  /// Calls add(x, value) for every x of row y.
  template <class Add>
  void each(int y, const Add& add) {
    if (pixels_.format.sample == Sample::u8) {
      each_of(y, bytes_, add);
    } else {
      each_of(y, words_, add);
    }
  }

 private:
  ConstView pixels_;
  template <class T, class Add>
  void each_of(int y, std::vector<T>& buffer, const Add& add) const {
    const T* levels = read_levels<T>(pixels_, y, 0, pixels_.width, options_.channel, options_.luma, buffer.data());
    for (std::size_t x = 0; x < buffer.size(); ++x) {
      const std::uint64_t level = levels[x];
      add(x, options_.square ? level * level : level);
    }
  }

  const IntegralOptions& options_;
  std::vector<std::uint8_t> bytes_;
  std::vector<std::uint16_t> words_;
};

using ColumnSums = std::vector<std::uint64_t>;

/// Element b holds the sum of each column over all rows above band b.
std::vector<ColumnSums> carries_into_bands(ConstView pixels, const IntegralOptions& options, int bands,
                                           int rows_a_band) {
  const auto width = static_cast<std::size_t>(pixels.width);
  std::vector<ColumnSums> carries(static_cast<std::size_t>(bands), ColumnSums(width));
  for_each_index(1, bands, [&](int band) {
    SourceRows rows(pixels, options);
    ColumnSums& sums = carries[static_cast<std::size_t>(band)];
    for (int y = (band - 1) * rows_a_band; y < band * rows_a_band; ++y) {
      rows.each(y, [&](std::size_t x, std::uint64_t value) { sums[x] += value; });
    }
  });
  for (std::size_t band = 1; band < carries.size(); ++band) {
    std::transform(carries[band].begin(), carries[band].end(), carries[band - 1].begin(), carries[band].begin(),
                   std::plus<>());
  }
  return carries;
}

template <class Entry>
void fill_band(ConstView pixels, const IntegralOptions& options, int begin, int end, ColumnSums& above, View table) {
  const bool padded = options.layout == TableLayout::padded;
  SourceRows rows(pixels, options);
  for (int y = begin; y < end; ++y) {
    Entry* out = table.row<Entry>(padded ? y + 1 : y);
    if (padded) {
      *out++ = Entry{0};
    }
    std::uint64_t row_sum = 0;
    std::uint64_t* column = above.data();
    rows.each(y, [&](std::size_t x, std::uint64_t value) {
      column[x] += value;
      row_sum += column[x];
      out[x] = table_entry<Entry>(row_sum);
    });
  }
}

template <class Entry>
void fill_table(ConstView pixels, const IntegralOptions& options, View table) {
  if (options.layout == TableLayout::padded) {
    std::memset(table.row_bytes(0), 0, table.tight_pitch_bytes());
  }
  // Each band needs a row of carries. So there are only a few tall bands.
  constexpr int kBands = 64;
  const int rows_a_band = std::max(rows_per_band(pixels.width), (pixels.height + kBands - 1) / kBands);
  const int bands = (pixels.height + rows_a_band - 1) / rows_a_band;
  std::vector<ColumnSums> carries = carries_into_bands(pixels, options, bands, rows_a_band);
  for_each_index(0, bands, [&](int band) {
    const int begin = band * rows_a_band;
    fill_band<Entry>(pixels, options, begin, std::min(pixels.height, begin + rows_a_band),
                     carries[static_cast<std::size_t>(band)], table);
  });
}

/// Reads the levels of 8-bit pixels, row by row.
class ByteRows {
 public:
  ByteRows(ConstView pixels, const IntegralOptions& options)
      : pixels_(pixels), options_(options), buffer_(static_cast<std::size_t>(pixels.width)) {}

  const std::uint8_t* levels(int y) {
    return read_levels<std::uint8_t>(pixels_, y, 0, pixels_.width, options_.channel, options_.luma, buffer_.data());
  }

 private:
  ConstView pixels_;
  const IntegralOptions& options_;
  std::vector<std::uint8_t> buffer_;
};

/// Tables of at least this size are written with stores that bypass the caches, because no row would still be cached
/// when it is read later. Measured for 16.8 MP: 6.0 ms, compared with 6.0 to 8.0 ms through the caches. Equalization
/// and HSL do more arithmetic per byte, and would get slower.
constexpr std::size_t kWorthStreaming = std::size_t{32} << 20;

using TableRow = std::vector<std::uint32_t>;

/// Element b is the table row above band b. Reads every band except the last one once.
std::vector<TableRow> rows_above_bands(ConstView pixels, const IntegralOptions& options, int bands, int rows_a_band) {
  const auto width = static_cast<std::size_t>(pixels.width);
  std::vector<TableRow> above(static_cast<std::size_t>(bands), TableRow(width));
  for_each_index(1, bands, [&](int band) {
    ByteRows rows(pixels, options);
    for (int y = (band - 1) * rows_a_band; y < band * rows_a_band; ++y) {
      add_to_columns(rows.levels(y), width, above[static_cast<std::size_t>(band)].data());
    }
  });
  for (std::size_t band = 1; band < above.size(); ++band) {
    std::partial_sum(above[band].begin(), above[band].end(), above[band].begin());
    std::transform(above[band].begin(), above[band].end(), above[band - 1].begin(), above[band].begin(), std::plus<>());
  }
  return above;
}

/// fill_table for 32-bit sums of bytes. Computes each row from the row above it, in a buffer that stays in the cache.
void fill_byte_table(ConstView pixels, const IntegralOptions& options, View table) {
  const int padding = options.layout == TableLayout::padded ? 1 : 0;
  if (padding == 1) {
    std::memset(table.row_bytes(0), 0, table.tight_pitch_bytes());
  }
  // A single thread processes one band, which needs no row above it. With several threads, each takes a few bands, so
  // that a slow thread delays the others less.
  const int threads = loop_threads();
  const int most_bands = threads == 1 ? 1 : 4 * threads;
  const int rows_a_band = std::max(rows_per_band(pixels.width), (pixels.height + most_bands - 1) / most_bands);
  const int bands = (pixels.height + rows_a_band - 1) / rows_a_band;
  std::vector<TableRow> rows_above = rows_above_bands(pixels, options, bands, rows_a_band);
  const bool streamed = table.tight_pitch_bytes() * static_cast<std::size_t>(table.height) >= kWorthStreaming;
  for_each_index(0, bands, [&](int band) {
    ByteRows rows(pixels, options);
    TableRow& row = rows_above[static_cast<std::size_t>(band)];
    const auto* bytes = reinterpret_cast<const std::uint8_t*>(row.data());
    const std::size_t row_bytes = row.size() * sizeof row[0];
    const int end = std::min(pixels.height, (band + 1) * rows_a_band);
    for (int y = band * rows_a_band; y < end; ++y) {
      integral_row(rows.levels(y), row.size(), row.data());
      std::uint32_t* out = table.row<std::uint32_t>(y + padding);
      std::fill_n(out, padding, 0U);
      if (streamed) {
        stream_bytes(bytes, row_bytes, reinterpret_cast<std::uint8_t*>(out + padding));
      } else {
        std::memcpy(out + padding, bytes, row_bytes);
      }
    }
  });
}

}  // namespace

Image apply(ConstView pixels, const IntegralOptions& options, PixelPool& pool) {
  const Sample sample = table_sample(pixels.width, pixels.height, pixels.format, options);
  Image table = pool.image(table_width(pixels.width, options.layout), table_height(pixels.height, options.layout),
                           PixelFormat{sample, 1});
  if (sample == Sample::u32 && pixels.format.sample == Sample::u8 && !options.square) {
    fill_byte_table(pixels, options, table.view());
    return table;
  }
  switch (sample) {
    case Sample::u32: fill_table<std::uint32_t>(pixels, options, table.view()); break;
    case Sample::u64: fill_table<std::uint64_t>(pixels, options, table.view()); break;
    case Sample::f32: fill_table<float>(pixels, options, table.view()); break;
    default: fill_table<double>(pixels, options, table.view()); break;
  }
  return table;
}

}  // namespace gpuimg::cpu
