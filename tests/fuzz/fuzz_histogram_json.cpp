// Fuzzes the reader of histograms (--merge, --reference): any bytes are read or rejected. A histogram that was read can
// be summed and turned into look-up tables, and survives a round trip.
#include <algorithm>

#include "fuzz/finding.hpp"
#include "fuzz/fuzz_input.hpp"
#include "gpuimg/error.hpp"
#include "ops/equalize.hpp"
#include "report/histogram_file.hpp"

namespace {

using namespace gpuimg;

bool same_file(const HistogramFile& a, const HistogramFile& b) {
  const auto& left = a.histogram.channels;
  const auto& right = b.histogram.channels;
  return a.luma == b.luma && a.count_transparent == b.count_transparent && a.images == b.images &&
         a.pixels == b.pixels && a.histogram.counted == b.histogram.counted &&
         std::equal(left.begin(), left.end(), right.begin(), right.end(), [](const auto& one, const auto& other) {
           return one.channel == other.channel && one.counts == other.counts;
         });
}

/// The sum as `hist --merge` writes it; empty if the channels do not fit in one report.
std::string written(const HistogramFile& file) {
  ReportOptions options;
  options.luma = file.luma;
  options.count_transparent = file.count_transparent;
  ImageFacts facts;
  facts.is_sum = true;
  facts.images = file.images;
  facts.pixels = file.pixels;
  try {
    return to_json(make_report(file.histogram, options, facts));
  } catch (const Error& error) {
    fuzz::demand(error.kind() == ErrorKind::usage, error.what());
    return {};
  }
}

void demand_tables(const Histogram& histogram) {
  for (const ChannelHistogram& channel : histogram.channels) {
    for (const EqualizeFormula formula : {EqualizeFormula::opencv, EqualizeFormula::cdf, EqualizeFormula::pillow}) {
      for (const std::uint16_t level : level_map(formula, channel.counts)) {
        fuzz::demand(level < channel.counts.size(), "a table leads to a level that there is not");
      }
    }
  }
}

void demand_sum(const HistogramFile& file) {
  HistogramSum sum;
  sum.add(file.histogram, file.images, file.pixels, "fuzzed");
  try {
    sum.add(file.histogram, file.images, file.pixels, "fuzzed");
    fuzz::demand(sum.total().counted == 2 * file.histogram.counted, "twice is not the double");
  } catch (const Error& error) {
    fuzz::demand(error.kind() == ErrorKind::unsupported, error.what());
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto bytes = std::as_bytes(std::span(data, size));
  try {
    const HistogramFile file = histogram_from_json(bytes, "fuzzed");
    demand_tables(file.histogram);
    demand_sum(file);
    const std::string text = written(file);
    if (!text.empty()) {
      const HistogramFile again = histogram_from_json(std::as_bytes(std::span(text)), "again");
      fuzz::demand(same_file(file, again), "read back as another histogram");
    }
  } catch (const Error& error) {
    fuzz::demand(error.kind() == ErrorKind::decode, error.what());
  }
  return 0;
}
