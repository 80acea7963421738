// Runs every operation with every option on one image, on two backends, and compares the results byte by byte.
#pragma once

#include "gpuimg/backend.hpp"
#include "support/test_images.hpp"

namespace gpuimg::test {

/// One image on both backends.
class Pair {
 public:
  Pair(Backend& tested, Backend& reference, const Image& image);

  /// Runs every trial from the list of operations, if the tested backend has the operation.
  void trials() const;

  // Random options and selections.
  void histograms(Random& random) const;
  void equalizations(Random& random) const;
  void clahe(Random& random) const;
  void matches(Random& random) const;
  void integrals(Random& random) const;
  void hsl(Random& random) const;

  void operation(const PictureOperation& options) const;
  void windows(Random& random) const;
  void denoising(Random& random) const;
  /// Runs crops, turns, and this many resizes. 24 resizes cover each filter with each fit. Half of the resizes are
  /// repeated for a strip.
  void geometry(Random& random, int resizes = 24) const;

  void histogram(const HistogramOptions& options) const;
  void equalization(const EqualizeOptions& options) const;
  void clahe(const ClaheOptions& options) const;
  void integral(const IntegralOptions& options) const;
  void to_hsl(HslEncoding encoding) const;
  void from_hsl(HslEncoding encoding, Sample sample) const;
  void adjustment(const HslAdjustment& by) const;

 private:
  /// One selection for both backends; each backend has its own copy of the mask.
  struct Selected {
    std::optional<Picture> tested_mask;
    std::optional<Picture> reference_mask;
    std::optional<Rect> region;
    bool count_transparent = false;
    [[nodiscard]] Selection tested() const {
      return {region, tested_mask ? &*tested_mask : nullptr, count_transparent};
    }
    [[nodiscard]] Selection reference() const {
      return {region, reference_mask ? &*reference_mask : nullptr, count_transparent};
    }
  };
  [[nodiscard]] Selected random_selection(Random& random) const;
  void histogram(const HistogramOptions& options, const Selected& selected) const;
  void equalization(const EqualizeOptions& options, const Selected& selected) const;
  void clahe(const ClaheOptions& options, const Selected& selected) const;
  /// Computes some rows of the result from only those rows of the image on which they depend.
  void strip(ResizeOptions options, Random& random) const;
  void selected_threshold(const ThresholdOptions& options, const Selected& selected) const;
  void expect_same(const Picture& tested, const Picture& reference) const;

  Backend& tested_backend_;
  Backend& reference_backend_;
  Picture tested_;
  Picture reference_;
};

/// Resizes every level with every alpha: along rows, along columns and along both.
void translucent_resizes(Backend& tested, Backend& reference);

}  // namespace gpuimg::test
