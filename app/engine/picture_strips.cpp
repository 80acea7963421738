// Strips of pixels in memory are views; those of a file are the bands of its decoder, or put together from them if
// they have halo rows.
#include "engine/picture_strips.hpp"

#include <algorithm>
#include <optional>
#include <utility>

namespace gpuimg {
namespace {

using codecs::BandOutput;
using codecs::RowBand;
using codecs::RowReader;

class FileRows final : public Picture::Storage {
 public:
  explicit FileRows(std::shared_ptr<RowReader> reader) : reader_(std::move(reader)) {}
  [[nodiscard]] RowReader& reader() { return *reader_; }

 private:
  std::shared_ptr<RowReader> reader_;
};

class HostPixels final : public Picture::Storage {
 public:
  explicit HostPixels(Image image) : image_(std::move(image)) {}
  [[nodiscard]] Image& image() { return image_; }

 private:
  Image image_;
};

ConstView rows_of(const Picture& picture, int begin, int end) {
  return rows_of(std::as_const(image_of(picture)).view(), begin, end);
}

/// The part of a region inside rows [begin, end), relative to `begin`; nullopt if they do not intersect.
std::optional<Rect> part_of(const Rect& region, int begin, int end) {
  const int first = std::max(region.y, begin);
  const int last = std::min(region.y + region.height, end);
  return first < last ? std::optional(Rect{region.x, first - begin, region.width, last - first}) : std::nullopt;
}

/// Decoders are fastest with multiples of 16 rows, if these are not too long.
int rows_of_band(int fitting, std::size_t row_bytes, int height) {
  constexpr int kAtOnce = 16;
  constexpr std::size_t kMaxBytes = std::size_t{8} << 20;
  if (fitting >= kAtOnce) {
    return fitting - fitting % kAtOnce;
  }
  const auto at_once = static_cast<int>(std::clamp<std::size_t>(kMaxBytes / row_bytes, 1, kAtOnce));
  return std::min(at_once, height);
}

/// Strips with halo rows, put together from rows that come from top to bottom.
class HaloStrips {
 public:
  /// Receives the pixels of rows [begin, end) with `halo_above` rows above them, and those below.
  using Take = std::function<void(int begin, int end, int halo_above, Image pixels)>;

  HaloStrips(int height, int rows, int halo, const BandOutput& to, Take take)
      : height_(height), rows_(rows), halo_(halo), to_(to), take_(std::move(take)) {}

  /// The next rows of the image.
  void add(ConstView rows) {
    for (int from = 0; from < rows.height;) {
      if (pixels_.empty()) {
        begin_strip();
      }
      const int count = std::min(rows.height - from, last_ - next_);
      copy_rows(gpuimg::rows_of(rows, from, from + count), pixels_.view(), next_ - first_);
      from += count;
      next_ += count;
      if (next_ == last_) {
        pass_on();
      }
    }
    while (next_ == height_ && begin_ < height_) {  // strips whose rows were the halo of the one above
      begin_strip();
      pass_on();
    }
  }

 private:
  [[nodiscard]] int end() const { return std::min(height_ - begin_, rows_) + begin_; }

  /// Takes the rows over that the strip above has had too.
  void begin_strip() {
    const int first = begin_ - std::min(begin_, halo_);
    last_ = end() + std::min(height_ - end(), halo_);
    pixels_ = to_.new_rows(last_ - first);
    if (!above_.empty()) {
      copy_rows(above_.view(), pixels_.view(), 0);
    }
    first_ = first;
  }

  void pass_on() {
    const int strip_end = end();
    const int kept = strip_end - std::min(strip_end, halo_);  // the first row that the next strip needs
    above_ = Image();
    if (strip_end < height_) {
      above_ = Image(pixels_.width(), last_ - kept, pixels_.format());
      copy_rows(gpuimg::rows_of(std::as_const(pixels_).view(), kept - first_, last_ - first_), above_.view(), 0);
    }
    take_(begin_, strip_end, begin_ - first_, std::exchange(pixels_, Image()));
    begin_ = strip_end;
  }

  int height_;
  int rows_;
  int halo_;
  const BandOutput& to_;
  Take take_;
  Image pixels_;   // of the strip, rows [first_, last_) of the image
  Image above_;    // what the strip above shares with the next
  int begin_ = 0;  // of the strip
  int first_ = 0;
  int last_ = 0;
  int next_ = 0;  // row of the image
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
    std::optional<Picture> mask;
    if (selection_.mask != nullptr) {
      mask.emplace(upload(rows_of(*selection_.mask, begin, end)));
    }
    Strip strip{begin, end, halo_above, pixels, selection_, true};
    strip.selection.mask = mask ? &*mask : nullptr;
    if (selection_.region) {
      strip.selection.region = part_of(*selection_.region, begin, end);
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

void visit_file(Backend& backend, RowReader& reader, int rows, int band_rows, const StripNeeds& needs,
                const StripVisit& visit) {
  BandOutput to{band_rows, [&](int count) { return backend.new_image(reader.width(), count, reader.format()); },
                [&](RowBand band) {
                  const int end = band.first + band.rows.height();
                  visit(band.first, end, 0, std::move(band.rows));
                }};
  HaloStrips strips(reader.height(), rows, needs.halo_rows, to, [&](int begin, int end, int halo_above, Image pixels) {
    visit(begin, end, halo_above, std::move(pixels));
  });
  const bool has_halo = needs.halo_rows > 0;
  if (has_halo) {
    to.take = [&](const RowBand& band) { strips.add(band.rows.view()); };
  }
  if (!reader.read(to, has_halo ? RowReader::Order::top_down : needs.order)) {
    throw VoidStrips();
  }
}

}  // namespace

Picture picture_of(Image image) {
  const int width = image.width();
  const int height = image.height();
  const PixelFormat format = image.format();
  return {width, height, format, std::make_unique<HostPixels>(std::move(image))};
}

Picture picture_of(std::shared_ptr<RowReader> rows) {
  const int width = rows->width();
  const int height = rows->height();
  const PixelFormat format = rows->format();
  return {width, height, format, std::make_unique<FileRows>(std::move(rows))};
}

Image& image_of(const Picture& picture) { return static_cast<HostPixels&>(picture.storage()).image(); }

void copy_rows(ConstView from, View to, int first_row) {
  for (int y = 0; y < from.height; ++y) {
    std::copy_n(from.row_bytes(y), from.tight_pitch_bytes(), to.row_bytes(first_row + y));
  }
}

void for_strips(Backend& backend, const Picture& picture, const Selection& selection, const StripMemory& memory,
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
    return visit_file(backend, file->reader(), rows, band_rows, needs, visit_rows);
  }
  for (int begin = 0; begin < height; begin += std::min(rows, height - begin)) {
    const int end = begin + std::min(rows, height - begin);
    const int halo_above = std::min(needs.halo_rows, begin);
    const int halo_below = std::min(needs.halo_rows, height - end);
    visit_rows(begin, end, halo_above, rows_of(picture, begin - halo_above, end + halo_below));
  }
}

}  // namespace gpuimg
