// Non-local means on the CPU: for each offset of the search window, the squared differences to the shifted image are
// summed over patches by sliding sums. Specified in docs/operations.md, "Denoising".
#include "ops/denoise.hpp"

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <type_traits>
#include <vector>

#include "operations.hpp"
#include "ops/window.hpp"
#include "parallel_loops.hpp"
#include "pixel_rows.hpp"
#include "simd/simd_rows.hpp"

namespace gpuimg::cpu {
namespace {

constexpr int kTileWidth = 1024;  ///< the sums of a tile stay in a core's own cache
constexpr int kTileHeight = 64;

/// Rows are computed in whole vectors, so that no loop has a rest: up to this many places too many.
constexpr int kVector = 16;
constexpr std::size_t whole_vectors(std::size_t count) { return (count + kVector - 1) / kVector * kVector; }

/// The color channels of an image, each with a reflected border, and room for whole vectors.
template <class T>
class BorderedPlanes {
 public:
  BorderedPlanes(ConstView pixels, int border, PixelPool& pool)
      : border_(border),
        channels_(pixels.format.color_channels()),
        plane_height_(pixels.height + 2 * border),
        planes_(
            pool.image(pixels.width + 2 * border + 2 * kVector, plane_height_ * channels_, {pixels.format.sample, 1})) {
    for_each_index(0, plane_height_, [&](int y) {
      const T* from = pixels.row<T>(source_position(y - border, pixels.height, Border::reflect101));
      for (int c = 0; c < channels_; ++c) {
        T* to = planes_.view().row<T>(c * plane_height_ + y);
        for (int x = 0; x < planes_.width(); ++x) {
          const int source = source_position(x - border, pixels.width, Border::reflect101);
          to[x] = from[source * pixels.format.channels + c];
        }
      }
    });
  }

  [[nodiscard]] int channels() const { return channels_; }

  /// The samples from a pixel on, which may be in the border.
  [[nodiscard]] ChannelRows<const T> from(int x, int y) const {
    ChannelRows<const T> rows{};
    for (int c = 0; c < channels_; ++c) {
      rows[static_cast<std::size_t>(c)] = planes_.view().row<T>(c * plane_height_ + y + border_) + x + border_;
    }
    return rows;
  }

 private:
  int border_;
  int channels_;
  int plane_height_;
  Image planes_;
};

/// A part of the image, at most as large as a tile.
template <class T>
class TileDenoiser {
 public:
  TileDenoiser(const BorderedPlanes<T>& planes, const DenoiseOptions& options, const WeightTable& table,
               const Rect& tile)
      : planes_(planes),
        options_(options),
        table_(table),
        tile_(tile),
        weight_sums_(static_cast<std::size_t>(tile.width) * static_cast<std::size_t>(tile.height)) {
    for (int c = 0; c < planes.channels(); ++c) {
      sums_[static_cast<std::size_t>(c)].resize(weight_sums_.size());
    }
  }

  void run() {
    for (int y = 0; y < tile_.height; ++y) {  // each pixel for itself, at distance 0
      weights_.assign(static_cast<std::size_t>(tile_.width), table_.weights[0]);
      add(y, 0, planes_.from(tile_.x, tile_.y + y));
    }
    const int reach = options_.search / 2;
    for (int dy = 0; dy <= reach; ++dy) {
      for (int dx = dy == 0 ? 1 : -reach; dx <= reach; ++dx) {
        add_pair(dx, dy);
      }
    }
  }

  /// The denoised sample at a place of the tile.
  [[nodiscard]] T result(int x, int y, int channel) const {
    const auto i = row_start(y) + static_cast<std::size_t>(x);
    return static_cast<T>(weighted_mean(static_cast<std::uint64_t>(sums_[static_cast<std::size_t>(channel)][i]),
                                        static_cast<std::uint64_t>(weight_sums_[i])));
  }

 private:
  [[nodiscard]] std::size_t row_start(int y) const {
    return static_cast<std::size_t>(y) * static_cast<std::size_t>(tile_.width);
  }

  using Sum = std::conditional_t<sizeof(T) == 1, std::int32_t, std::uint64_t>;

  /// Offsets (dx, dy) and (−dx, −dy), dy ≥ 0: the weight of two pixels is the same from both. Computes the weight of
  /// each pixel and the one at the offset, wherever either is in the tile.
  void add_pair(int dx, int dy) {
    const int radius = options_.patch / 2;
    const int left = std::min(0, -dx);  // relative to the tile, like all places here
    const std::size_t count = whole_vectors(static_cast<std::size_t>(tile_.width + std::abs(dx)));
    const std::size_t count_of_columns = whole_vectors(count + 2 * static_cast<std::size_t>(radius));
    columns_.assign(count_of_columns, 0);
    rows_.assign(count_of_columns * table_.patch, 0);
    weights_.resize(count);
    for (int y = -dy - radius; y < tile_.height + radius; ++y) {
      const auto slot = static_cast<std::size_t>(y + dy + radius) % table_.patch;  // of the row that leaves the patches
      const int from_x = tile_.x + left - radius;
      slide_differences(planes_.from(from_x, tile_.y + y), planes_.from(from_x + dx, tile_.y + y + dy),
                        planes_.channels(), count_of_columns, rows_.data() + slot * count_of_columns, columns_.data());
      const int center = y - radius;
      if (center < -dy) {
        continue;
      }
      patch_weights(columns_.data(), table_, count, weights_.data());
      if (center >= 0) {
        add(center, -left, planes_.from(tile_.x + dx, tile_.y + center + dy));
      }
      if (center + dy < tile_.height) {
        add(center + dy, -left - dx, planes_.from(tile_.x - dx, tile_.y + center));
      }
    }
  }

  /// Adds to a row of the tile, with the weights from index `first` on.
  void add(int y, int first, const ChannelRows<const T>& samples) {
    const std::size_t row = row_start(y);
    ChannelRows<Sum> sums{};
    for (std::size_t c = 0; c < static_cast<std::size_t>(planes_.channels()); ++c) {
      sums[c] = sums_[c].data() + row;
    }
    add_weighted(weights_.data() + first, samples, planes_.channels(), static_cast<std::size_t>(tile_.width),
                 weight_sums_.data() + row, sums);
  }

  const BorderedPlanes<T>& planes_;
  const DenoiseOptions& options_;
  const WeightTable& table_;
  Rect tile_;
  std::vector<std::int32_t> rows_;     ///< differences of the last `patch` rows
  std::vector<std::int32_t> columns_;  ///< their sums
  std::vector<std::int32_t> weights_;  ///< of a row
  std::vector<Sum> weight_sums_;
  std::array<std::vector<Sum>, 3> sums_;
};

/// Tells how many tiles are done. Thread-safe.
class TilesDone {
 public:
  TilesDone(const DenoiseOptions& options, int tiles_x, int tiles_y)
      : options_(options), all_(std::int64_t{tiles_x} * tiles_y) {}

  void add_one() {
    const std::int64_t done = ++done_;
    if (options_.on_progress) {
      options_.on_progress(static_cast<double>(done) / static_cast<double>(all_));
    }
  }

 private:
  const DenoiseOptions& options_;
  std::int64_t all_;
  std::atomic<std::int64_t> done_ = 0;
};

template <class T, int channels>
void denoise(ConstView pixels, const DenoiseOptions& options, PixelPool& pool, View out) {
  const DenoiseTable table = denoise_table(pixels.format, options);
  const std::vector<std::int32_t> weights(table.weights.begin(), table.weights.end());
  const WeightTable look_up{weights.data(), static_cast<std::int32_t>(weights.size() - 1), table.shift,
                            static_cast<std::size_t>(options.patch)};
  const BorderedPlanes<T> planes(pixels, halo_rows(options), pool);
  const int tiles_x = (pixels.width + kTileWidth - 1) / kTileWidth;
  const int tiles_y = (pixels.height + kTileHeight - 1) / kTileHeight;
  TilesDone done(options, tiles_x, tiles_y);
  for_each_tile(tiles_y, tiles_x, [&](int j, int i) {
    const Rect tile{i * kTileWidth, j * kTileHeight, std::min(kTileWidth, pixels.width - i * kTileWidth),
                    std::min(kTileHeight, pixels.height - j * kTileHeight)};
    TileDenoiser<T> denoiser(planes, options, look_up, tile);
    denoiser.run();
    done.add_one();
    for (int y = 0; y < tile.height; ++y) {
      T* row = out.row<T>(tile.y + y) + static_cast<std::ptrdiff_t>(tile.x) * channels;
      for (int x = 0; x < tile.width; ++x) {
        for (int c = 0; c < planes.channels(); ++c) {
          row[x * channels + c] = denoiser.result(x, y, c);
        }
      }
    }
  });
  for_row_bands(pixels.width, pixels.height, [&](int begin, int end) {
    for (int y = begin; y < end; ++y) {
      copy_alpha<T, channels>(pixels.row<T>(y), out.row<T>(y), static_cast<std::size_t>(pixels.width));
    }
  });
}

}  // namespace

Image apply(ConstView pixels, const DenoiseOptions& options, PixelPool& pool) {
  if (filter_strength(pixels.format, options) == 0.0F) {
    return pool.copy_of(pixels);
  }
  Image result = pool.image(pixels.width, pixels.height, pixels.format);
  with_format(pixels.format,
              [&]<class T, int channels>() { denoise<T, channels>(pixels, options, pool, result.view()); });
  return result;
}

}  // namespace gpuimg::cpu
