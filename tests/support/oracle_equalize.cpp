// Oracle of equalization.
#include "support/oracle_equalize.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "support/oracle_hsl.hpp"
#include "support/oracle_numbers.hpp"
#include "support/test_images.hpp"

namespace gpuimg::oracle {
namespace {

Table identity(std::size_t levels) {
  Table table(levels);
  std::iota(table.begin(), table.end(), std::uint16_t{0});
  return table;
}

bool is_identity(const Table& table) { return table == identity(table.size()); }

std::uint64_t total_of(const Counts& counts) { return std::accumulate(counts.begin(), counts.end(), std::uint64_t{0}); }

std::uint32_t saturated(std::int64_t x, std::uint32_t v_max) {
  return static_cast<std::uint32_t>(std::clamp<std::int64_t>(x, 0, v_max));
}

std::uint32_t blended(std::uint32_t from, std::uint32_t to, double strength) {
  if (strength == 1.0) {
    return to;
  }
  const double step = strength * (static_cast<double>(to) - static_cast<double>(from));
  return static_cast<std::uint32_t>(std::floor(static_cast<double>(from) + step + 0.5));
}

}  // namespace

Table table_opencv(const Counts& counts) {
  const std::uint64_t v = counts.size() - 1;
  const std::uint64_t total = total_of(counts);
  const auto first = std::find_if(counts.begin(), counts.end(), [](std::uint64_t n) { return n != 0; });
  if (total == 0 || *first == total) {
    return identity(counts.size());
  }
  const Binary32 scale = quotient(v, binary32_of(total - *first));
  Table table(counts.size(), 0);
  std::uint64_t above_first = 0;
  for (auto i = static_cast<std::size_t>(first - counts.begin()) + 1; i < counts.size(); ++i) {
    above_first += counts[i];
    table[i] = static_cast<std::uint16_t>(rounded_integer(product(binary32_of(above_first), scale), v));
  }
  return table;
}

Table table_cdf(const Counts& counts) {
  const std::uint64_t v = counts.size() - 1;
  const std::uint64_t total = total_of(counts);
  if (total == 0) {
    return identity(counts.size());
  }
  Table table(counts.size());
  std::uint64_t cumulative = 0;
  for (std::size_t i = 0; i < counts.size(); ++i) {
    cumulative += counts[i];
    // v·c/N rounded half up, from its integer part and its remainder.
    const std::uint64_t rest = v * cumulative % total;
    table[i] = static_cast<std::uint16_t>(v * cumulative / total + (rest >= total - rest ? 1 : 0));
  }
  return table;
}

Table table_pillow(const Counts& counts) {
  const std::uint64_t v = counts.size() - 1;
  Counts used;
  std::copy_if(counts.begin(), counts.end(), std::back_inserter(used), [](std::uint64_t n) { return n != 0; });
  if (used.size() <= 1) {
    return identity(counts.size());
  }
  const std::uint64_t step = (total_of(counts) - used.back()) / v;
  if (step == 0) {
    return identity(counts.size());
  }
  Table table(counts.size());
  std::uint64_t n = step / 2;
  for (std::size_t i = 0; i < counts.size(); ++i) {
    table[i] = static_cast<std::uint16_t>(std::min(v, n / step));
    n += counts[i];
  }
  return table;
}

Table table_stretch(const Counts& counts, std::uint64_t low_percent, std::uint64_t high_percent) {
  __extension__ using Wide = unsigned __int128;
  const std::uint64_t v = counts.size() - 1;
  const Wide total = total_of(counts);
  if (total == 0) {
    return identity(counts.size());
  }
  // Finds the first level in use whose cumulative share of the pixels reaches the percentile. Cross-multiplication
  // avoids rounding.
  const auto level_at = [&](std::uint64_t percent) {
    Wide cumulative = 0;
    for (std::size_t i = 0;; ++i) {
      cumulative += counts[i];
      if (cumulative > 0 && cumulative * 100'000'000 >= Wide{percent} * total) {
        return static_cast<std::int64_t>(i);
      }
    }
  };
  const std::int64_t low = level_at(low_percent);
  const std::int64_t high = level_at(high_percent);
  if (low == high) {
    return identity(counts.size());
  }
  Table table(counts.size());
  for (std::size_t i = 0; i < counts.size(); ++i) {
    const std::int64_t moved = (static_cast<std::int64_t>(i) - low) * static_cast<std::int64_t>(v);
    table[i] =
        static_cast<std::uint16_t>(saturated(floor_ratio(moved + (high - low) / 2, high - low), counts.size() - 1));
  }
  return table;
}

Pixel with_luma(const Pixel& p, std::uint32_t y, std::uint32_t to, std::uint32_t v_max) {
  if (y == 0) {
    return {to, to, to, p.a};
  }
  const std::int64_t high = std::max({p.r, p.g, p.b});
  const std::int64_t old_luma = y;
  const std::int64_t new_luma = to;
  const std::int64_t v = v_max;
  const auto channel = [&](std::int64_t c) {
    if (high * new_luma <= v * old_luma) {
      return static_cast<std::uint32_t>(half_away_ratio(c * new_luma, old_luma));
    }
    return static_cast<std::uint32_t>(new_luma + half_away_ratio((c - old_luma) * (v - new_luma), high - old_luma));
  };
  return {channel(p.r), channel(p.g), channel(p.b), p.a};
}

Pixel ycrcb_of(const Pixel& p, std::uint32_t v_max) {
  const std::int64_t half = (v_max + 1) / 2;
  const std::int64_t y =
      (4899 * std::int64_t{p.r} + 9617 * std::int64_t{p.g} + 1868 * std::int64_t{p.b} + 8192) / 16384;
  const auto difference = [&](std::int64_t c, std::int64_t weight) {
    return saturated(floor_ratio((c - y) * weight + half * 16384 + 8192, 16384), v_max);
  };
  return {static_cast<std::uint32_t>(y), difference(p.r, 11682), difference(p.b, 9241), p.a};
}

Pixel rgb_of_ycrcb(const Pixel& p, std::uint32_t v_max) {
  const std::int64_t half = (v_max + 1) / 2;
  const std::int64_t y = p.r;
  const std::int64_t cr = std::int64_t{p.g} - half;
  const std::int64_t cb = std::int64_t{p.b} - half;
  const auto channel = [&](std::int64_t offset) { return saturated(y + floor_ratio(offset + 8192, 16384), v_max); };
  return {channel(cr * 22987), channel(cr * -11698 + cb * -5636), channel(cb * 29049), p.a};
}

ColorMode gray_mode() {
  return {{[](const Pixel& p) { return p.r; }}, [](const Pixel& p, const Tables& tables) {
            const std::uint32_t level = tables[0][p.r];
            return Pixel{level, level, level, p.a};
          }};
}

ColorMode luma_mode(const LevelFunction& luma, std::uint32_t v_max) {
  return {{luma}, [luma, v_max](const Pixel& p, const Tables& tables) {
            const std::uint32_t y = luma(p);
            return with_luma(p, y, tables[0][y], v_max);
          }};
}

ColorMode rgb_mode() {
  return {{[](const Pixel& p) { return p.r; }, [](const Pixel& p) { return p.g; }, [](const Pixel& p) { return p.b; }},
          [](const Pixel& p, const Tables& tables) {
            return Pixel{tables[0][p.r], tables[1][p.g], tables[2][p.b], p.a};
          }};
}

ColorMode joint_mode(const LevelFunction& luma) {
  return {{luma}, [](const Pixel& p, const Tables& tables) {
            return Pixel{tables[0][p.r], tables[0][p.g], tables[0][p.b], p.a};
          }};
}

ColorMode ycbcr_mode(std::uint32_t v_max) {
  return {{[v_max](const Pixel& p) { return ycrcb_of(p, v_max).r; }}, [v_max](const Pixel& p, const Tables& tables) {
            Pixel converted = ycrcb_of(p, v_max);
            converted.r = tables[0][converted.r];
            return rgb_of_ycrcb(converted, v_max);
          }};
}

ColorMode hsl_mode(std::uint32_t v_max) {
  const auto level = [](const Pixel& p) { return (std::max({p.r, p.g, p.b}) + std::min({p.r, p.g, p.b}) + 1) / 2; };
  return {{level}, [level, v_max](const Pixel& p, const Tables& tables) {
            const auto hsl = hsl_float(p, v_max);
            Pixel out = rgb_of(hsl[0], hsl[1], nearest_float(tables[0][level(p)], v_max), v_max);
            out.a = p.a;
            return out;
          }};
}

Tables tables_of(ConstView pixels, const ColorMode& mode, const std::function<Table(const Counts&)>& table,
                 const Choice& choice) {
  Tables tables;
  for (const LevelFunction& level : mode.levels) {
    tables.push_back(table(count(pixels, choice, pixels.format.max_value() + std::size_t{1}, level)));
  }
  return tables;
}

Image equalized(ConstView pixels, const ColorMode& mode, const Tables& tables, const Image* mask, double strength) {
  Image out = copy_of(pixels);
  if (std::all_of(tables.begin(), tables.end(), is_identity)) {
    return out;
  }
  const int colors = pixels.format.color_channels();
  for (int y = 0; y < pixels.height; ++y) {
    for (int x = 0; x < pixels.width; ++x) {
      if (mask != nullptr && mask->view().row<std::uint8_t>(y)[x] == 0) {
        continue;
      }
      const Pixel from = pixel_at(pixels, x, y);
      const Pixel to = mode.map(from, tables);
      test::set_sample(out.view(), x, y, 0, blended(from.r, to.r, strength));
      if (colors == 3) {
        test::set_sample(out.view(), x, y, 1, blended(from.g, to.g, strength));
        test::set_sample(out.view(), x, y, 2, blended(from.b, to.b, strength));
      }
    }
  }
  return out;
}

}  // namespace gpuimg::oracle
