// Writes a comparison for people and for programs.
#include "report/comparison_report.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>

#include "text/json_writer.hpp"
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

/// Levels with two decimals, below that three significant digits; 0 is exact.
std::string mean_text(double mean) {
  return mean == 0.0 ? "0" : mean >= 1.0 ? fmt::format("{:.2f}", mean) : fmt::format("{:.3g}", mean);
}

std::string psnr_text(const ImageComparison& comparison) {
  return std::isinf(comparison.psnr_db) ? "infinite" : fmt::format("{:.2f} dB", comparison.psnr_db);
}

std::string share_text(const ImageComparison& comparison) {
  return percent(static_cast<double>(comparison.differing) / static_cast<double>(comparison.pixels));
}

std::string verdict(const ComparedPair& pair) {
  const ImageComparison& comparison = pair.comparison;
  if (!comparison.same_size) {
    return fmt::format("differ in size: {} and {}", size_text(pair.a), size_text(pair.b));
  }
  if (!comparison.is_equal()) {
    return "differ";
  }
  return pair.tolerance == 0 ? "are equal" : fmt::format("are equal within a tolerance of {}", pair.tolerance);
}

std::uint32_t greatest_of(const ImageComparison& comparison) {
  std::uint32_t greatest = 0;
  for (const ChannelDifference& channel : comparison.channels) {
    greatest = std::max(greatest, channel.greatest);
  }
  return greatest;
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

void write_numbers(JsonWriter& json, const ImageComparison& comparison, Layout layout) {
  json.key("bits").integer(static_cast<std::uint64_t>(comparison.bits));
  json.key("pixels").integer(comparison.pixels);
  json.key("differing").integer(comparison.differing);
  write_first(json, comparison.first);
  json.key("channels").begin_array(layout);
  for (const ChannelDifference& channel : comparison.channels) {
    json.begin_object(Layout::line).key("channel").text(channel.name);
    json.key("greatest").integer(channel.greatest).key("mean").real(channel.mean).end();
  }
  json.end();
  json.key("mse").real(comparison.mean_squared_error);
  json.key("psnr").real(comparison.psnr_db);
}

}  // namespace

std::string comparison_text(const ComparedPair& pair) {
  const ImageComparison& comparison = pair.comparison;
  std::string text = fmt::format("{} {}\n", names_text(pair), verdict(pair));
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
  return text + fmt::format("  PSNR {}\n", psnr_text(comparison));
}

std::string comparison_line(const ComparedPair& pair) {
  const ImageComparison& comparison = pair.comparison;
  std::string line = fmt::format("{} {}", names_text(pair), verdict(pair));
  if (comparison.first) {
    line += fmt::format(" in {} of {} pixels{} ({}), at most by {}, PSNR {}, the first at {}",
                        grouped(comparison.differing), grouped(comparison.pixels), within_text(pair),
                        share_text(comparison), greatest_of(comparison), psnr_text(comparison),
                        first_text(*comparison.first));
  }
  return line + "\n";
}

std::string comparison_json(const ComparedPair& pair, ComparisonJson layout) {
  const Layout lines = layout == ComparisonJson::line ? Layout::line : Layout::block;
  const ImageComparison& comparison = pair.comparison;
  JsonWriter json;
  json.begin_object(lines);
  json.key("status").text(comparison.is_equal() ? "equal" : "different");
  write_facts(json, "a", pair.a);
  write_facts(json, "b", pair.b);
  json.key("tolerance").integer(pair.tolerance);
  json.key("same_size").boolean(comparison.same_size);
  if (comparison.same_size) {
    write_numbers(json, comparison, lines);
  }
  json.end();
  return json.take();
}

std::string unpaired_json(const std::string& name, char side) {
  JsonWriter json;
  json.begin_object(Layout::line).key("status").text(side == 'a' ? "only_in_a" : "only_in_b");
  json.key("name").text(name).end();
  return json.take();
}

}  // namespace gpuimg
