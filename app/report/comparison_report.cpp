// The output of `compare`: text, JSON, and the table of a run over folders. docs/cli.md, "compare".
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "report/image_comparison.hpp"
#include "text/json.hpp"
#include "text/number_text.hpp"
#include "text/printable_name.hpp"

namespace gpuimg {
namespace {

using Layout = JsonWriter::Layout;

std::string size_text(const ImageFacts& image) { return fmt::format("{}x{}", image.width, image.height); }

std::string names_text(const ComparedPair& pair) {
  return fmt::format("{} and {}", printable_name(pair.a.name), printable_name(pair.b.name));
}

std::string within_text(const ComparedPair& pair) {
  return pair.tolerance == 0 ? "" : fmt::format(" by more than {}", pair.tolerance);
}

/// A mean in levels: two decimals from 1 up, else three significant digits. "0" means exactly 0.
std::string mean_text(double mean) {
  return mean == 0.0 ? "0" : mean >= 1.0 ? fmt::format("{:.2f}", mean) : fmt::format("{:.3g}", mean);
}

std::string psnr_text(const ImageComparison& comparison) {
  return std::isinf(comparison.psnr_db) ? "infinite" : fmt::format("{:.2f} dB", comparison.psnr_db);
}

/// ", SSIM 0.998", or nothing.
std::string ssim_clause(const ImageComparison& comparison) {
  return comparison.ssim ? fmt::format(", SSIM {}", ssim_text(*comparison.ssim)) : "";
}

/// ": SSIM 0.912 is below 0.95", or nothing.
std::string broken_text(const ComparedPair& pair) {
  return pair.broken_limits.empty() ? "" : ": " + pair.broken_limits;
}

std::string share_text(const ImageComparison& comparison) {
  return percent(static_cast<double>(comparison.differing) / static_cast<double>(comparison.pixels));
}

std::string histogram_text(const ChannelDifference& channel) {
  const HistogramDistances& distances = *channel.histogram;
  return fmt::format(
      "  {:<4}  histograms: correlation {:.6f}, chi-square {}, intersection {}, Bhattacharyya {:.6f}, "
      "earth mover {}\n",
      channel.name, distances.correlation, rounded(distances.chi_square),
      grouped(static_cast<std::uint64_t>(distances.intersection)), distances.bhattacharyya,
      mean_text(distances.earth_mover));
}

std::string verdict(const ComparedPair& pair) {
  const ImageComparison& comparison = pair.comparison;
  if (!comparison.same_size) {
    return fmt::format("differ in size: {} and {}", size_text(pair.a), size_text(pair.b));
  }
  if (!comparison.is_equal()) {
    return !pair.has_limits ? "differ" : pair.passes() ? "differ within the limits" : "differ beyond the limits";
  }
  const std::string equal =
      pair.tolerance == 0 ? "are equal" : fmt::format("are equal within a tolerance of {}", pair.tolerance);
  return pair.passes() ? equal : equal + ", but beyond the limits";
}

std::string first_text(const FirstDifference& first) {
  return fmt::format("{},{}: {} and {}", first.x, first.y, fmt::join(first.a, " "), fmt::join(first.b, " "));
}

void write_facts(JsonWriter& json, std::string_view key, const ImageFacts& image) {
  const auto number = [&](std::string_view name, int value) {
    json.key(name).integer(static_cast<std::uint64_t>(value));
  };
  json.key(key).begin_object(Layout::line).key("name").text(image.name);
  number("width", image.width);
  number("height", image.height);
  number("bits", image.bits);
  number("channels", image.channels);
  json.end();
}

void write_values(JsonWriter& json, std::string_view key, const std::vector<std::uint16_t>& values) {
  json.key(key).begin_array(Layout::line);
  for (const std::uint16_t value : values) {
    json.integer(value);
  }
  json.end();
}

void write_first(JsonWriter& json, const std::optional<FirstDifference>& first) {
  json.key("first");
  if (!first) {
    json.null();
    return;
  }
  json.begin_object(Layout::line);
  json.key("x").integer(static_cast<std::uint64_t>(first->x));
  json.key("y").integer(static_cast<std::uint64_t>(first->y));
  write_values(json, "a", first->a);
  write_values(json, "b", first->b);
  json.end();
}

/// Writes null if there is no value.
void write_optional(JsonWriter& json, std::string_view key, const std::optional<double>& value) {
  json.key(key);
  value ? json.real(*value) : json.null();
}

void write_distances(JsonWriter& json, const HistogramDistances& distances) {
  json.key("histogram").begin_object(Layout::line).key("correlation").real(distances.correlation);
  json.key("chi_square").real(distances.chi_square).key("intersection").real(distances.intersection);
  json.key("bhattacharyya").real(distances.bhattacharyya).key("earth_mover").real(distances.earth_mover).end();
}

void write_picture(JsonWriter& json, const ComparedPair& pair) {
  json.key("picture").begin_object(Layout::line).key("name").text(pair.picture);
  if (pair.amplified > 0) {
    json.key("amplified").integer(pair.amplified).end();
    return;
  }
  json.key("gray").text("both images").key("half_red").text("the least difference above the tolerance");
  json.key("red").text(fmt::format("a difference of {} levels", pair.comparison.greatest())).end();
}

void write_numbers(JsonWriter& json, const ImageComparison& comparison, Layout layout) {
  json.key("bits").integer(static_cast<std::uint64_t>(comparison.bits));
  json.key("pixels").integer(comparison.pixels);
  json.key("differing").integer(comparison.differing);
  write_first(json, comparison.first);
  json.key("channels").begin_array(layout);
  for (const ChannelDifference& channel : comparison.channels) {
    json.begin_object(Layout::line).key("channel").text(channel.name);
    json.key("greatest").integer(channel.greatest).key("mean").real(channel.mean);
    write_optional(json, "ssim", channel.ssim);
    if (channel.histogram) {
      write_distances(json, *channel.histogram);
    }
    json.end();
  }
  json.end();
  json.key("mse").real(comparison.mean_squared_error);
  json.key("psnr").real(comparison.psnr_db);
  write_optional(json, "ssim", comparison.ssim);
}

void write_members(JsonWriter& json, const ComparedPair& pair, Layout layout) {
  const ImageComparison& comparison = pair.comparison;
  json.key("status").text(comparison.is_equal() ? "equal" : "different");
  write_facts(json, "a", pair.a);
  write_facts(json, "b", pair.b);
  json.key("tolerance").integer(pair.tolerance);
  if (pair.has_limits) {
    json.key("within_limits").boolean(pair.passes());
  }
  json.key("same_size").boolean(comparison.same_size);
  if (comparison.same_size) {
    write_numbers(json, comparison, layout);
  }
  if (!pair.picture.empty()) {
    write_picture(json, pair);
  }
}

void write_file(JsonWriter& json, std::string_view key, const std::string& name, std::uint32_t pages) {
  json.key(key).begin_object(Layout::line).key("name").text(name).key("pages").integer(pages).end();
}

}  // namespace

std::string comparison_text(const ComparedPair& pair) {
  const ImageComparison& comparison = pair.comparison;
  std::string text = fmt::format("{} {}{}\n", names_text(pair), verdict(pair), broken_text(pair));
  if (!comparison.same_size || std::isinf(comparison.psnr_db)) {
    return text;
  }
  text += fmt::format("  {} of {} pixels differ{} ({})\n", grouped(comparison.differing), grouped(comparison.pixels),
                      within_text(pair), share_text(comparison));
  if (comparison.first) {
    text += fmt::format("  the first at {}\n", first_text(*comparison.first));
  }
  for (const ChannelDifference& channel : comparison.channels) {
    text += fmt::format("  {:<4}  greatest {:>5}   mean {}\n", channel.name, channel.greatest, mean_text(channel.mean));
  }
  for (const ChannelDifference& channel : comparison.channels) {
    text += channel.histogram ? histogram_text(channel) : "";
  }
  return text + fmt::format("  PSNR {}{}\n", psnr_text(comparison), ssim_clause(comparison));
}

std::string comparison_line(const ComparedPair& pair) {
  const ImageComparison& comparison = pair.comparison;
  std::string line = fmt::format("{} {}", names_text(pair), verdict(pair));
  if (comparison.first) {
    line += fmt::format("{} in {} of {} pixels{} ({}), at most by {}, PSNR {}{}, the first at {}", broken_text(pair),
                        grouped(comparison.differing), grouped(comparison.pixels), within_text(pair),
                        share_text(comparison), comparison.greatest(), psnr_text(comparison), ssim_clause(comparison),
                        first_text(*comparison.first));
  } else {
    line += broken_text(pair);
  }
  return line + "\n";
}

std::string comparison_json(const ComparedPair& pair, ComparisonJson layout) {
  const Layout lines = layout == ComparisonJson::line ? Layout::line : Layout::block;
  JsonWriter json;
  json.begin_object(lines);
  write_members(json, pair, lines);
  json.end();
  return json.take();
}

std::size_t ComparedFiles::differing() const {
  return static_cast<std::size_t>(
      std::count_if(pages.begin(), pages.end(), [](const ComparedPair& pair) { return !pair.passes(); }));
}

std::string comparison_text(const ComparedFiles& files, bool shows_equal_pages) {
  std::string text;
  for (const ComparedPair& pair : files.pages) {
    text += shows_equal_pages || !pair.passes() ? comparison_line(pair) : "";
  }
  const std::string names = fmt::format("{} and {}", printable_name(files.a), printable_name(files.b));
  if (files.passes()) {
    const bool has_limits = !files.pages.empty() && files.pages.front().has_limits;
    const std::string within = has_limits             ? " within the limits"
                               : files.tolerance == 0 ? ""
                                                      : fmt::format(" within a tolerance of {}", files.tolerance);
    return text + fmt::format("{} are equal{}: {} pages\n", names, within, grouped(files.pages.size()));
  }
  if (const std::size_t differing = files.differing(); differing > 0) {
    text += fmt::format("{} differ in {} of {} page{}\n", names, grouped(differing), grouped(files.pages.size()),
                        files.pages.size() == 1 ? "" : "s");
  }
  if (files.pages_of_a != files.pages_of_b) {
    text += fmt::format("{} differ in their number of pages: {} and {}\n", names, grouped(files.pages_of_a),
                        grouped(files.pages_of_b));
  }
  return text;
}

std::string comparison_json(const ComparedFiles& files) {
  JsonWriter json;
  json.begin_object();
  json.key("status").text(files.passes() ? "equal" : "different");
  write_file(json, "a", files.a, files.pages_of_a);
  write_file(json, "b", files.b, files.pages_of_b);
  json.key("tolerance").integer(files.tolerance);
  json.key("same_number_of_pages").boolean(files.pages_of_a == files.pages_of_b);
  json.key("pages").begin_array();
  for (std::size_t i = 0; i < files.pages.size(); ++i) {
    json.begin_object(Layout::line).key("page").integer(i + 1);
    write_members(json, files.pages[i], Layout::line);
    json.end();
  }
  json.end().end();
  return json.take();
}

std::string ssim_text(double ssim) { return fmt::format("{:.6f}", std::floor(ssim * 1e6) / 1e6); }

std::string unpaired_json(const std::string& name, char side) {
  JsonWriter json;
  json.begin_object(Layout::line).key("status").text(side == 'a' ? "only_in_a" : "only_in_b");
  json.key("name").text(name).end();
  return json.take();
}

std::string comparison_csv_header() {
  return "a,b,status,width,height,bits,channels,pixels,differing,greatest,mse,psnr,ssim\n";
}

std::string comparison_csv(const ComparedPair& pair) {
  const ImageComparison& comparison = pair.comparison;
  std::string row = fmt::format("{},{},{},", csv_cell(pair.a.name), csv_cell(pair.b.name),
                                !comparison.same_size   ? "other_size"
                                : comparison.is_equal() ? "equal"
                                                        : "different");
  if (!comparison.same_size) {
    return row + fmt::format("{},{},{},,,,,,,\n", pair.a.width, pair.a.height, comparison.bits);
  }
  row +=
      fmt::format("{},{},{},{},{},{},{},{},", pair.a.width, pair.a.height, comparison.bits, comparison.channels.size(),
                  comparison.pixels, comparison.differing, comparison.greatest(), comparison.mean_squared_error);
  row += std::isinf(comparison.psnr_db) ? "inf" : fmt::format("{}", comparison.psnr_db);
  return row + (comparison.ssim ? fmt::format(",{}\n", *comparison.ssim) : ",\n");
}

std::string unpaired_csv(const std::string& name, char side) {
  const std::string cell = csv_cell(name);
  return fmt::format("{},only_in_{},,,,,,,,,,\n", side == 'a' ? cell + "," : "," + cell, side);
}

}  // namespace gpuimg
