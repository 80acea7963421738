// Cuts images into strips, runs each on the inner backend, and reassembles the results.
#include "engine/striped_backend.hpp"

#include <tbb/parallel_for.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <new>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "engine/result_rows.hpp"
#include "ops/clahe.hpp"
#include "ops/equalize.hpp"
#include "ops/threshold.hpp"
#include "window/table.hpp"

namespace gpuimg {
namespace {

void add(std::vector<std::uint64_t>& to, const std::vector<std::uint64_t>& counts) {
  to.resize(std::max(to.size(), counts.size()));
  std::transform(counts.begin(), counts.end(), to.begin(), to.begin(), std::plus<>());
}

/// Adds the sums of the rows above to a strip and writes its table entries; its last row becomes `above`.
template <class Sum, class Entry>
void add_above(ConstView strip, std::vector<std::uint64_t>& above, View table, std::size_t first_column) {
  const auto width = static_cast<std::size_t>(strip.width);
  tbb::parallel_for(0, strip.height, [&](int y) {
    const Sum* sums = strip.row<Sum>(y);
    Entry* entries = table.row<Entry>(y) + first_column;
    for (std::size_t x = 0; x < width; ++x) {
      entries[x] = table_entry<Entry>(above[x] + sums[x]);
    }
  });
  const Sum* last = strip.row<Sum>(strip.height - 1);
  for (std::size_t x = 0; x < width; ++x) {
    above[x] += last[x];
  }
}

using AddAbove = void (*)(ConstView, std::vector<std::uint64_t>&, View, std::size_t);

AddAbove add_above_for(Sample type) {
  switch (type) {
    case Sample::u32: return add_above<std::uint32_t, std::uint32_t>;  // modulo 2³², like its strips
    case Sample::f32: return add_above<std::uint64_t, float>;
    case Sample::f64: return add_above<std::uint64_t, double>;
    default: return add_above<std::uint64_t, std::uint64_t>;
  }
}

/// Zeros. They stay until all strips are counted, and the tables beside them.
LevelCounts counts_of_tiles(std::size_t tiles, std::size_t levels) {
  try {
    return LevelCounts(tiles, std::vector<std::uint64_t>(levels));
  } catch (const std::bad_alloc&) {
    const std::size_t bytes = tiles * levels * (sizeof(std::uint64_t) + sizeof(std::uint16_t));
    throw Error(ErrorKind::out_of_memory, "cannot allocate " + std::to_string(bytes >> 20) + " MB for the tables of " +
                                              std::to_string(tiles) +
                                              " tiles in strips; use fewer --tiles or --backend cpu");
  }
}

/// What a device takes for a pixel of an operation, beside the input and the result: planes, and tables of sums and of
/// squares.
template <class Options>
std::size_t scratch_bytes(PixelFormat /*input*/, const Options& /*options*/) {
  return 0;
}
constexpr std::size_t kTable = sizeof(std::uint64_t);
std::size_t scratch_bytes(PixelFormat input, const WindowOptions& options) {
  return options.statistic == WindowStatistic::mean ? kTable : sample_bytes(input.sample) + 2 * kTable;
}
std::size_t scratch_bytes(PixelFormat input, const ThresholdOptions& options) {
  return sample_bytes(input.sample) + (has_window(options.method) ? 2 * kTable : 0);
}
std::size_t scratch_bytes(PixelFormat input, const DenoiseOptions& /*options*/) { return input.bytes_per_pixel(); }

constexpr StripNeeds kCounting{.order = codecs::RowReader::Order::any};

void clear_first_column(View table, std::size_t entry_bytes) {
  for (int y = 0; y < table.height; ++y) {
    std::fill_n(table.row_bytes(y), entry_bytes, std::byte{0});
  }
}

}  // namespace

template <class Visit>
void StripedBackend::visit(const Picture& picture, const Selection& selection, const StripNeeds& needs,
                           const Visit& visit) {
  for_strips(inner_, picture, selection, memory_, needs, times_, [&](const Strip& strip) {
    times_ != nullptr ? times_->measure(Phase::kernel, [&] { visit(strip); }) : visit(strip);
  });
}

Image StripedBackend::downloaded(Picture picture) {
  const auto download = [&] { return inner_.download(std::move(picture)); };
  return times_ != nullptr ? times_->measure(Phase::download, download) : download();
}

Picture StripedBackend::mapped(const Picture& picture, PixelFormat format, const Selection& selection, int halo_rows,
                               const std::function<Picture(const Strip&)>& map, std::size_t scratch_bytes) {
  ResultRows result(picture.width(), picture.height(), format, take_);
  const StripNeeds needs{format.bytes_per_pixel() + scratch_bytes, halo_rows};
  visit(picture, selection, needs, [&](const Strip& strip) {
    const Image rows = downloaded(map(strip));
    result.put(rows_of(rows.view(), strip.halo_above, strip.halo_above + strip.end - strip.begin));
  });
  return result.picture();
}

Picture StripedBackend::upload(ConstView pixels) { return picture_of(copy_of(pixels)); }
Picture StripedBackend::upload(Image pixels) { return picture_of(std::move(pixels)); }
Image StripedBackend::download(const Picture& picture) { return image_of(picture).clone(); }
Image StripedBackend::download(Picture&& picture) { return std::move(image_of(picture)); }

Histogram StripedBackend::histogram(const Picture& picture, const HistogramOptions& options) {
  check(picture, options);
  Histogram sum;
  for (const Channel channel : options.channels) {
    const std::size_t bins =
        is_hsl(channel) ? static_cast<std::size_t>(options.hsl_bins) : picture.format().max_value() + std::size_t{1};
    sum.channels.push_back({channel, std::vector<std::uint64_t>(bins)});
  }
  visit(picture, options.selection, kCounting, [&](const Strip& strip) {
    if (!strip.is_selected) {
      return;
    }
    HistogramOptions of_strip = options;
    of_strip.selection = strip.selection;
    const Histogram part = inner_.histogram(strip.picture, of_strip);
    sum.counted += part.counted;
    for (std::size_t c = 0; c < sum.channels.size(); ++c) {
      add(sum.channels[c].counts, part.channels[c].counts);
    }
  });
  return sum;
}

LevelCounts StripedBackend::table_counts(const Picture& picture, const EqualizeOptions& options) {
  check(picture, options);
  LevelCounts sum(options.color == EqualizeColor::rgb && picture.format().color_channels() == 3 ? 3 : 1);
  for (auto& counts : sum) {
    counts.resize(picture.format().max_value() + std::size_t{1});
  }
  visit(picture, options.selection, kCounting, [&](const Strip& strip) {
    if (!strip.is_selected) {
      return;
    }
    EqualizeOptions of_strip = options;
    of_strip.match = nullptr;
    of_strip.tables = nullptr;
    of_strip.selection = strip.selection;
    const LevelCounts part = inner_.table_counts(strip.picture, of_strip);
    for (std::size_t t = 0; t < sum.size(); ++t) {
      add(sum[t], part[t]);
    }
  });
  return sum;
}

Picture StripedBackend::equalize(const Picture& picture, const EqualizeOptions& options, LevelTables* used) {
  check(picture, options);
  LevelTables own;
  if (options.tables == nullptr) {
    own = level_tables(options, table_counts(picture, options));
  }
  const LevelTables& tables = options.tables != nullptr ? *options.tables : own;
  Selection all = options.selection;
  all.region.reset();  // the histogram is already counted
  Picture result = mapped(picture, picture.format(), all, 0, [&](const Strip& strip) {
    EqualizeOptions of_strip = options;
    of_strip.match = nullptr;
    of_strip.tables = &tables;
    of_strip.selection = strip.selection;
    return inner_.equalize(strip.picture, of_strip);
  });
  if (used != nullptr) {
    *used = tables;
  }
  return result;
}

Picture StripedBackend::by_rows(const Picture& picture, PixelFormat result, int halo_rows,
                                const std::function<Picture(const Picture& rows)>& operation,
                                std::size_t scratch_bytes) {
  return mapped(
      picture, result, {}, halo_rows, [&](const Strip& strip) { return operation(strip.picture); }, scratch_bytes);
}

Picture StripedBackend::apply(const Picture& picture, const PictureOperation& operation) {
  return std::visit(
      [&](const auto& options) {
        check(picture, options);
        return in_strips(picture, options);
      },
      operation);
}

template <class Options>
Picture StripedBackend::in_strips(const Picture& picture, const Options& options) {
  return by_rows(
      picture, result_format(picture.format(), options), halo_rows(options),
      [&](const Picture& rows) { return inner_.apply(rows, options); }, scratch_bytes(picture.format(), options));
}

ClaheTables StripedBackend::clahe_tables(const Picture& picture, const ClaheOptions& options) {
  const TileGrid grid = tile_grid(picture.width(), picture.height(), options.tiles_x, options.tiles_y);
  const std::size_t planes = clahe_planes(picture.format(), options);
  const std::size_t levels = picture.format().max_value() + std::size_t{1};
  LevelCounts sums = counts_of_tiles(planes * grid.tiles(), levels);
  visit(picture, options.selection, kCounting, [&](const Strip& strip) {
    if (!strip.is_selected) {
      return;
    }
    EqualizeOptions counting;
    counting.color = options.color;
    counting.luma = options.luma;
    counting.selection = strip.selection;
    const Rect all{0, 0, picture.width(), strip.end - strip.begin};
    const Rect selected = strip.selection.region.value_or(all);
    for (std::size_t tile = 0; tile < grid.tiles(); ++tile) {
      for (const Rect& part : sources_of_tile(grid, tile)) {
        counting.selection.region = common_part(selected, {part.x, part.y - strip.begin, part.width, part.height});
        if (!counting.selection.region) {
          continue;
        }
        const LevelCounts counts = inner_.table_counts(strip.picture, counting);
        for (std::size_t p = 0; p < planes; ++p) {
          add(sums[p * grid.tiles() + tile], counts[p]);
        }
      }
    }
  });
  ClaheTables tables{grid, 0, std::vector<std::uint16_t>(sums.size() * levels)};
  tbb::parallel_for(std::size_t{0}, sums.size(), [&](std::size_t t) {
    clahe_map(sums[t].data(), static_cast<std::uint32_t>(levels), options.clip, tables.maps.data() + t * levels);
  });
  return tables;
}

Picture StripedBackend::in_strips(const Picture& picture, const ClaheOptions& options) {
  ClaheTables tables = options.tables != nullptr ? *options.tables : clahe_tables(picture, options);
  const int first_row = tables.first_row;
  Selection all = options.selection;
  all.region.reset();  // the tiles are already counted
  return mapped(picture, picture.format(), all, 0, [&](const Strip& strip) {
    tables.first_row = first_row + strip.begin;
    ClaheOptions of_strip = options;
    of_strip.tables = &tables;
    of_strip.selection = strip.selection;
    return inner_.apply(strip.picture, of_strip);
  });
}

Picture StripedBackend::in_strips(const Picture& picture, const ThresholdOptions& options) {
  ThresholdOptions of_strip = options;
  int halo = 0;
  if (has_window(options.method)) {
    of_strip.window = window_of(picture.width(), picture.height(), options);
    halo = *of_strip.window / 2;
  } else if (!options.level) {
    HistogramOptions counting;
    counting.channels = {options.channel};
    counting.luma = options.luma;
    counting.selection.count_transparent = true;
    of_strip.level = otsu_level(histogram(picture, counting).channels.front().counts);
  }
  return by_rows(
      picture, result_format(picture.format(), options), halo,
      [&](const Picture& rows) { return inner_.apply(rows, of_strip); }, scratch_bytes(picture.format(), options));
}

Picture StripedBackend::in_strips(const Picture& picture, const DenoiseOptions& options) {
  const auto denoised = [&](const Strip& strip) {
    DenoiseOptions of_strip = options;
    if (options.on_progress) {
      of_strip.on_progress = [&](double part) {
        options.on_progress((strip.begin + part * (strip.end - strip.begin)) / picture.height());
      };
    }
    return inner_.apply(strip.picture, of_strip);
  };
  return mapped(picture, picture.format(), {}, halo_rows(options), denoised, scratch_bytes(picture.format(), options));
}

SumTable StripedBackend::in_strips(const Picture& picture, const IntegralOptions& options) {
  const Sample type = table_sample(picture.width(), picture.height(), picture.format(), options);
  const bool padded = options.layout == TableLayout::padded;
  ResultRows table(table_width(picture.width(), options.layout), table_height(picture.height(), options.layout),
                   {type, 1}, take_);
  if (padded) {
    table.make(1, [](View row) { std::fill_n(row.data, row.tight_pitch_bytes(), std::byte{0}); });
  }
  IntegralOptions of_strip = options;
  of_strip.layout = TableLayout::inclusive;
  of_strip.type = type == Sample::u32 ? Sample::u32 : Sample::u64;
  of_strip.allow_wrap = true;
  std::vector<std::uint64_t> above(static_cast<std::size_t>(picture.width()));
  visit(picture, {}, StripNeeds{sample_bytes(*of_strip.type)}, [&](const Strip& strip) {
    const Image sums = downloaded(inner_.integral(strip.picture, of_strip));
    table.make(sums.height(), [&](View rows) {
      if (padded) {
        clear_first_column(rows, sample_bytes(type));
      }
      add_above_for(type)(sums.view(), above, rows, padded ? 1 : 0);
    });
  });
  return table.picture();
}

}  // namespace gpuimg
