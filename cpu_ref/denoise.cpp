// Non-local means on the CPU. For each offset in the search window, takes the squared differences to the shifted image,
// and sums them over patches with sliding sums. Specified in docs/operations.md, "Denoising".
#include "ops/denoise.hpp"

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

#include "operations.hpp"
#include "ops/window.hpp"
#include "parallel_loops.hpp"
#include "pixel_rows.hpp"
#include "simd/simd_rows.hpp"

namespace gpuimg::cpu {
namespace {

constexpr int kTileWidth = 1024;  ///< chosen so that the sums of a tile fit in a core's own cache
constexpr int kTileHeight = 64;

/// Rows are computed in whole vectors, so that no loop has a remainder. Up to kVector − 1 extra elements are computed.
constexpr int kVector = 16;
constexpr std::size_t whole_vectors(std::size_t count) { return (count + kVector - 1) / kVector * kVector; }

/// The color channels of an image as planes with a reflected border, padded for whole vectors.
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

  /// The samples from pixel (x, y) on; the pixel may lie in the border.
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

/// A plane that is 1 where a pixel counts, else 0. nullopt if all pixels count.
template <class T, int channels>
std::optional<BorderedPlanes<std::uint8_t>> visible_plane(ConstView pixels, const DenoiseOptions& options,
                                                          PixelPool& pool) {
  if ((channels != 2 && channels != 4) || options.count_transparent) {
    return std::nullopt;
  }
  Image visible = pool.image(pixels.width, pixels.height, {Sample::u8, 1});
  std::atomic<bool> has_hidden = false;
  for_row_bands(pixels.width, pixels.height, [&](int begin, int end) {
    for (int y = begin; y < end; ++y) {
      const T* alpha = pixels.row<T>(y) + (channels - 1);
      auto* row = visible.view().template row<std::uint8_t>(y);
      for (int x = 0; x < pixels.width; ++x) {
        row[x] = alpha[x * channels] != 0 ? 1 : 0;
      }
      if (std::memchr(row, 0, static_cast<std::size_t>(pixels.width)) != nullptr) {
        has_hidden = true;
      }
    }
  });
  return has_hidden ? std::optional<BorderedPlanes<std::uint8_t>>(std::in_place, std::as_const(visible).view(),
                                                                  halo_rows(options), pool)
                    : std::nullopt;
}

/// Denoises one tile of the image. Tiles at the right and bottom edges may be smaller.
template <class T>
class TileDenoiser {
 public:
  /// `visible` is null if all pixels count.
  TileDenoiser(const BorderedPlanes<T>& planes, const BorderedPlanes<std::uint8_t>* visible,
               const DenoiseOptions& options, const WeightTable& table, const Rect& tile)
      : planes_(planes),
        visible_(visible),
        options_(options),
        table_(table),
        tile_(tile),
        weight_sums_(static_cast<std::size_t>(tile.width) * static_cast<std::size_t>(tile.height)) {
    for (int c = 0; c < planes.channels(); ++c) {
      sums_[static_cast<std::size_t>(c)].resize(weight_sums_.size());
    }
  }

  void run() {
    for (int y = 0; y < tile_.height; ++y) {  // each pixel contributes to itself, at distance 0
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

  /// The denoised sample at (x, y) in the tile.
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

  /// Processes the offsets (dx, dy) and (−dx, −dy) together, with dy ≥ 0, because two pixels have the same weight for
  /// each other. Computes the weight of each pair of pixels at this offset if at least one pixel of the pair lies in
  /// the tile.
  void add_pair(int dx, int dy) {
    const int radius = options_.patch / 2;
    const int left = std::min(0, -dx);  // relative to the tile, like all positions here
    const std::size_t count = whole_vectors(static_cast<std::size_t>(tile_.width + std::abs(dx)));
    const std::size_t count_of_columns = whole_vectors(count + 2 * static_cast<std::size_t>(radius));
    columns_.assign(count_of_columns, 0);
    rows_.assign(count_of_columns * table_.patch, 0);
    weights_.resize(count);
    if (visible_ != nullptr) {
      pair_columns_.assign(count_of_columns, 0);
      pair_rows_.assign(count_of_columns * table_.patch, 0);
    }
    for (int y = -dy - radius; y < tile_.height + radius; ++y) {
      const auto slot = static_cast<std::size_t>(y + dy + radius) % table_.patch;  // of the row that leaves the patches
      const int from_x = tile_.x + left - radius;
      if (visible_ != nullptr) {
        slide_visible(from_x, y, dx, dy, slot * count_of_columns, count_of_columns);
      } else {
        slide_differences(planes_.from(from_x, tile_.y + y), planes_.from(from_x + dx, tile_.y + y + dy),
                          planes_.channels(), count_of_columns, rows_.data() + slot * count_of_columns,
                          columns_.data());
      }
      const int center = y - radius;
      if (center < -dy) {
        continue;
      }
      if (visible_ != nullptr) {
        visible_weights(from_x + radius, center, dx, dy, count);
      } else {
        patch_weights(columns_.data(), table_, count, weights_.data());
      }
      if (center >= 0) {
        add(center, -left, planes_.from(tile_.x + dx, tile_.y + center + dy));
      }
      if (center + dy < tile_.height) {
        add(center + dy, -left - dx, planes_.from(tile_.x - dx, tile_.y + center));
      }
    }
  }

  /// Like slide_differences(), but only for pairs in which both pixels count. Counts these pairs, too.
  void slide_visible(int from_x, int y, int dx, int dy, std::size_t first, std::size_t count) {
    const ChannelRows<const T> here = planes_.from(from_x, tile_.y + y);
    const ChannelRows<const T> there = planes_.from(from_x + dx, tile_.y + y + dy);
    const std::uint8_t* seen_here = visible_->from(from_x, tile_.y + y)[0];
    const std::uint8_t* seen_there = visible_->from(from_x + dx, tile_.y + y + dy)[0];
    std::int32_t* row = rows_.data() + first;
    std::int32_t* pair_row = pair_rows_.data() + first;
    for (std::size_t x = 0; x < count; ++x) {
      const std::int32_t is_pair = seen_here[x] & seen_there[x];
      std::int32_t sum = 0;
      for (std::size_t c = 0; c < static_cast<std::size_t>(planes_.channels()); ++c) {
        sum += denoise_difference<T>(here[c][x], there[c][x]);
      }
      sum *= is_pair;
      columns_[x] += sum - row[x];
      row[x] = sum;
      pair_columns_[x] += is_pair - pair_row[x];
      pair_row[x] = is_pair;
    }
  }

  /// Like patch_weights(), but the weight is 0 if one pixel of a pair does not count.
  void visible_weights(int from_x, int center, int dx, int dy, std::size_t count) {
    const std::uint8_t* here = visible_->from(from_x, tile_.y + center)[0];
    const std::uint8_t* there = visible_->from(from_x + dx, tile_.y + center + dy)[0];
    const auto all = static_cast<std::uint32_t>(table_.patch * table_.patch);
    for (std::size_t x = 0; x < count; ++x) {
      if ((here[x] & there[x]) == 0) {
        weights_[x] = 0;
        continue;
      }
      std::uint32_t distance = 0;
      std::uint32_t pairs = 0;
      for (std::size_t i = 0; i < table_.patch; ++i) {
        distance += static_cast<std::uint32_t>(columns_[x + i]);
        pairs += static_cast<std::uint32_t>(pair_columns_[x + i]);
      }
      const std::uint32_t index = scaled_distance(distance, pairs, all) >> table_.shift;
      weights_[x] = table_.weights[std::min(index, static_cast<std::uint32_t>(table_.last))];
    }
  }

  /// Adds weighted samples to row y of the tile. Uses the weights from index `first` on.
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
  const BorderedPlanes<std::uint8_t>* visible_;
  const DenoiseOptions& options_;
  const WeightTable& table_;
  Rect tile_;
  std::vector<std::int32_t> rows_;          ///< differences, for the last `patch` rows
  std::vector<std::int32_t> columns_;       ///< sums of rows_ over these rows
  std::vector<std::int32_t> weights_;       ///< weights of one row
  std::vector<std::int32_t> pair_rows_;     ///< 1 where a difference counts, for the last `patch` rows
  std::vector<std::int32_t> pair_columns_;  ///< sums of pair_rows_ over these rows
  std::vector<Sum> weight_sums_;
  std::array<std::vector<Sum>, 3> sums_;
};

/// True if any pixel within reach of the tile does not count.
bool sees_hidden(const BorderedPlanes<std::uint8_t>& visible, const Rect& tile, int reach) {
  const auto width = static_cast<std::size_t>(tile.width + 2 * reach);
  for (int y = -reach; y < tile.height + reach; ++y) {
    if (std::memchr(visible.from(tile.x - reach, tile.y + y)[0], 0, width) != nullptr) {
      return true;
    }
  }
  return false;
}

/// Counts finished tiles and reports progress. Thread-safe.
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
  const std::optional<BorderedPlanes<std::uint8_t>> visible = visible_plane<T, channels>(pixels, options, pool);
  const int tiles_x = (pixels.width + kTileWidth - 1) / kTileWidth;
  const int tiles_y = (pixels.height + kTileHeight - 1) / kTileHeight;
  TilesDone done(options, tiles_x, tiles_y);
  for_each_tile(tiles_y, tiles_x, [&](int j, int i) {
    const Rect tile{i * kTileWidth, j * kTileHeight, std::min(kTileWidth, pixels.width - i * kTileWidth),
                    std::min(kTileHeight, pixels.height - j * kTileHeight)};
    const bool has_hidden = visible && sees_hidden(*visible, tile, halo_rows(options));
    TileDenoiser<T> denoiser(planes, has_hidden ? &*visible : nullptr, options, look_up, tile);
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
