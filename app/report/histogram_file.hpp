// Histograms as files for programs: writes CSV and JSON, reads JSON, adds histograms, and writes tables with a row per
// image. docs/operations.md, "Histogram" and "A table of many images".
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "gpuimg/ops/hist.hpp"
#include "report/histogram_report.hpp"

namespace gpuimg {

/// Header `bin,luma`, `bin,r,g,b` …, then one row per bin; rows end in LF. If `bins` is set, a second column `from`
/// holds the smallest value in the bin: a level, degrees for hue, 0 … 1 for saturation and lightness.
std::string to_csv(const HistogramReport& report);

/// One object:
///   schema, tool, operation         1, "gpuimg", "hist"
///   images                          number of images summed; 1 for an image
///   image                           name (U+FFFD for bytes that are not UTF-8), width, height, bits, channels; null
///                                   for a sum
///   options                         channels, luma, transparent, roi ([x, y, width, height] or null), mask, bins (or
///                                   null), range ([first, last]; only if a range is divided into bins), cumulative,
///                                   normalize
///   counted, skipped                pixels
///   histograms[]                    one per channel: channel; unit ("level", "degrees", "fraction"); counts;
///                                   statistics, in the unit (null if nothing was counted; for hue "circular": true,
///                                   circular mean and stddev, and null for min, max, median and percentiles); and
///                                   if bins, cumulative or normalize is set, `values` as the CSV prints them; if
///                                   bins is set, also `from`
/// Whatever the options, `counts` are the original integers, one per level, so that files with the same options can be
/// merged exactly by addition. Integers can exceed 2⁵³. The file contains no version, time or machine name.
std::string to_json(const HistogramReport& report);

/// Mean and standard deviation of each channel as lines of Python, such as `mean = [0.485…, …]`, below a comment that
/// names the image. Values are fractions of V with 8 decimals; values in levels, with 6 decimals, are added if the unit
/// is levels. `None` if no pixel was counted. The report's values must not be circular.
std::string to_summary(const HistogramReport& report);

/// The content of a file of to_json(), for `hist --merge` and `equalize --reference`.
struct HistogramFile {
  Histogram histogram;
  Luma luma = kDefaultLuma;
  bool count_transparent = false;
  std::uint64_t images = 1;
  std::uint64_t pixels = 0;  ///< counted plus skipped
};

/// True if the content can only be JSON: no image format begins like this.
bool looks_like_json(std::span<const std::byte> bytes);

/// `name` appears in messages. Throws Error{decode} if the content is not schema 1 of a histogram, or is inconsistent.
HistogramFile histogram_from_json(std::span<const std::byte> bytes, const std::string& name);

/// Adds histograms exactly: hist --merge.
class HistogramSum {
 public:
  /// `name` appears in messages. Throws Error{unsupported} if the channels or numbers of levels differ from those of
  /// the sum, which then stays unchanged.
  void add(const Histogram& histogram, std::uint64_t images, std::uint64_t pixels, const std::string& name);

  [[nodiscard]] const Histogram& total() const { return total_; }
  [[nodiscard]] std::uint64_t images() const { return images_; }
  [[nodiscard]] std::uint64_t pixels() const { return pixels_; }  ///< counted or not

 private:
  Histogram total_;
  std::uint64_t images_ = 0;
  std::uint64_t pixels_ = 0;
};

/// A table with a row for each image: hist --table.
enum class TableFormat : std::uint8_t { csv, jsonl };

/// The row of an image without its name: comma-separated cells, which a manifest can store. The report's channels are
/// some of luma, r, g, b and a; cells of missing channels are empty.
std::string table_cells(const HistogramReport& report);

/// Makes the cells of a row for all images together, from the sum of their histograms.
class TableTotal {
 public:
  /// Splits the histogram of an image into one histogram per channel, for add(), which then allocates nothing. `name`
  /// appears in messages. Throws Error{unsupported} if the bit depth differs from that of earlier images.
  std::vector<Histogram> prepare(const Histogram& histogram, const std::string& name);
  void add(const std::vector<Histogram>& channels, std::uint64_t pixels);

  [[nodiscard]] std::string cells() const;

 private:
  HistogramSum& sum_of(const Histogram& channel);

  std::vector<HistogramSum> channels_;  ///< one channel each
  std::uint64_t pixels_ = 0;
  std::uint64_t counted_ = 0;
};

/// Parses the columns to write, separated by commas: "name", "folder", "file", "page", or columns of the header. Throws
/// Error{usage} that names --columns. An empty text gives an empty list: all columns of the header.
std::vector<std::string> table_columns(const std::string& text);

/// The line of column names; empty for JSON lines.
std::string table_header(TableFormat format, const std::vector<std::string>& columns = {});

/// One line. `name` may be any bytes: CSV contains them unchanged; JSON lines add `name_hex` if they are not UTF-8.
/// With `columns`, writes only these columns, and a JSON line contains no objects. A name that ends in ", page 3"
/// stands for page 3; page numbers have no leading zeros. Throws Error{decode} if `cells` is not a row of
/// table_cells().
std::string table_row(TableFormat format, const std::string& name, std::string_view cells,
                      const std::vector<std::string>& columns = {});

}  // namespace gpuimg
