// Histograms as files for programs: written as CSV and JSON, read again, added, and as rows of a table of many images.
// docs/operations.md, "Histogram" and "A table of many images".
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
///                                   null), cumulative, normalize
///   counted, skipped                pixels
///   histograms[]                    one per channel: channel; unit ("level", "degrees", "fraction"); counts;
///                                   statistics, in the unit (null if nothing was counted; for hue "circular": true,
///                                   circular mean and stddev, and null for min, max, median and percentiles); and
///                                   if bins, cumulative or normalize is set, values as the CSV prints them; with
///                                   bins also from
/// `counts` are always the integers as counted, one per level, for any options: files with the same options are merged
/// exactly by adding them. Integers can exceed 2⁵³. No version, time or machine is included.
std::string to_json(const HistogramReport& report);

/// Mean and standard deviation of each channel in lines that Python reads, as `mean = [0.485…, …]`: as fractions of V
/// with 8 decimals, and of levels also in levels with 6, below a comment that says of what. None if nothing was
/// counted. The report's values must not be circular.
std::string to_summary(const HistogramReport& report);

/// What to_json() wrote, read again for `hist --merge` and `equalize --reference`.
struct HistogramFile {
  Histogram histogram;
  Luma luma = kDefaultLuma;
  bool count_transparent = false;
  std::uint64_t images = 1;
  std::uint64_t pixels = 0;  ///< counted and skipped together
};

/// True if the content can only be JSON: no image format begins like this.
bool looks_like_json(std::span<const std::byte> bytes);

/// `name` appears in messages. Throws Error{decode} if the content is not schema 1 of a histogram, or is inconsistent.
HistogramFile histogram_from_json(std::span<const std::byte> bytes, const std::string& name);

/// Adds histograms exactly: hist --merge.
class HistogramSum {
 public:
  /// `name` appears in messages. Throws Error{unsupported} if the channels or their numbers of levels differ from those
  /// added before; the sum is then unchanged.
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
enum class TableForm : std::uint8_t { csv, jsonl };

/// The row of an image without its name, in a form that a manifest can keep: cells with commas between. The report's
/// channels are among luma, r, g, b and a; those that it lacks are empty cells.
std::string table_cells(const HistogramReport& report);

/// The cells of a row for all images together: sums of the histograms that were added.
class TableTotal {
 public:
  /// Of an image, a histogram of each channel, for add(), which then needs no memory. `name` appears in messages.
  /// Throws Error{unsupported} for another bit depth than that of the images before.
  std::vector<Histogram> prepare(const Histogram& histogram, const std::string& name);
  void add(const std::vector<Histogram>& channels, std::uint64_t pixels);

  [[nodiscard]] std::string cells() const;

 private:
  HistogramSum& sum_of(const Histogram& channel);

  std::vector<HistogramSum> channels_;  ///< of one channel each
  std::uint64_t pixels_ = 0;
  std::uint64_t counted_ = 0;
};

/// Columns to write: "name", "folder", "file", "page", or those of the header, separated by commas. Throws Error{usage}
/// that names --columns. Empty for an empty text: all columns of the header.
std::vector<std::string> table_columns(const std::string& text);

/// The line of column names; empty for JSON lines.
std::string table_header(TableForm form, const std::vector<std::string>& columns = {});

/// One line. `name` is any bytes: CSV has them as they are, JSON lines add `name_hex` if they are not UTF-8. Throws
/// Error{decode} if `cells` are not those of a row.
/// With `columns`, those alone; a JSON line then has no objects inside. A name that ends in ", page 3" has the page 3;
/// no page has a leading zero.
std::string table_row(TableForm form, const std::string& name, std::string_view cells,
                      const std::vector<std::string>& columns = {});

}  // namespace gpuimg
