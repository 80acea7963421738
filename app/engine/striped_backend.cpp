// Cuts images into strips, runs each on the inner backend, and puts the results together. Strips of pixels in memory
// are views. Strips of a file are its decoder's bands, or are assembled from bands if the strips overlap.
#include "engine/striped_backend.hpp"

#include <tbb/parallel_for.h>

#include <algorithm>
#include <climits>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <memory>
#include <new>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "operations/operation_traits.hpp"
#include "ops/clahe.hpp"
#include "ops/equalize.hpp"
#include "ops/resize.hpp"
#include "ops/threshold.hpp"
#include "window/table.hpp"

namespace gpuimg {

/// Rows [begin, end) of a picture; the mask of its Selection is on the backend.
struct Strip {
  int begin;
  int end;
  int halo_above;          ///< rows of `picture` above `begin`; fewer than requested at the top of the image
  const Picture& picture;  ///< on the backend: the rows of the strip and its halo
  Selection selection;     ///< of the strip and its halo
  bool is_selected;        ///< the region intersects the strip or its halo
};

/// Rows [begin, end) of a result, and rows [first, last) of the input on which they depend.
struct StripRows {
  int begin;
  int end;
  int first;
  int last;
};

struct StripNeeds {
  std::size_t bytes_per_pixel = 0;  ///< of the backend's memory, besides the input and its mask
  int halo_rows = 0;
  codecs::RowReader::Order order = codecs::RowReader::Order::top_down;  ///< of strips without halo
};

namespace {

using codecs::BandOutput;
using codecs::copy_rows;
using codecs::RowBand;
using codecs::RowReader;

template <class Pixels>
class Stored final : public Picture::Storage {
 public:
  explicit Stored(Pixels pixels) : pixels_(std::move(pixels)) {}
  [[nodiscard]] Pixels& pixels() { return pixels_; }

 private:
  Pixels pixels_;
};
using FileRows = Stored<std::shared_ptr<RowReader>>;
using HostPixels = Stored<Image>;

/// Pixels in host memory.
Picture picture_of(Image image) {
  return {image.width(), image.height(), image.format(), std::make_unique<HostPixels>(std::move(image))};
}

Image& image_of(const Picture& picture) { return static_cast<HostPixels&>(picture.storage()).pixels(); }

/// Rows [begin, end) of an image.
template <class Byte>
BasicView<Byte> rows_of(BasicView<Byte> pixels, int begin, int end) {
  pixels.data = pixels.row_bytes(begin);
  pixels.height = end - begin;
  return pixels;
}

ConstView rows_of(const Picture& picture, int begin, int end) {
  return rows_of(std::as_const(image_of(picture)).view(), begin, end);
}

/// The part of a region inside rows [begin, end), relative to `begin`; nullopt if they do not intersect.
std::optional<Rect> part_of(const Rect& region, int begin, int end) {
  const int first = std::max(region.y, begin);
  const int last = std::min(region.y + region.height, end);
  return first < last ? std::optional(Rect{region.x, first - begin, region.width, last - first}) : std::nullopt;
}

/// Decoders are fastest with multiples of 16 rows, unless rows are very long.
int rows_of_band(int fitting, std::size_t row_bytes, int height) {
  constexpr int kAtOnce = 16;
  constexpr std::size_t kMaxBytes = std::size_t{8} << 20;
  if (fitting >= kAtOnce) {
    return fitting - fitting % kAtOnce;
  }
  const auto at_once = static_cast<int>(std::clamp<std::size_t>(kMaxBytes / row_bytes, 1, kAtOnce));
  return std::min(at_once, height);
}

/// Assembles overlapping strips from rows that arrive from top to bottom.
class OverlappingStrips {
 public:
  /// Receives the input rows of a strip.
  using Take = std::function<void(const StripRows& strip, Image pixels)>;

  /// `first` and `last` must not decrease from strip to strip.
  OverlappingStrips(const std::vector<StripRows>& strips, const BandOutput& to, Take take)
      : strips_(strips), to_(to), take_(std::move(take)) {}

  /// Adds the next rows of the image.
  void add(ConstView rows) {
    for (int from = 0; from < rows.height && index_ < strips_.size();) {
      const StripRows& strip = strips_[index_];
      if (pixels_.empty()) {
        begin_strip();
      }
      const int unused = std::clamp(strip.first - next_, 0, rows.height - from);
      const int count = unused > 0 ? unused : std::min(rows.height - from, strip.last - next_);
      if (unused == 0) {
        copy_rows(rows_of(rows, from, from + count), pixels_.view(), next_ - strip.first);
      }
      from += count;
      next_ += count;
      while (index_ < strips_.size() && strips_[index_].last <= next_) {
        pass_on();
      }
    }
  }

 private:
  /// Copies the rows that the strip shares with the one above.
  void begin_strip() {
    const StripRows& strip = strips_[index_];
    pixels_ = to_.new_rows(strip.last - strip.first);
    if (!above_.empty()) {
      copy_rows(above_.view(), pixels_.view(), 0);
    }
  }

  void pass_on() {
    if (pixels_.empty()) {  // the strip above contained all rows of this strip
      begin_strip();
    }
    const StripRows& strip = strips_[index_];
    above_ = Image();
    if (++index_ < strips_.size() && strips_[index_].first < strip.last) {
      const int kept = strips_[index_].first;
      above_ = Image(pixels_.width(), strip.last - kept, pixels_.format());
      copy_rows(rows_of(std::as_const(pixels_).view(), kept - strip.first, strip.last - strip.first), above_.view(), 0);
    }
    take_(strip, std::exchange(pixels_, Image()));
  }

  const std::vector<StripRows>& strips_;
  const BandOutput& to_;
  Take take_;
  std::size_t index_ = 0;
  Image pixels_;  // of the strip
  Image above_;   // rows that the strip shares with the one above
  int next_ = 0;  // index, in the image, of the next row that add() receives
};

class StripVisit {
 public:
  StripVisit(Backend& backend, const Selection& selection, PhaseTimes* times,
             const std::function<void(const Strip&)>& visit)
      : backend_(backend), selection_(selection), times_(times), visit_(visit) {}

  /// `pixels` is an Image or a view.
  template <class Pixels>
  void operator()(int begin, int end, int halo_above, Pixels&& from) const {
    const Picture pixels = upload(std::forward<Pixels>(from));
    const int first = begin - halo_above;
    std::optional<Picture> mask;
    if (selection_.mask != nullptr) {
      mask.emplace(upload(rows_of(*selection_.mask, first, first + pixels.height())));
    }
    Strip strip{begin, end, halo_above, pixels, selection_, true};
    strip.selection.mask = mask ? &*mask : nullptr;
    if (selection_.region) {
      strip.selection.region = part_of(*selection_.region, first, first + pixels.height());
      strip.is_selected = strip.selection.region.has_value();
    }
    visit_(strip);
  }

 private:
  template <class Pixels>
  Picture upload(Pixels&& from) const {
    const auto uploaded = [&] { return backend_.upload(std::forward<Pixels>(from)); };
    return times_ != nullptr ? times_->measure(Phase::upload, uploaded) : uploaded();
  }

  Backend& backend_;
  const Selection& selection_;
  PhaseTimes* times_;
  const std::function<void(const Strip&)>& visit_;
};

/// Strips of `rows` rows, each with `halo` rows above and below it.
std::vector<StripRows> strips_with_halo(int height, int rows, int halo) {
  std::vector<StripRows> strips;
  for (int begin = 0; begin < height; begin += std::min(rows, height - begin)) {
    const int end = begin + std::min(rows, height - begin);
    strips.push_back({begin, end, begin - std::min(begin, halo), end + std::min(height - end, halo)});
  }
  return strips;
}

/// Calls take(strip, pixels) for strips of a file. Returns false if they are invalid (RowReader::read).
bool read_overlapping(Backend& backend, RowReader& reader, int band_rows, const std::vector<StripRows>& strips,
                      const OverlappingStrips::Take& take) {
  BandOutput to{band_rows, [&](int count) { return backend.new_image(reader.width(), count, reader.format()); }, {}};
  OverlappingStrips overlapping(strips, to, take);
  to.take = [&](const RowBand& band) { overlapping.add(band.rows.view()); };
  return reader.read(to, RowReader::Order::top_down);
}

/// Returns false if the strips are invalid.
bool visit_file(Backend& backend, RowReader& reader, int rows, int band_rows, const StripNeeds& needs,
                const StripVisit& visit) {
  if (needs.halo_rows > 0) {
    const std::vector<StripRows> strips = strips_with_halo(reader.height(), rows, needs.halo_rows);
    return read_overlapping(backend, reader, band_rows, strips, [&](const StripRows& strip, Image pixels) {
      visit(strip.begin, strip.end, strip.begin - strip.first, std::move(pixels));
    });
  }
  const BandOutput to{band_rows, [&](int count) { return backend.new_image(reader.width(), count, reader.format()); },
                      [&](RowBand band) {
                        const int end = band.first + band.rows.height();
                        visit(band.first, end, 0, std::move(band.rows));
                      }};
  return reader.read(to, needs.order);
}

/// Calls `visit` for each strip. `selection.mask` is a Picture in host memory. For a file, `visit` runs on the
/// decoder's threads, one strip at a time. `times`, unless null, records the uploads. Returns false if the strips are
/// invalid.
bool for_strips(Backend& backend, const Picture& picture, const Selection& selection, const StripMemory& memory,
                const StripNeeds& needs, PhaseTimes* times, const std::function<void(const Strip& strip)>& visit) {
  const std::size_t mask_bytes = selection.mask != nullptr ? 1 : 0;
  const std::size_t row_bytes = static_cast<std::size_t>(picture.width()) *
                                (picture.format().bytes_per_pixel() + needs.bytes_per_pixel + mask_bytes);
  const int height = picture.height();
  const auto fitting_in = [&](std::size_t bytes) {
    return static_cast<int>(std::min(bytes / row_bytes, static_cast<std::size_t>(height)));
  };
  const int fitting = fitting_in(needs.halo_rows > 0 ? memory.with_halo : memory.usual);
  const int rows = fitting == height ? fitting : std::max(1, fitting - 2 * needs.halo_rows);
  const StripVisit visit_rows(backend, selection, times, visit);
  if (auto* file = dynamic_cast<FileRows*>(&picture.storage()); file != nullptr) {
    const int band_rows = rows_of_band(fitting_in(memory.usual), row_bytes, height);
    return visit_file(backend, *file->pixels(), rows, band_rows, needs, visit_rows);
  }
  for (int begin = 0; begin < height; begin += std::min(rows, height - begin)) {
    const int end = begin + std::min(rows, height - begin);
    const int halo_above = std::min(needs.halo_rows, begin);
    const int halo_below = std::min(needs.halo_rows, height - end);
    visit_rows(begin, end, halo_above, rows_of(picture, begin - halo_above, end + halo_below));
  }
  return true;
}

/// Receives the rows of a result as they are computed: collects them in memory, or passes them on.
class ResultRows {
 public:
  /// Collects the rows in memory if `take` is null.
  ResultRows(int width, int height, PixelFormat format, const TakeRows& take)
      : width_(width), height_(height), format_(format), take_(take) {
    if (!take_) {
      image_ = Image(width, height, format);
    }
  }

  /// Adds the next rows.
  void put(ConstView rows) {
    if (take_) {
      take_(rows);
    } else {
      copy_rows(rows, image_.view(), next_);
      next_ += rows.height;
    }
  }
  /// Adds rows that fill(to) writes.
  template <class Fill>
  void make(int count, const Fill& fill) {
    if (!take_) {
      fill(rows_of(image_.view(), next_, next_ + count));
      next_ += count;
      return;
    }
    if (scratch_.empty() || scratch_.height() < count) {
      scratch_ = Image(width_, count, format_);
    }
    const View rows = rows_of(scratch_.view(), 0, count);
    fill(rows);
    take_(rows);
  }

  /// Call after the last row. The Picture has no pixels if the rows were passed on.
  Picture picture() { return take_ ? Picture(width_, height_, format_, nullptr) : picture_of(std::move(image_)); }

 private:
  int width_;
  int height_;
  PixelFormat format_;
  const TakeRows& take_;
  Image image_;
  Image scratch_;
  int next_ = 0;
};

void add(std::vector<std::uint64_t>& to, const std::vector<std::uint64_t>& counts) {
  to.resize(std::max(to.size(), counts.size()));
  std::transform(counts.begin(), counts.end(), to.begin(), to.begin(), std::plus<>());
}

/// Adds the sums of the rows above to a strip's sums and writes the table entries; updates `above` for the next strip.
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
    case Sample::u32: return add_above<std::uint32_t, std::uint32_t>;  // modulo 2³², like the sums of the strips
    case Sample::f32: return add_above<std::uint64_t, float>;
    case Sample::f64: return add_above<std::uint64_t, double>;
    default: return add_above<std::uint64_t, std::uint64_t>;
  }
}

/// Counts that are all zero. They stay in memory, together with the tables, until all strips are counted.
LevelCounts counts_of_tiles(std::size_t tiles, std::size_t levels) {
  try {
    return LevelCounts(tiles, std::vector<std::uint64_t>(levels));
  } catch (const std::bad_alloc&) {
    const std::size_t bytes = tiles * levels * (sizeof(std::uint64_t) + sizeof(std::uint16_t));
    throw Error(ErrorKind::out_of_memory, "cannot allocate " + std::to_string(bytes >> 20) + " MB for the tables of " +
                                              std::to_string(tiles) +
                                              " tiles of an image that is computed in strips; use fewer --tiles or "
                                              "--backend cpu");
  }
}

ImageShape shape_of(const Picture& picture) { return {picture.width(), picture.height(), picture.format()}; }

/// An image of one byte per pixel.
Image constant_image(const Picture& like, int value) {
  Image image(like.width(), like.height(), {Sample::u8, 1});
  std::memset(image.view().data, value, image.size_bytes());
  return image;
}

constexpr StripNeeds kCounting{.order = codecs::RowReader::Order::any};

void clear_first_column(View table, std::size_t entry_bytes) {
  for (int y = 0; y < table.height; ++y) {
    std::fill_n(table.row_bytes(y), entry_bytes, std::byte{0});
  }
}

}  // namespace

Picture picture_of(std::shared_ptr<RowReader> rows) {
  return {rows->width(), rows->height(), rows->format(), std::make_unique<FileRows>(std::move(rows))};
}

template <class Visit>
void StripedBackend::visit(const Picture& picture, const Selection& selection, const StripNeeds& needs,
                           const Visit& visit) {
  if (is_void_) {
    return;  // the picture may be a result without pixels
  }
  is_void_ = !for_strips(inner_, picture, selection, memory_, needs, times_, [&](const Strip& strip) {
    times_ != nullptr ? times_->measure(Phase::kernel, [&] { visit(strip); }) : visit(strip);
  });
}

Image StripedBackend::downloaded(Picture picture) {
  const auto download = [&] { return inner_.download(std::move(picture)); };
  return times_ != nullptr ? times_->measure(Phase::download, download) : download();
}

template <class Pixels>
Picture StripedBackend::uploaded(Pixels&& pixels) {
  const auto upload = [&] { return inner_.upload(std::forward<Pixels>(pixels)); };
  return times_ != nullptr ? times_->measure(Phase::upload, upload) : upload();
}

Picture StripedBackend::by_ranges(const Picture& picture, Size size, const std::vector<StripRows>& strips,
                                  const std::function<Picture(const StripRows&, const Picture&)>& operation) {
  ResultRows result(size.width, size.height, picture.format(), take_);
  const auto compute = [&](const StripRows& strip, const Picture& rows) {
    const auto run = [&] { return downloaded(operation(strip, rows)); };
    result.put((times_ != nullptr ? times_->measure(Phase::kernel, run) : run()).view());
  };
  if (auto* file = dynamic_cast<FileRows*>(&picture.storage()); file != nullptr) {
    const std::size_t row = static_cast<std::size_t>(picture.width()) * picture.format().bytes_per_pixel();
    const auto fitting = static_cast<int>(std::min<std::size_t>(memory_.usual / row, INT_MAX));
    is_void_ =
        !read_overlapping(inner_, *file->pixels(), rows_of_band(fitting, row, picture.height()), strips,
                          [&](const StripRows& strip, Image pixels) { compute(strip, uploaded(std::move(pixels))); });
  } else {
    for (const StripRows& strip : strips) {
      compute(strip, uploaded(rows_of(picture, strip.first, strip.last)));
    }
  }
  return is_void_ ? Picture(size.width, size.height, picture.format(), nullptr) : result.picture();
}

Picture StripedBackend::mapped(const Picture& picture, PixelFormat format, const Selection& selection, int halo_rows,
                               const std::function<Picture(const Strip&)>& map, std::size_t scratch_bytes) {
  ResultRows result(picture.width(), picture.height(), format, take_);
  const StripNeeds needs{format.bytes_per_pixel() + scratch_bytes, halo_rows};
  visit(picture, selection, needs, [&](const Strip& strip) {
    const Image rows = downloaded(map(strip));
    result.put(rows_of(rows.view(), strip.halo_above, strip.halo_above + strip.end - strip.begin));
  });
  return is_void_ ? nothing(picture, format) : result.picture();
}

Picture StripedBackend::nothing(const Picture& picture, PixelFormat format) {
  return {picture.width(), picture.height(), format, nullptr};
}

Picture StripedBackend::upload(ConstView pixels) { return picture_of(copy_of(pixels)); }
Picture StripedBackend::upload(Image pixels) { return picture_of(std::move(pixels)); }
Image StripedBackend::download(const Picture& picture) { return is_void_ ? Image() : image_of(picture).clone(); }
Image StripedBackend::download(Picture&& picture) { return is_void_ ? Image() : std::move(image_of(picture)); }

Histogram StripedBackend::histogram_of_strips(const Picture& picture, const HistogramOptions& options) {
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

LevelCounts StripedBackend::counts_of_strips(const Picture& picture, const EqualizeOptions& options) {
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
    const LevelCounts counts = table_counts(picture, options);
    if (is_void_) {
      return nothing(picture, picture.format());
    }
    own = level_tables(options, counts);
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
                                const std::function<Picture(Backend& backend, const Picture& rows)>& operation,
                                std::size_t scratch_bytes) {
  return mapped(
      picture, result, {}, halo_rows, [&](const Strip& strip) { return operation(inner_, strip.picture); },
      scratch_bytes);
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
  const OperationTraits traits = traits_of(options, shape_of(picture));
  return by_rows(
      picture, traits.result.format, traits.halo_rows,
      [&](Backend& backend, const Picture& rows) { return backend.apply(rows, options); }, traits.device_bytes);
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
  if (is_void_) {
    return {};
  }
  ClaheTables tables{grid, 0, std::vector<std::uint16_t>(sums.size() * levels)};
  tbb::parallel_for(std::size_t{0}, sums.size(), [&](std::size_t t) {
    clahe_map(sums[t].data(), static_cast<std::uint32_t>(levels), options, tables.maps.data() + t * levels);
  });
  return tables;
}

Picture StripedBackend::in_strips(const Picture& picture, const ClaheOptions& options) {
  ClaheTables tables = options.tables != nullptr ? *options.tables
                                                 : counted<ClaheTables>([&] { return clahe_tables(picture, options); });
  if (is_void_) {
    return nothing(picture, picture.format());
  }
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

WolfScale StripedBackend::wolf_scale(const Picture& picture, const ThresholdOptions& options, int first_row,
                                     int end_row) {
  check_wolf_scale(picture, options, first_row, end_row);
  const OperationTraits traits = traits_of(options, shape_of(picture));
  ThresholdOptions of_strip = options;
  of_strip.window = window_of(picture.width(), picture.height(), options);
  WolfScale scale;
  visit(picture, options.selection, StripNeeds{traits.device_bytes, traits.halo_rows}, [&](const Strip& strip) {
    const int first = std::max(strip.begin, first_row);
    const int end = std::min(strip.end, end_row);
    if (!strip.is_selected || first >= end) {
      return;
    }
    of_strip.selection = strip.selection;
    const int above = strip.begin - strip.halo_above;
    scale.add(inner_.wolf_scale(strip.picture, of_strip, first - above, end - above));
  });
  return scale;
}

Picture StripedBackend::in_strips(const Picture& picture, const ThresholdOptions& options) {
  const OperationTraits traits = traits_of(options, shape_of(picture));
  ThresholdOptions of_strip = options;
  if (has_window(options.method)) {
    of_strip.window = window_of(picture.width(), picture.height(), options);
    if (looks_first(options)) {
      of_strip.scale = counted<WolfScale>([&] { return wolf_scale(picture, options, 0, picture.height()); });
    }
    if (is_void_) {
      return nothing(picture, traits.result.format);
    }
  } else if (looks_first(options)) {
    const Histogram counted = histogram(picture, counted_for_otsu(options));
    if (is_void_) {
      return nothing(picture, traits.result.format);
    }
    of_strip.levels = otsu_levels(counted.channels.front().counts, options.classes);
  }
  const auto compared = [&](const Strip& strip) {
    if (has_window(options.method) && !strip.is_selected) {  // windows without selected pixels give white
      return inner_.upload(constant_image(strip.picture, options.invert ? 0 : 255));
    }
    of_strip.selection = strip.selection;
    return inner_.apply(strip.picture, of_strip);
  };
  return mapped(picture, traits.result.format, options.selection, traits.halo_rows, compared, traits.device_bytes);
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
  const OperationTraits traits = traits_of(options, shape_of(picture));
  return mapped(picture, traits.result.format, {}, traits.halo_rows, denoised, traits.device_bytes);
}

namespace {

/// The part of an image that becomes these rows of the turned image.
ConstView turned_part(ConstView image, Turn turn, const StripRows& rows) {
  const int side = swaps_sides(turn) ? image.width : image.height;
  const bool is_from_end = turn != Turn::rotate90;
  const int first = is_from_end ? side - rows.end : rows.begin;
  const int count = rows.end - rows.begin;
  if (!swaps_sides(turn)) {
    return rows_of(image, first, first + count);
  }
  image.data += static_cast<std::size_t>(first) * image.format.bytes_per_pixel();
  image.width = count;
  return image;
}

/// How many rows fit into `bytes`: each takes `row` bytes, and a strip takes `beside` bytes more.
int fitting_rows(std::size_t bytes, std::size_t row, std::size_t beside, int height) {
  const std::size_t rows = bytes > beside ? (bytes - beside) / std::max<std::size_t>(row, 1) : 0;
  return static_cast<int>(std::clamp<std::size_t>(rows, 1, static_cast<std::size_t>(height)));
}

/// How many result rows fit into `bytes`. Each needs memory for itself, and for the input and intermediate rows that it
/// adds to a strip. The rows that neighboring result rows share are counted once per strip.
int resize_strip_rows(const Picture& picture, const ResizePlan& plan, const ResizeOptions& options, std::size_t bytes) {
  const std::size_t pixel = picture.format().bytes_per_pixel();
  const std::size_t input_row = static_cast<std::size_t>(picture.width() + plan.place.width) * pixel;
  const RowRange of_one = rows_for(plan, picture.height(), options, plan.place.y, plan.place.y + 1);
  const double scale = static_cast<double>(plan.bottom - plan.top) / plan.place.height;
  const auto of_row = static_cast<std::size_t>(scale * static_cast<double>(input_row));
  const std::size_t shared = 2 * input_row * static_cast<std::size_t>(of_one.end - of_one.begin);
  return fitting_rows(bytes, of_row + static_cast<std::size_t>(plan.width) * pixel, shared, plan.height);
}

}  // namespace

Picture StripedBackend::in_strips(const Picture& picture, const ResizeOptions& options) {
  const ResizePlan plan = resize_plan(picture, options);
  const int rows = resize_strip_rows(picture, plan, options, memory_.with_halo);
  std::vector<StripRows> strips = strips_with_halo(plan.height, rows, 0);
  RowRange before{0, 1};
  for (StripRows& strip : strips) {
    const bool is_bar =
        placed_rows(plan, strip.begin, strip.end).begin == placed_rows(plan, strip.begin, strip.end).end;
    const RowRange needed = is_bar ? before : rows_for(plan, picture.height(), options, strip.begin, strip.end);
    strip.first = needed.begin;
    strip.last = needed.end;
    before = needed;
  }
  return by_ranges(picture, {plan.width, plan.height}, strips, [&](const StripRows& strip, const Picture& input) {
    ResizeOptions of_strip = options;
    of_strip.strip = ResizeStrip{picture.height(), strip.first, strip.begin, strip.end};
    return inner_.apply(input, of_strip);
  });
}

Picture StripedBackend::in_strips(const Picture& picture, const CropOptions& options) {
  const Rect box = crop_box(picture.width(), picture.height(), options);
  const std::size_t row = static_cast<std::size_t>(picture.width() + box.width) * picture.format().bytes_per_pixel();
  std::vector<StripRows> strips = strips_with_halo(box.height, fitting_rows(memory_.usual, row, 0, box.height), 0);
  for (StripRows& strip : strips) {
    strip.first += box.y;
    strip.last += box.y;
  }
  return by_ranges(picture, {box.width, box.height}, strips, [&](const StripRows& strip, const Picture& input) {
    return inner_.apply(input, CropOptions{Rect{box.x, 0, box.width, strip.end - strip.begin}});
  });
}

Picture StripedBackend::in_strips(const Picture& picture, const TurnOptions& options) {
  const Size size = result_size(picture.width(), picture.height(), options);
  const auto turned = [&](const Picture& part) { return inner_.apply(part, options); };
  if (options.turn == Turn::flip_horizontal) {
    return by_rows(picture, picture.format(), 0,
                   [&](Backend& backend, const Picture& part) { return backend.apply(part, options); });
  }
  if (dynamic_cast<FileRows*>(&picture.storage()) != nullptr) {  // the first result row needs the file's last row
    const std::vector<StripRows> all = {{0, size.height, 0, picture.height()}};
    return by_ranges(picture, size, all,
                     [&](const StripRows& /*strip*/, const Picture& input) { return turned(input); });
  }
  const std::size_t row = 2 * static_cast<std::size_t>(size.width) * picture.format().bytes_per_pixel();
  ResultRows result(size.width, size.height, picture.format(), take_);
  for (const StripRows& strip : strips_with_halo(size.height, fitting_rows(memory_.usual, row, 0, size.height), 0)) {
    const Picture part = uploaded(turned_part(rows_of(picture, 0, picture.height()), options.turn, strip));
    result.put(downloaded(turned(part)).view());
  }
  return result.picture();
}

Picture StripedBackend::in_strips(const Picture& picture, const DeskewOptions& options) {
  const std::vector<StripRows> all = {{0, picture.height(), 0, picture.height()}};
  return by_ranges(picture, {picture.width(), picture.height()}, all,
                   [&](const StripRows& /*strip*/, const Picture& input) { return inner_.apply(input, options); });
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
  return is_void_ ? nothing(picture, {type, 1}) : table.picture();
}

}  // namespace gpuimg
