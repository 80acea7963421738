// Fuzzes results written as text. CSV of histograms and summed-area tables must be well-formed and contain the values,
// JSON must be valid and survive a round trip, and charts and SVG must contain only allowed characters.
#include <algorithm>
#include <charconv>
#include <nlohmann/json.hpp>

#include "fuzz/finding.hpp"
#include "fuzz/fuzz_input.hpp"
#include "gpuimg/error.hpp"
#include "report/histogram_file.hpp"
#include "report/histogram_plots.hpp"
#include "report/table_text.hpp"

namespace {

using namespace gpuimg;
using fuzz::demand;
using fuzz::FuzzInput;

/// The fields of each line. gpuimg writes no quotes.
std::vector<std::vector<std::string>> rows_of(const std::string& csv) {
  std::vector<std::vector<std::string>> rows(1, std::vector<std::string>(1));
  demand(!csv.empty() && csv.back() == '\n', "CSV without a line break at its end");
  for (const char c : csv.substr(0, csv.size() - 1)) {
    if (c == '\n') {
      rows.emplace_back(1);
    } else if (c == ',') {
      rows.back().emplace_back();
    } else {
      demand((c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || c == '.' || c == '-' || c == '+', "a stray character");
      rows.back().back() += c;
    }
  }
  return rows;
}

template <class Number>
Number number_in(const std::string& text) {
  Number number{};
  const auto [stop, failure] = std::from_chars(text.data(), text.data() + text.size(), number);
  demand(failure == std::errc{} && stop == text.data() + text.size(), "a field that is no number");
  return number;
}

Histogram histogram_from(FuzzInput& input) {
  const std::vector<std::vector<Channel>> kChoices = {{Channel::luma},
                                                      {Channel::red, Channel::green, Channel::blue},
                                                      {Channel::alpha},
                                                      {Channel::hue},
                                                      {Channel::saturation}};
  const std::size_t levels = input.below(8) == 0 ? 256 : 2 + input.below(60);
  const std::uint32_t shift = input.below(58);  // 64 counts of 8 bits stay below 2⁶⁴
  Histogram histogram;
  for (const Channel channel : kChoices[input.below(5)]) {
    std::vector<std::uint64_t> counts(levels);
    for (std::size_t i = 0; i < std::min<std::size_t>(levels, 62); ++i) {
      counts[i] = std::uint64_t{input.byte()} << (shift > 50 ? 50 : shift);
    }
    histogram.counted = 0;
    for (const std::uint64_t count : counts) {
      histogram.counted += count;
    }
    histogram.channels.push_back({channel, counts});
  }
  // Every channel counts the same pixels.
  for (ChannelHistogram& channel : histogram.channels) {
    channel.counts = histogram.channels.back().counts;
  }
  return histogram;
}

void demand_csv(const HistogramReport& report) {
  const auto rows = rows_of(to_csv(report));
  const bool with_from = report.options.bins.has_value();
  demand(rows.size() == report.axis.bins + std::size_t{1}, "other than a row a bin");
  for (std::size_t row = 0; row < rows.size(); ++row) {
    demand(rows[row].size() == report.channels.size() + (with_from ? 2 : 1), "other than a field a column");
    for (std::size_t i = 0; row > 0 && i < report.channels.size(); ++i) {
      const std::string& field = rows[row][i + (with_from ? 2 : 1)];
      const double share = number_in<double>(field);
      demand(!report.options.normalize || (share >= 0.0 && share <= 1.0), "a share that is none");
      demand(report.options.normalize || number_in<std::uint64_t>(field) == report.channels[i].values[row - 1],
             "another value");
    }
  }
}

void demand_json(const HistogramReport& report) {
  const std::string text = to_json(report);
  demand(nlohmann::json::accept(text), "no JSON");
  const HistogramFile file = histogram_from_json(std::as_bytes(std::span(text)), "written");
  demand(file.histogram.counted == report.counted && file.luma == report.options.luma &&
             file.pixels == report.counted + report.skipped,
         "read back with other facts");
  for (std::size_t i = 0; i < report.channels.size(); ++i) {
    demand(file.histogram.channels[i].counts == report.channels[i].counts, "read back with other counts");
  }
}

void demand_charts(const HistogramReport& report, FuzzInput& input) {
  const std::string svg = to_svg(report, {input.flip(), input.text(60)});
  const auto is_control = [](char c) { return static_cast<unsigned char>(c) < 0x20 && c != '\n'; };
  demand(std::none_of(svg.begin(), svg.end(), is_control), "a control character in the SVG");
  demand(svg.find("<script") == std::string::npos && svg.find("]]>") == std::string::npos, "the title gets out");
  const std::string chart = to_terminal(report, {input.between(1, 200), false, input.flip()});
  demand(std::none_of(chart.begin(), chart.end(), is_control), "a control character in the chart");
}

template <class Entry>
void demand_table(FuzzInput& input, Sample sample) {
  const int width = input.between(1, 30);
  const int height = input.between(1, 10);
  Image table(width, height, {sample, 1});
  for (int y = 0; y < height; ++y) {
    std::generate_n(table.view().row<Entry>(y), width, [&] { return static_cast<Entry>(input.number()); });
  }
  (void)table_preview(table.view());
  const auto rows = rows_of(table_csv(table.view()));
  demand(rows.size() == static_cast<std::size_t>(table.height()), "other than a line a row");
  for (int y = 0; y < table.height(); ++y) {
    const auto& row = rows[static_cast<std::size_t>(y)];
    demand(row.size() == static_cast<std::size_t>(table.width()), "other than a field an entry");
    for (int x = 0; x < table.width(); ++x) {
      demand(number_in<Entry>(row[static_cast<std::size_t>(x)]) == table.view().row<Entry>(y)[x], "another entry");
    }
  }
}

void demand_histogram(FuzzInput& input) {
  const Histogram histogram = histogram_from(input);
  ReportOptions options;
  options.cumulative = input.flip();
  options.normalize = input.flip();
  options.luma = static_cast<Luma>(input.below(4));
  if (input.flip()) {
    options.bins = input.between(1, 300);
  }
  ImageFacts facts{input.text(40), input.between(1, 65536), input.between(1, 65536)};
  facts.is_sum = input.flip();
  facts.pixels = histogram.counted + input.below(1000);
  try {
    const HistogramReport report = make_report(histogram, options, facts);
    demand_csv(report);
    demand_json(report);
    demand_charts(report, input);
  } catch (const Error& error) {
    demand(error.kind() == ErrorKind::usage, error.what());
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  FuzzInput input(data, size);
  switch (input.below(12)) {
    case 0: demand_table<std::uint32_t>(input, Sample::u32); break;
    case 1: demand_table<std::uint64_t>(input, Sample::u64); break;
    case 2: demand_table<float>(input, Sample::f32); break;
    case 3: demand_table<double>(input, Sample::f64); break;
    default: demand_histogram(input);
  }
  return 0;
}
