// A backend for images larger than another backend's memory, or than the host's: passes strips of rows to that backend
// and puts the results together. Results are identical to those for the whole image.
// docs/decisions/0022-bands-of-rows.md.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "codecs/rows.hpp"
#include "engine/item_report.hpp"
#include "gpuimg/backend.hpp"

namespace gpuimg {

struct Strip;       // in striped_backend.cpp
struct StripNeeds;  // there, too
struct StripRows;

/// The pixels of a file, as a Picture that only a StripedBackend can process.
Picture picture_of(std::shared_ptr<codecs::RowReader> rows);

/// Limits the size of strips.
struct StripMemory {
  StripMemory(std::size_t most) : StripMemory(most, most) {}
  StripMemory(std::size_t most, std::size_t most_with_halo) : usual(most), with_halo(most_with_halo) {}

  std::size_t usual;      ///< most bytes of a strip's input and output, but a strip always has at least one row
  std::size_t with_halo;  ///< the same for a strip with halo rows, which are read again with the next strip
};

class StripedBackend final : public Backend {
 public:
  /// Borrows `inner` and `times`; `times` records the phases of each strip. With `take`, which may be called on any
  /// thread, Picture results have no pixels: their rows go to `take`.
  StripedBackend(Backend& inner, const StripMemory& memory, PhaseTimes* times = nullptr, TakeRows take = nullptr)
      : inner_(inner), memory_(memory), times_(times), take_(std::move(take)) {}

  /// A backend like this one, but with this memory for strips; its results go to `take`.
  [[nodiscard]] StripedBackend with_output(const StripMemory& memory, TakeRows take) const {
    return {inner_, memory, times_, std::move(take)};
  }

  [[nodiscard]] const StripMemory& memory() const { return memory_; }
  void set_memory(const StripMemory& memory) { memory_ = memory; }

  /// Call before each of several identical runs on the same rows: later runs reuse the counts of the first.
  void begin_run() {
    is_repeated_ = true;
    next_count_ = 0;
  }

  [[nodiscard]] BackendKind kind() const override { return inner_.kind(); }
  [[nodiscard]] std::string name() const override { return inner_.name(); }
  [[nodiscard]] bool memory_is_host() const override { return inner_.memory_is_host(); }
  [[nodiscard]] std::string description() const override { return inner_.description() + ", in strips"; }

  void expect_many_images() override { inner_.expect_many_images(); }
  Image new_image(int width, int height, PixelFormat format) override {
    return inner_.new_image(width, height, format);
  }
  /// True once strips of a file have turned out to be invalid (RowReader::read). Results from them are meaningless, and
  /// Picture results have no pixels: the file must be decoded whole.
  [[nodiscard]] bool is_void() const { return is_void_; }

  Picture upload(ConstView pixels) override;
  Picture upload(Image pixels) override;
  Image download(const Picture& picture) override;
  Image download(Picture&& picture) override;

  Histogram histogram(const Picture& picture, const HistogramOptions& options) override {
    return counted<Histogram>([&] { return histogram_of_strips(picture, options); });
  }
  LevelCounts table_counts(const Picture& picture, const EqualizeOptions& options) override {
    return counted<LevelCounts>([&] { return counts_of_strips(picture, options); });
  }
  WolfScale wolf_scale(const Picture& picture, const ThresholdOptions& options, int first_row, int end_row) override;
  using Backend::equalize;
  Picture equalize(const Picture& picture, const EqualizeOptions& options, LevelTables* used = nullptr) override;

  Picture apply(const Picture& picture, const PictureOperation& operation) override;

  /// Runs operation(backend, rows) on strips of rows. A row of its result depends on the same row of the input and on
  /// `halo_rows` rows above and below it, so each strip includes those rows. `scratch_bytes`: memory per pixel
  /// that the operation needs besides input and result.
  Picture by_rows(const Picture& picture, PixelFormat result, int halo_rows,
                  const std::function<Picture(Backend& backend, const Picture& rows)>& operation,
                  std::size_t scratch_bytes = 0);

  void wait() override { inner_.wait(); }
  [[nodiscard]] std::size_t available_bytes() override { return inner_.available_bytes(); }
  double measure_copy_rate(std::size_t bytes) override { return inner_.measure_copy_rate(bytes); }

 private:
  Histogram histogram_of_strips(const Picture& picture, const HistogramOptions& options);
  LevelCounts counts_of_strips(const Picture& picture, const EqualizeOptions& options);

  /// Uses by_rows(). The overloads below are for operations that need more.
  template <class Options>
  Picture in_strips(const Picture& picture, const Options& options);

  /// Strips are summed as integers. The host adds the sums of the strips above and rounds the total.
  SumTable in_strips(const Picture& picture, const IntegralOptions& options);

  /// Combines the histograms of all strips into one threshold, and their scales into one scale. The window size is
  /// chosen for the whole image.
  Picture in_strips(const Picture& picture, const ThresholdOptions& options);

  /// Also converts the progress within a strip to progress within the image.
  Picture in_strips(const Picture& picture, const DenoiseOptions& options);

  /// Computes strips of result rows, each from the input rows that the strip depends on.
  Picture in_strips(const Picture& picture, const ResizeOptions& options);
  Picture in_strips(const Picture& picture, const CropOptions& options);

  /// The same; for a rotation by 90 or 270 degrees, each strip comes from columns of the input.
  Picture in_strips(const Picture& picture, const TurnOptions& options);

  /// Processes the whole image at once: the angle depends on all rows, and pixels move from row to row.
  Picture in_strips(const Picture& picture, const DeskewOptions& options);

  /// In each strip, counts the parts of the tiles as regions. The tables of the tiles then map each strip.
  Picture in_strips(const Picture& picture, const ClaheOptions& options);
  ClaheTables clahe_tables(const Picture& picture, const ClaheOptions& options);

  /// Returns count(), or, in a repeated run, the first run's result.
  template <class Counts>
  Counts counted(const std::function<Counts()>& count) {
    if (next_count_ < known_.size()) {
      return std::get<Counts>(known_[next_count_++]);
    }
    Counts counts = count();
    if (is_repeated_) {
      known_.push_back(counts);
      ++next_count_;
    }
    return counts;
  }

  template <class Visit>
  void visit(const Picture& picture, const Selection& selection, const StripNeeds& needs, const Visit& visit);
  Image downloaded(Picture picture);
  /// A result without pixels.
  static Picture nothing(const Picture& picture, PixelFormat format);
  template <class Pixels>
  Picture uploaded(Pixels&& pixels);

  /// Runs operation(strip, picture of its input rows) on each strip, in order, and puts the results together.
  Picture by_ranges(const Picture& picture, Size result, const std::vector<StripRows>& strips,
                    const std::function<Picture(const StripRows& strip, const Picture& rows)>& operation);
  Picture mapped(const Picture& picture, PixelFormat format, const Selection& selection, int halo_rows,
                 const std::function<Picture(const Strip&)>& map, std::size_t scratch_bytes = 0);

  Backend& inner_;
  StripMemory memory_;
  PhaseTimes* times_;
  TakeRows take_;
  bool is_void_ = false;
  bool is_repeated_ = false;
  std::vector<std::variant<Histogram, LevelCounts, ClaheTables, WolfScale>>
      known_;  ///< counts of the first run, in order
  std::size_t next_count_ = 0;
};

}  // namespace gpuimg
