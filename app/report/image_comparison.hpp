// Measures how much two images differ: exact sums, structural similarity, histogram distances and pictures of the
// differences; and prints the results of `compare`. docs/operations.md, "Comparison"; docs/cli.md, "compare".
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "gpuimg/image.hpp"
#include "report/histogram_report.hpp"

namespace gpuimg {

/// The window of SSIM: 7×7 pixels with equal weights, or 11×11 with Gaussian weights of deviation 1.5.
enum class SsimWindow : std::uint8_t { box, gaussian };

constexpr int ssim_side(SsimWindow window) { return window == SsimWindow::box ? 7 : 11; }

struct ComparisonOptions {
  std::uint32_t tolerance = 0;    ///< levels
  bool count_transparent = true;  ///< compare colors of fully transparent pixels too
  bool has_similarity = true;     ///< compute SSIM
  SsimWindow window = SsimWindow::box;
  bool has_histograms = false;  ///< compute HistogramDistances
};

/// Structural similarity (Wang, Bovik, Sheikh and Simoncelli 2004) of two images of the same size and format, from rows
/// of 16-bit samples. The result is identical for every thread count and instruction set.
class StructuralSimilarity {
 public:
  /// bits: 8 or 16. channels: 1 to 4; each is measured separately.
  StructuralSimilarity(int width, int height, int channels, int bits, SsimWindow window);

  /// The buffer for the next row of image 0 or 1, width × channels samples. Fill both buffers, then call add_row().
  [[nodiscard]] std::uint16_t* next_row(int image);

  /// Adds the rows in both buffers. is_same: the rows are equal, which saves time.
  void add_row(bool is_same);

  /// The memory of one object, in bytes.
  static std::uint64_t bytes_of(int width, int height, int channels, int bits, SsimWindow window);

  /// The mean SSIM of each channel over all windows inside the image. Empty if the image is smaller than a window.
  [[nodiscard]] std::vector<double> means() const;

 private:
  __extension__ using Units = __int128;

  [[nodiscard]] std::size_t windows_in_row() const {
    const std::size_t width = row_samples_ / channels_;
    return width < side_ || !has_windows_ ? 0 : width - side_ + 1;
  }
  [[nodiscard]] std::uint16_t* row(int image, std::size_t y);
  template <class Sum>
  void add_box_row(std::array<std::vector<Sum>, 4>& sums);
  void add_gaussian_row();
  void add_units();

  SsimWindow window_;
  std::size_t side_;
  std::size_t channels_;
  std::size_t row_samples_;
  bool has_windows_;  ///< false if the image is smaller than a window
  std::size_t kept_rows_;
  bool is_wide_;  ///< sums need more than 32 bits
  double c1_ = 0.0;
  double c2_ = 0.0;
  std::array<std::vector<std::uint16_t>, 2> ring_;   ///< the last kept_rows_ rows of each image
  std::array<std::vector<std::int32_t>, 4> narrow_;  ///< column sums
  std::array<std::vector<double>, 4> wide_;
  std::vector<double> units_;  ///< SSIM of a row of windows, in units of 2⁻⁴⁰
  std::array<Units, 4> totals_{};
  std::size_t rows_ = 0;
  std::size_t same_rows_ = 0;  ///< number of consecutive equal rows up to the latest row
  std::size_t window_rows_ = 0;
  std::size_t same_window_rows_ = 0;
  bool has_sums_ = false;
};

/// Distances between the level counts of one channel, as defined by OpenCV's compareHist.
struct HistogramDistances {
  double correlation = 1.0;
  double chi_square = 0.0;
  double intersection = 0.0;
  double bhattacharyya = 0.0;
  double earth_mover = 0.0;  ///< average number of levels by which a pixel moves
};

struct ChannelDifference {
  std::string_view name;       ///< "gray", "r", "g", "b" or "a"
  std::uint32_t greatest = 0;  ///< in levels
  double mean = 0.0;           ///< of the absolute differences, over all pixels
  std::optional<double> ssim = {};
  std::optional<HistogramDistances> histogram = {};
};

/// The first differing pixel in reading order, with the values of both images.
struct FirstDifference {
  int x = 0;
  int y = 0;
  std::vector<std::uint16_t> a;
  std::vector<std::uint16_t> b;
};

struct ImageComparison {
  bool same_size = false;  ///< if false, only `bits` of the members below is set
  int bits = 8;            ///< bit depth of the levels: that of the deeper image
  std::uint64_t pixels = 0;
  std::uint64_t differing = 0;  ///< pixels with a channel that differs by more than the tolerance
  std::vector<ChannelDifference> channels;
  double mean_squared_error = 0.0;  ///< over all channels
  double psnr_db = 0.0;             ///< 10·log10(V² / mean squared error); infinite without a difference
  std::optional<double> ssim;       ///< mean of the channels; nothing if the image is smaller than a window
  std::optional<FirstDifference> first;

  [[nodiscard]] bool is_equal() const { return same_size && differing == 0; }
  [[nodiscard]] std::uint32_t greatest() const;  ///< greatest difference of all channels, in levels
};

/// Compares photographic pixels (u8 or u16, 1 to 4 channels). Different formats are first converted to a common one
/// without loss: gray to RGB, 8 bits to 16 bits as v · 257, missing alpha to opaque.
ImageComparison compare_images(ConstView a, ConstView b, const ComparisonOptions& options);

/// The memory of compare_images() in bytes, without the two images: rows, column sums and counts.
std::uint64_t comparison_bytes(int width, int height, PixelFormat a, PixelFormat b, const ComparisonOptions& options);

/// An 8-bit RGB picture: both images in pale gray, and differing pixels in red, stronger for greater differences. Here
/// and below, the images have the same size; `comparison` is the result for them.
Image difference_picture(ConstView a, ConstView b, const ComparisonOptions& options, const ImageComparison& comparison);

/// |a − b| · factor for each color, at most V. A difference of alpha increases all colors.
Image amplified_difference(ConstView a, ConstView b, const ComparisonOptions& options, std::uint32_t factor);

/// `a`, `b` and `third` side by side on white, 8 pixels apart, as 8-bit RGB.
Image side_by_side(ConstView a, ConstView b, ConstView third);

/// The limits for two images to count as alike. Without limits, they must be equal.
struct ComparisonLimits {
  std::optional<std::uint64_t> differing;   ///< maximum number of pixels that differ
  std::optional<double> differing_percent;  ///< maximum percentage of pixels that differ
  std::optional<double> min_psnr_db;
  std::optional<double> min_ssim;

  [[nodiscard]] bool any() const { return differing || differing_percent || min_psnr_db || min_ssim; }

  /// The limits that are broken, such as "SSIM 0.912 is below 0.95"; empty if none is. The images have the same size.
  /// Throws Error{unsupported} with a clause if there is a limit for SSIM, but the images are too small for SSIM.
  [[nodiscard]] std::string broken_by(const ImageComparison& comparison) const;
};

struct ComparedPair {
  ImageFacts a;
  ImageFacts b;
  std::uint32_t tolerance = 0;
  ImageComparison comparison;
  bool has_limits = false;         ///< ComparisonLimits::any
  std::string broken_limits = {};  ///< ComparisonLimits::broken_by
  std::string picture = {};        ///< the file that shows the differences; empty if there is none
  std::uint32_t amplified = 0;     ///< the factor of amplified_difference(); 0: difference_picture()

  [[nodiscard]] bool passes() const {
    return has_limits ? comparison.same_size && broken_limits.empty() : comparison.is_equal();
  }
};

/// SSIM with six decimals, rounded down so that only equal images get 1.
std::string ssim_text(double ssim);

/// Several lines that end in LF.
std::string comparison_text(const ComparedPair& pair);

/// One line, for a pair of many.
std::string comparison_line(const ComparedPair& pair);

enum class ComparisonJson : std::uint8_t { block, line };
std::string comparison_json(const ComparedPair& pair, ComparisonJson layout);

/// Two files; at least one has several pages.
struct ComparedFiles {
  std::string a;
  std::string b;
  std::uint32_t pages_of_a = 0;
  std::uint32_t pages_of_b = 0;
  std::uint32_t tolerance = 0;
  std::vector<ComparedPair> pages;  ///< pages that both files have, from the first on

  [[nodiscard]] std::size_t differing() const;  ///< pages that do not pass
  [[nodiscard]] bool passes() const { return pages_of_a == pages_of_b && differing() == 0; }
};

/// A line for each differing page (or for each page), then lines with the verdict.
std::string comparison_text(const ComparedFiles& files, bool shows_equal_pages);
std::string comparison_json(const ComparedFiles& files);

/// The line for a file without a partner in the other folder. side: 'a' or 'b'.
std::string unpaired_json(const std::string& name, char side);

/// CSV: a header, a row for each pair, and a row for each file without a partner. Lines end in LF.
std::string comparison_csv_header();
std::string comparison_csv(const ComparedPair& pair);
std::string unpaired_csv(const std::string& name, char side);

}  // namespace gpuimg
