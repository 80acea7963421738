// CLAHE in plain loops, written from docs/operations.md. Uses only names of gpuimg/ops, not its arithmetic.
#pragma once

#include <algorithm>
#include <cmath>
#include <utility>

#include "support/oracle_of_options.hpp"
#include "support/test_images.hpp"

namespace gpuimg::oracle {

inline int reflected(int at, int size) {
  while (at >= size) {
    at = size == 1 ? 0 : std::abs(2 * (size - 1) - at);
  }
  return at;
}

/// The table of one tile, as docs/operations.md defines it. Its entries are 0 to v_max.
inline Table tile_table(std::vector<std::uint64_t> counts, double clip, std::uint32_t v_max) {
  const std::uint64_t levels = counts.size();
  std::uint64_t counted = 0;
  for (const std::uint64_t count : counts) {
    counted += count;
  }
  Table table(levels);
  std::uint64_t cut = 0;
  if (clip > 0) {
    const auto limit = std::max<std::uint64_t>(
        1, static_cast<std::uint64_t>(clip * static_cast<double>(counted) / static_cast<double>(levels)));
    for (std::uint64_t& count : counts) {
      cut += count - std::min(count, limit);
      count = std::min(count, limit);
    }
  }
  const std::uint64_t rest = cut % levels;
  for (std::uint64_t k = 0; k < rest; ++k) {
    ++counts[k * (levels / rest)];
  }
  std::uint64_t sum = 0;
  for (std::uint64_t v = 0; v < levels; ++v) {
    sum += counts[v] + cut / levels;
    const float scale = static_cast<float>(v_max) / static_cast<float>(counted);
    const float level = std::nearbyint(static_cast<float>(sum) * scale);
    table[v] = static_cast<std::uint16_t>(
        counted == 0 ? v : static_cast<std::uint64_t>(std::min(level, static_cast<float>(v_max))));
  }
  return table;
}

/// The table of 65536 levels, computed from 256 bins. The center of bin b is 256·b + 127.5.
inline Table binned_tile_table(const std::vector<std::uint64_t>& counts, double clip) {
  std::vector<std::uint64_t> bins(256);
  std::uint64_t counted = 0;
  for (std::size_t v = 0; v < counts.size(); ++v) {
    bins[v >> 8] += counts[v];
    counted += counts[v];
  }
  const Table of_bins = tile_table(bins, clip, 65535);
  Table table(counts.size());
  for (std::size_t v = 0; v < counts.size(); ++v) {
    const double place = std::clamp((static_cast<double>(v) - 127.5) / 256.0, 0.0, 255.0);
    const double first = of_bins[static_cast<std::size_t>(place)];
    const double second = of_bins[std::min<std::size_t>(static_cast<std::size_t>(place) + 1, 255)];
    const double level = first + (second - first) * (place - std::floor(place));  // exact: multiples of 2⁻⁹
    table[v] = static_cast<std::uint16_t>(counted == 0 ? v : static_cast<std::size_t>(std::floor(level + 0.5)));
  }
  return table;
}

struct ClaheOracle {
  ConstView pixels;
  ClaheOptions options;
  const Image* mask;
  int tile_width = 0;
  int tile_height = 0;

  [[nodiscard]] bool counts(int x, int y) const {
    const Rect r = options.selection.region.value_or(Rect{0, 0, pixels.width, pixels.height});
    const bool inside = x >= r.x && x < r.x + r.width && y >= r.y && y < r.y + r.height;
    const bool shows = mask == nullptr || mask->view().row<std::uint8_t>(y)[x] != 0;
    return inside && shows &&
           (options.selection.count_transparent || !pixels.format.has_alpha() || pixel_at(pixels, x, y).a != 0);
  }

  [[nodiscard]] std::vector<Table> tables(const LevelFunction& level) const {
    std::vector<Table> all;
    for (int j = 0; j < options.tiles_y; ++j) {
      for (int i = 0; i < options.tiles_x; ++i) {
        std::vector<std::uint64_t> histogram(pixels.format.max_value() + std::size_t{1});
        for (int y = j * tile_height; y < (j + 1) * tile_height; ++y) {
          for (int x = i * tile_width; x < (i + 1) * tile_width; ++x) {
            const int from_x = reflected(x, pixels.width);
            const int from_y = reflected(y, pixels.height);
            if (counts(from_x, from_y)) {
              ++histogram[level(pixel_at(pixels, from_x, from_y))];
            }
          }
        }
        const bool is_binned = histogram.size() > 256 && !options.full_bins;
        all.push_back(is_binned ? binned_tile_table(histogram, options.clip)
                                : tile_table(histogram, options.clip, pixels.format.max_value()));
      }
    }
    return all;
  }

  [[nodiscard]] std::uint16_t level_at(int x, int y, std::uint32_t level, const std::vector<Table>& all) const {
    const float xf = static_cast<float>(x) * (1.0F / static_cast<float>(tile_width)) - 0.5F;
    const float yf = static_cast<float>(y) * (1.0F / static_cast<float>(tile_height)) - 0.5F;
    const float xa = xf - std::floor(xf);
    const float ya = yf - std::floor(yf);
    const auto entry = [&](int right, int below) {
      const int i = std::clamp(static_cast<int>(std::floor(xf)) + right, 0, options.tiles_x - 1);
      const int j = std::clamp(static_cast<int>(std::floor(yf)) + below, 0, options.tiles_y - 1);
      return static_cast<float>(all[static_cast<std::size_t>(j * options.tiles_x + i)][level]);
    };
    const float upper = entry(0, 0) * (1.0F - xa) + entry(1, 0) * xa;
    const float lower = entry(0, 1) * (1.0F - xa) + entry(1, 1) * xa;
    const float mapped = std::nearbyint(upper * (1.0F - ya) + lower * ya);
    return static_cast<std::uint16_t>(std::min(mapped, static_cast<float>(pixels.format.max_value())));
  }

  Image result() {
    const bool divides = pixels.width % options.tiles_x == 0 && pixels.height % options.tiles_y == 0;
    tile_width = pixels.width / options.tiles_x + (divides ? 0 : 1);
    tile_height = pixels.height / options.tiles_y + (divides ? 0 : 1);
    const ColorMode mode = mode_of(options.color, options.luma, pixels.format);
    std::vector<std::vector<Table>> all;
    for (const auto& level : mode.levels) {
      all.push_back(tables(level));
    }
    Tables here(all.size(), Table(pixels.format.max_value() + std::size_t{1}));
    Image out = copy_of(pixels);
    for (int y = 0; y < pixels.height; ++y) {
      for (int x = 0; x < pixels.width; ++x) {
        if (mask != nullptr && mask->view().row<std::uint8_t>(y)[x] == 0) {
          continue;
        }
        const Pixel from = pixel_at(pixels, x, y);
        for (std::size_t p = 0; p < all.size(); ++p) {
          const std::uint32_t level = mode.levels[p](from);
          here[p][level] = level_at(x, y, level, all[p]);
        }
        const Pixel to = mode.map(from, here);
        const auto mixed = [&](std::uint32_t a, std::uint32_t b) {
          const double step = options.strength * (static_cast<double>(b) - static_cast<double>(a));
          return static_cast<std::uint32_t>(std::floor(static_cast<double>(a) + step + 0.5));
        };
        test::set_sample(out.view(), x, y, 0, mixed(from.r, to.r));
        if (pixels.format.color_channels() == 3) {
          test::set_sample(out.view(), x, y, 1, mixed(from.g, to.g));
          test::set_sample(out.view(), x, y, 2, mixed(from.b, to.b));
        }
      }
    }
    return out;
  }
};

/// The expected result of Backend::apply. The mask is a separate argument because a Selection holds a Picture.
inline Image clahe(ConstView pixels, const ClaheOptions& options, const Image* mask = nullptr) {
  return ClaheOracle{pixels, options, mask}.result();
}

}  // namespace gpuimg::oracle
