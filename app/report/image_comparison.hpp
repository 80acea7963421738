// How much two images differ: exact sums, structural similarity, distances of histograms, pictures of the differences,
// and how `compare` prints all that. docs/operations.md, "Comparison", docs/cli.md, "compare".
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

/// The window of SSIM: 7×7 pixels that count alike, or 11×11 whose weights are a Gaussian of deviation 1.5.
enum class SsimWindow : std::uint8_t { box, gaussian };

constexpr int ssim_side(SsimWindow window) { return window == SsimWindow::box ? 7 : 11; }

struct ComparisonOptions {
  std::uint32_t tolerance = 0;    ///< levels
  bool count_transparent = true;  ///< otherwise hidden colors do not count
  bool has_similarity = true;     ///< compute SSIM
  SsimWindow window = SsimWindow::box;
  bool has_histograms = false;  ///< compute HistogramDistances
};

/// Structural similarity (Wang, Bovik, Sheikh and Simoncelli 2004) of two images of the same size and format, from rows
/// of 16-bit samples. Every thread count and instruction set gives the same digits.
class StructuralSimilarity {
 public:
  /// bits: 8 or 16. channels: 1 to 4; each is taken on its own.
  StructuralSimilarity(int width, int height, int channels, int bits, SsimWindow window);

  /// Where the next row of image 0 or 1 belongs, width × channels samples; add_row() takes both rows.
  [[nodiscard]] std::uint16_t* next_row(int image);

  /// is_same: both rows are equal. It saves time.
  void add_row(bool is_same);

  /// What one holds, in bytes.
  static std::uint64_t bytes_of(int width, int height, int channels, int bits, SsimWindow window);

  /// Of each channel, over all windows inside the image. Empty if there is none: the image is smaller than a window.
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
  bool has_windows_;  ///< else the image is smaller than a window
  std::size_t kept_rows_;
  bool is_wide_;  ///< sums need more than 32 bits
  double c1_ = 0.0;
  double c2_ = 0.0;
  std::array<std::vector<std::uint16_t>, 2> ring_;   ///< the last kept_rows_ rows of each image
  std::array<std::vector<std::int32_t>, 4> narrow_;  ///< sums of columns
  std::array<std::vector<double>, 4> wide_;
  std::vector<double> units_;  ///< of a row of windows, in units of 2⁻⁴⁰
  std::array<Units, 4> totals_{};
  std::size_t rows_ = 0;
  std::size_t same_rows_ = 0;  ///< the last rows that were equal
  std::size_t window_rows_ = 0;
  std::size_t same_window_rows_ = 0;
  bool has_sums_ = false;
};

/// Of the levels of one channel, as OpenCV's compareHist has them, over counts.
struct HistogramDistances {
  double correlation = 1.0;
  double chi_square = 0.0;
  double intersection = 0.0;
  double bhattacharyya = 0.0;
  double earth_mover = 0.0;  ///< levels by which a pixel moves, on average
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
  bool same_size = false;  ///< otherwise nothing below is known
  int bits = 8;            ///< of the levels: those of the deeper image
  std::uint64_t pixels = 0;
  std::uint64_t differing = 0;  ///< pixels with a channel that differs by more than the tolerance
  std::vector<ChannelDifference> channels;
  double mean_squared_error = 0.0;  ///< over all channels
  double psnr_db = 0.0;             ///< 10·log10(V² / mean squared error); infinite without a difference
  std::optional<double> ssim;       ///< the mean of the channels; nothing if the image is smaller than the window
  std::optional<FirstDifference> first;

  [[nodiscard]] bool is_equal() const { return same_size && differing == 0; }
  [[nodiscard]] std::uint32_t greatest() const;  ///< of all channels, in levels
};

/// Compares photographic pixels (u8 or u16, 1 to 4 channels). Formats that differ are first brought to one, without
/// loss: gray to RGB, 8 bits to 16 as v · 257, missing alpha as opaque.
ImageComparison compare_images(ConstView a, ConstView b, const ComparisonOptions& options);

/// What compare_images() holds beside two images of this size, in bytes: rows, sums of columns, and counts.
std::uint64_t comparison_bytes(int width, int height, PixelFormat a, PixelFormat b, const ComparisonOptions& options);

/// Both images in pale gray, and the pixels that differ in red, the stronger the greater their difference: RGB of 8
/// bits. The images have the same size, here and below; `comparison` is theirs.
Image difference_picture(ConstView a, ConstView b, const ComparisonOptions& options, const ImageComparison& comparison);

/// |a − b| · factor of each color, at most V; the difference of alpha raises those of all colors.
Image amplified_difference(ConstView a, ConstView b, const ComparisonOptions& options, std::uint32_t factor);

/// A, B and `third` beside each other, as RGB of 8 bits, on white, 8 pixels apart.
Image side_by_side(ConstView a, ConstView b, ConstView third);

/// What two images must keep to be alike enough. Without any limit they must be equal.
struct ComparisonLimits {
  std::optional<std::uint64_t> differing;   ///< at most so many pixels
  std::optional<double> differing_percent;  ///< at most so many percent of them
  std::optional<double> min_psnr_db;
  std::optional<double> min_ssim;

  [[nodiscard]] bool any() const { return differing || differing_percent || min_psnr_db || min_ssim; }

  /// The limits that do not hold, as in "SSIM 0.912 is below 0.95"; empty if all do. The images have the same size.
  /// Throws Error{unsupported} with a clause if SSIM has a limit, and the images are too small for it.
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

/// Six decimals, rounded down, so that only equal images have 1.
std::string ssim_text(double ssim);

/// Several lines that end in LF.
std::string comparison_text(const ComparedPair& pair);

/// One line, for a pair of many.
std::string comparison_line(const ComparedPair& pair);

enum class ComparisonJson : std::uint8_t { block, line };
std::string comparison_json(const ComparedPair& pair, ComparisonJson layout);

/// Two files of which at least one has several pages.
struct ComparedFiles {
  std::string a;
  std::string b;
  std::uint32_t pages_of_a = 0;
  std::uint32_t pages_of_b = 0;
  std::uint32_t tolerance = 0;
  std::vector<ComparedPair> pages;  ///< those that both files have, from the first on

  [[nodiscard]] std::size_t differing() const;  ///< pages that do not pass
  [[nodiscard]] bool passes() const { return pages_of_a == pages_of_b && differing() == 0; }
};

/// A line for each page that differs, or for each page, and lines with the verdict.
std::string comparison_text(const ComparedFiles& files, bool shows_equal_pages);
std::string comparison_json(const ComparedFiles& files);

/// The line of a file that has no partner in the other folder: side is 'a' or 'b'.
std::string unpaired_json(const std::string& name, char side);

/// The same pairs as CSV: a header, a row for each pair, and one for each file without a partner. Lines end in LF.
std::string comparison_csv_header();
std::string comparison_csv(const ComparedPair& pair);
std::string unpaired_csv(const std::string& name, char side);

}  // namespace gpuimg
