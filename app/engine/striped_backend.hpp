// A backend for images larger than another backend's memory, or than the host's. Keeps Pictures in host memory, or
// reads them from a file each time that an operation visits their rows, and passes them on in strips of rows; the
// results are identical. docs/decisions/0022-bands-of-rows.md.
#pragma once

#include <cstddef>
#include <exception>
#include <functional>
#include <memory>
#include <string>
#include <utility>

#include "codecs/row_reader.hpp"
#include "gpuimg/backend.hpp"

namespace gpuimg {

/// Thrown if the strips of a file are void (RowReader::read): the file must be decoded whole.
class VoidStrips : public std::exception {};

/// The rows of a file, for operations of a StripedBackend alone. An operation on a neighborhood (halo rows) finds them
/// void.
Picture picture_of(std::shared_ptr<codecs::RowReader> rows);

/// Receives the rows of a result, from top to bottom and without padding.
using TakeRows = std::function<void(ConstView rows)>;

class StripedBackend final : public Backend {
 public:
  /// Cuts strips so that the input and output of an operation take at most `most_bytes` of the memory of `inner`; a
  /// strip has at least one row. Borrows `inner`. With `take`, which may be called on any thread, results that are
  /// Pictures have no pixels: their rows go there.
  StripedBackend(Backend& inner, std::size_t most_bytes, TakeRows take = nullptr)
      : inner_(inner), most_bytes_(most_bytes), take_(std::move(take)) {}

  [[nodiscard]] BackendKind kind() const override { return inner_.kind(); }
  [[nodiscard]] std::string name() const override { return inner_.name(); }
  [[nodiscard]] bool memory_is_host() const override { return inner_.memory_is_host(); }
  [[nodiscard]] std::string description() const override { return inner_.description() + ", in strips"; }

  Image new_image(int width, int height, PixelFormat format) override {
    return inner_.new_image(width, height, format);
  }
  Picture upload(ConstView pixels) override;
  Picture upload(Image pixels) override;
  Image download(const Picture& picture) override;
  Image download(Picture&& picture) override;

  Histogram histogram(const Picture& picture, const HistogramOptions& options) override;
  LevelCounts table_counts(const Picture& picture, const EqualizeOptions& options) override;
  using Backend::equalize;
  Picture equalize(const Picture& picture, const EqualizeOptions& options, LevelTables* used = nullptr) override;

  Picture apply(const Picture& picture, const PictureOperation& operation) override;

  /// Runs operation(rows) on strips of rows. A row of its result depends on the same row of the input and on
  /// `halo_rows` rows above and below it, so each strip is handed over with those. `scratch_bytes`: what the operation
  /// takes for a pixel, beside input and result.
  Picture by_rows(const Picture& picture, PixelFormat result, int halo_rows,
                  const std::function<Picture(const Picture& rows)>& operation, std::size_t scratch_bytes = 0);

  void wait() override { inner_.wait(); }
  [[nodiscard]] std::size_t available_bytes() override { return inner_.available_bytes(); }
  double measure_copy_rate(std::size_t bytes) override { return inner_.measure_copy_rate(bytes); }

 private:
  /// By rows, unless an operation has a rule of its own.
  template <class Options>
  Picture in_strips(const Picture& picture, const Options& options);

  /// Strips are summed as integers. The host adds the sums of the strips above and rounds the total.
  SumTable in_strips(const Picture& picture, const IntegralOptions& options);

  /// The histograms of all strips give one threshold; windows have the size that the whole image gives them.
  Picture in_strips(const Picture& picture, const ThresholdOptions& options);

  /// By rows; the progress of a strip is that of its part of the image.
  Picture in_strips(const Picture& picture, const DenoiseOptions& options);

  /// The tiles' parts in each strip are counted as regions; their tables then map each strip.
  Picture in_strips(const Picture& picture, const ClaheOptions& options);
  ClaheTables clahe_tables(const Picture& picture, const ClaheOptions& options);

  /// Rows [begin, end) of a picture; the mask of its Selection is on the inner backend.
  struct Strip;
  using Order = codecs::RowReader::Order;
  template <class Visit>
  void for_strips(const Picture& picture, std::size_t more_bytes_a_pixel, const Selection& selection, int halo_rows,
                  Order order, const Visit& visit);
  template <class Visit>
  void visit_strip(int begin, int end, int halo_above, const Picture& pixels, const Selection& selection,
                   const Visit& visit);
  Picture mapped(const Picture& picture, PixelFormat format, const Selection& selection, int halo_rows,
                 const std::function<Picture(const Strip&)>& map, std::size_t scratch_bytes = 0);

  Backend& inner_;
  std::size_t most_bytes_;
  TakeRows take_;
};

}  // namespace gpuimg
